package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/term"
)

// The input of testscript arrives before the terminal is in raw mode, so its scripts
// cannot test Ctrl-C and echo.
func TestPasswordIsNotEchoed(t *testing.T) {
	for _, test := range []struct{ name, input, want string }{
		{"the same twice", "correct horse\rcorrect horse\r", "correct horse"},
		{"Ctrl-C", "correct \x03", ""},
		{"Ctrl-C at the repetition", "correct horse\rcorrect \x03", ""},
		{"Ctrl-D", "\x04", ""},
		{"end of input", "correct", ""},
		{"backspace", "correct horses\x7f\rcorrect horse\r", "correct horse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var screen bytes.Buffer
			console := term.NewTerminal(struct {
				io.Reader
				io.Writer
			}{strings.NewReader(test.input), &screen}, "")
			got, err := promptPassword(console, "ann")
			if got != test.want || test.want == "" && !errors.Is(err, errAborted) {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
			if strings.Contains(screen.String(), "corr") {
				t.Errorf("the terminal shows %q", screen.String())
			}
		})
	}
}
