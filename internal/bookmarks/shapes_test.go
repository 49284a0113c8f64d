package bookmarks_test

import (
	"errors"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
)

func TestYAMLIsRefused(t *testing.T) {
	for _, file := range []string{
		"- url: https://a.example/1\n  title: One\n",
		"bookmarks:\n  Reading:\n    - name: One\r\n      href: \"https://a.example/1\"\r\n",
	} {
		_, err := bookmarks.Open(strings.NewReader(file), bookmarks.Limits{})
		if format, ok := errors.AsType[*bookmarks.FormatError](err); !ok || format.Kind != bookmarks.KindYAML {
			t.Errorf("%q: got error %v, want one about YAML", file, err)
		}
	}
}
