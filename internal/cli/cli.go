// Package cli holds the commands of the binary, one file each. A command reads its
// flags, does one thing through the rooms below, and prints what it has to say:
// results on standard output, everything else on standard error.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

// The exit codes of every command.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// commands is what the binary can do, as kong reads it.
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Run the server."`
	User    userCommands   `cmd:"" help:"Add, list, change and remove the people who have an account."`
	Key     keyCommands    `cmd:"" help:"Make, list and revoke the keys that open the API to programs."`
	Move    moveCommand    `cmd:"" help:"Copy everything from SQLite to PostgreSQL, or back."`
	Version versionCommand `cmd:"" help:"Show which Waymark this is."`
}

const description = `Waymark keeps your links, and lends them to every program that speaks LinkAce's API.

Start a server, then make a user and a key for each program:

    waymark serve
    waymark user add ann
    waymark key add ann phone

User and key commands work while the server runs. Every setting is a flag, or a
variable of the environment: --data is WAYMARK_DATA. The flag wins.

Exit codes: 0 done, 1 it did not work, 2 it was not understood.`

// Main runs the command that args name, without the program's own name, and
// returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	helped := false
	parser := kong.Must(&commands{},
		kong.Name("waymark"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "Addresses", Title: "Addresses:"},
			{Key: "Storage", Title: "Storage:"},
			{Key: "Limits", Title: "Limits:"},
			{Key: "Log", Title: "Log:"},
		}),
	)
	if len(args) == 0 {
		parser.Parse([]string{"--help"}) //nolint:errcheck // the help is the answer
		return exitUsage
	}
	command, err := parser.Parse(guess(args))
	if helped {
		return exitOK
	}
	if err == nil {
		err = command.Run(&terminal{stdin, stdout, stderr})
	} else {
		err = usageError{err}
	}
	return report(err, command, stderr)
}

// guess understands two more ways in which people ask.
func guess(args []string) []string {
	switch args[0] {
	case "help":
		return append(args[1:], "--help")
	case "--version":
		return []string{"version"}
	}
	return args
}

// usageError is a mistake in how a command was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// report tells what went wrong, and returns the exit code that says so to scripts.
func report(err error, command *kong.Context, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "waymark: %v\n", err)
	if !errors.As(err, new(usageError)) {
		return exitFailure
	}
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		command = parse.Context
	}
	name := "waymark"
	if command != nil && command.Selected() != nil {
		name = command.Selected().FullPath()
	}
	fmt.Fprintf(stderr, "Run %q to learn more.\n", name+" --help")
	return exitUsage
}

// terminal is where a command reads and writes. It need not be one: in a script
// all three are files.
type terminal struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// open hands the store and the library to do, and closes them afterwards. A server
// may be running on the same folder.
func open(settings config.Store, do func(context.Context, *store.Store, *service.Service) error) (err error) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Dir: settings.Data, Database: settings.Database, Connections: settings.DatabaseConnections})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(ctx, s, service.New(s))
}

// called returns what a person types to run this program.
func called() string {
	program, err := os.Executable()
	if err == nil && strings.Contains(filepath.ToSlash(program), "/go-build") {
		return "go run ."
	}
	return "waymark"
}
