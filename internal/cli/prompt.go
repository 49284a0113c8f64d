package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"waymark/internal/auth"
)

var errCancelled = errors.New("nothing was changed")

// keyboard returns the file that a person types into, where there is one.
func (t *terminal) keyboard() (*os.File, bool) {
	file, ok := t.in.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// newPassword reads a password that somebody chose: from a line of standard input,
// or from a person who types it twice, unseen. Where it can do neither it says what
// to do, and otherwise names one more way.
func (t *terminal) newPassword(name string, fromStdin bool, otherwise string) (string, error) {
	if fromStdin {
		return t.line()
	}
	keyboard, ok := t.keyboard()
	if !ok {
		return "", usageError{errors.New("there is no terminal to ask for the password on: use --password-stdin to read it from standard input" + otherwise)}
	}
	before, err := term.MakeRaw(int(keyboard.Fd()))
	if err != nil {
		return "", fmt.Errorf("ask on the terminal: %w", err)
	}
	defer term.Restore(int(keyboard.Fd()), before) //nolint:errcheck // what more could be done
	return twice(term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{keyboard, t.err}, ""), name)
}

// twice asks for a password and for the same again. The terminal is raw and shows
// neither; Ctrl-C comes in as a key, so that it cannot leave the terminal mute.
func twice(console *term.Terminal, name string) (string, error) {
	password, err := console.ReadPassword("Password for " + name + ": ")
	if err != nil {
		return "", errCancelled
	}
	if err := auth.ValidPassword(password); err != nil {
		return "", err
	}
	again, err := console.ReadPassword("The same again: ")
	if err != nil {
		return "", errCancelled
	}
	if again != password {
		return "", fmt.Errorf("the two passwords differ: %w", errCancelled)
	}
	return password, nil
}

// line reads the first line of standard input.
func (t *terminal) line() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(t.in, auth.MaxPassword+3)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line = strings.TrimSuffix(line, "\n")
	line = strings.TrimSuffix(line, "\r")
	return line, auth.ValidPassword(line)
}

// confirm asks a person to type word, and returns an error unless they do.
func (t *terminal) confirm(warning, word string) error {
	keyboard, ok := t.keyboard()
	if !ok {
		return usageError{errors.New("there is no terminal to ask on: say --yes if you mean it")}
	}
	fmt.Fprintf(t.err, "%s\nType %s to go on: ", warning, word)
	answer, err := bufio.NewReader(keyboard).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("ask on the terminal: %w", err)
	}
	if strings.TrimSpace(answer) != word {
		return errCancelled
	}
	return nil
}
