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

var errAborted = errors.New("aborted, nothing was changed")

// tty returns standard input if it is a terminal.
func (t *terminal) tty() (*os.File, bool) {
	file, ok := t.in.(*os.File)
	return file, ok && isTerminal(file)
}

// newPassword reads a new password for a user: the first line of standard input, or a
// prompt on the terminal. If standard input is not a terminal, the error ends with
// alternatives.
func (t *terminal) newPassword(name string, fromStdin bool, alternatives string) (string, error) {
	if fromStdin {
		return t.readPassword(name)
	}
	tty, ok := t.tty()
	if !ok {
		return "", usageError{errors.New("cannot prompt for a password: standard input is not a terminal; use " + alternatives)}
	}
	before, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	defer term.Restore(int(tty.Fd()), before) //nolint:errcheck // nothing can be done about it
	return promptPassword(term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{tty, t.err}, ""), name)
}

// promptPassword asks for a password twice. The terminal is in raw mode and shows
// neither. Ctrl-C arrives as a key and not as a signal, so that it cannot leave the
// terminal in raw mode.
func promptPassword(console *term.Terminal, name string) (string, error) {
	password, err := console.ReadPassword("Password for " + name + ": ")
	if err != nil {
		return "", errAborted
	}
	if err := auth.ValidatePassword(name, password); err != nil {
		return "", err
	}
	again, err := console.ReadPassword("Repeat password: ")
	if err != nil {
		return "", errAborted
	}
	if again != password {
		return "", errors.New("the passwords do not match, nothing was changed")
	}
	return password, nil
}

// readPassword reads the password of a user from the first line of standard input.
func (t *terminal) readPassword(name string) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(t.in, auth.MaxPassword+3)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line = strings.TrimSuffix(line, "\n")
	line = strings.TrimSuffix(line, "\r")
	return line, auth.ValidatePassword(name, line)
}

// confirm prints a warning and asks for word. Any other answer is an error.
func (t *terminal) confirm(warning, word string) error {
	tty, ok := t.tty()
	if !ok {
		return usageError{errors.New("cannot ask for confirmation: standard input is not a terminal; use --yes")}
	}
	fmt.Fprintf(t.err, "%s\nType %q to confirm: ", warning, word)
	answer, err := bufio.NewReader(tty).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read from the terminal: %w", err)
	}
	if strings.TrimSpace(answer) != word {
		return errAborted
	}
	return nil
}
