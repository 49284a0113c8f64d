package waymark_test

import (
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestMinutesOfTexts(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want int
	}{
		"nothing":       {"", 1},
		"one word":      {"word", 1},
		"230 words":     {strings.Repeat("don’t ", 230), 1},
		"231 words":     {strings.Repeat("word - ", 231), 2},
		"1000 letters":  {strings.Repeat("日本", 500) + "。", 2},
		"1001 letters":  {strings.Repeat("한국 ", 500) + "한", 3},
		"of both":       {strings.Repeat("word ", 230) + strings.Repeat("字", 500), 2},
		"no words":      {strings.Repeat("— ", 1000), 1},
		"words in runs": {strings.Repeat("Kubernetes 入门 ", 460), 4},
	} {
		if got := waymark.Minutes(test.text); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}
