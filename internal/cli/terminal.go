package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal holds the standard streams of a command. In a script they are files.
type terminal struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// isTerminal reports whether a standard stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
