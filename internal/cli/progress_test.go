package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestProgressOnATerminal(t *testing.T) {
	for _, test := range []struct {
		done, total int
		want        string
	}{
		{0, 0, "[....................] 0 of 0 KiB, "},
		{1, 2, "[##########..........] 1 of 2 KiB, "},
		{2, 2, "[####################] 2 of 2 KiB, "},
	} {
		var screen bytes.Buffer
		p := progress{to: &screen, terminal: true}
		p.update(test.done, test.total, "KiB")
		if got := screen.String(); !strings.HasPrefix(got, eraseLine+test.want) {
			t.Errorf("%d of %d: got %q, want %q", test.done, test.total, got, test.want)
		}
	}
}
