package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/term"
)

// What testscript types reaches the terminal before it is raw, so that Ctrl-C and
// the silence of the terminal are looked at here.
func TestPasswordIsTypedUnseen(t *testing.T) {
	for _, test := range []struct{ name, typed, want string }{
		{"twice the same", "correct horse\rcorrect horse\r", "correct horse"},
		{"Ctrl-C", "correct \x03", ""},
		{"Ctrl-C at the second", "correct horse\rcorrect \x03", ""},
		{"Ctrl-D", "\x04", ""},
		{"the line is gone", "correct", ""},
		{"backspace", "correct horses\x7f\rcorrect horse\r", "correct horse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var screen bytes.Buffer
			console := term.NewTerminal(struct {
				io.Reader
				io.Writer
			}{strings.NewReader(test.typed), &screen}, "")
			got, err := promptPassword(console, "ann")
			if got != test.want || test.want == "" && !errors.Is(err, errCancelled) {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
			if strings.Contains(screen.String(), "corr") {
				t.Errorf("the screen shows %q", screen.String())
			}
		})
	}
}
