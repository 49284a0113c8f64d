// Package cli implements the commands of the program, one file for each or for a group. A command parses
// its flags, calls the service, the store or the server, and prints results on
// standard output and everything else on standard error.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
)

// Exit codes of all commands.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// commands defines the command line for kong. The method Help of a command returns what its help has below the summary.
type commands struct {
	Serve  serveCommand  `cmd:"" help:"Run the server." group:"Run a server"`
	Config configCommand `cmd:"" help:"Print and check the settings of the server." group:"Run a server"`
	Doctor doctorCommand `cmd:"" help:"Check and repair the database." group:"Run a server"`

	Healthcheck healthcheckCommand `cmd:"" help:"Check that a server is healthy, for containers." group:"Run a server"`

	Backup     backupCommands    `cmd:"" help:"Back up the database." group:"Keep data safe"`
	Restore    restoreCommand    `cmd:"" help:"Restore a backup." group:"Keep data safe"`
	User       userCommands      `cmd:"" help:"Manage users." group:"Users and keys"`
	Key        keyCommands       `cmd:"" help:"Manage API keys." group:"Users and keys"`
	Import     importCommands    `cmd:"" help:"Import bookmarks from browsers and other programs." group:"Bring links, and take them with you"`
	Migrate    migrateCommands   `cmd:"" help:"Migrate from another program, or to another database." group:"Bring links, and take them with you"`
	Export     exportCommand     `cmd:"" help:"Export the data of a user to a file." group:"Bring links, and take them with you"`
	Search     searchCommand     `cmd:"" help:"Search the links of a user." group:"Work with links"`
	Duplicates duplicatesCommand `cmd:"" help:"Find and merge links that are saved several times." group:"Work with links"`
	Check      checkCommand      `cmd:"" help:"Check links, to find those that are broken or have moved." group:"Work with links"`
	Fetch      fetchCommand      `cmd:"" help:"Fetch the pages of links again." group:"Work with links"`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"Connect an assistant that starts programs to a server." group:"Work with links"`

	Completion completionCommand `cmd:"" help:"Print a shell completion script." group:"This program"`
	Man        manCommand        `cmd:"" help:"Print a manual page." group:"This program"`
	Version    versionCommand    `cmd:"" help:"Print the version." group:"This program"`
	Licenses   licensesCommand   `cmd:"" help:"Print the licenses of the third-party software in this program." group:"This program"`
}

const description = `Waymark keeps the bookmarks of you and others on your own server: save them from the browser or an app, sort
them into lists and tags, and find them again.

Start the server, then create a user and an API key for each client:

    waymark serve
    waymark user add ann
    waymark key add --user ann phone

Most commands work while the server is running; those about what a user has take --user NAME. Settings are
flags or environment variables, such as --data or WAYMARK_DATA. Flags take precedence. The file
/etc/waymark/waymark.env sets variables for the server and all commands.

Exit codes: 0 success, 1 error, 2 usage error.`

// Main runs the command in args, without the program name, and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	before := os.Environ()
	fileErr := config.ReadFile(config.File)
	fromFile := map[string]bool{}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		fromFile[name] = !slices.Contains(before, variable)
	}
	helpPrinted := false
	parser := kong.Must(&commands{}, append(config.Options(),
		kong.Name("waymark"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helpPrinted = true }),
		kong.PostBuild(func(k *kong.Kong) error {
			k.Model.HelpFlag.Help = "Show help."
			hideServerSettings(k.Model.Node)
			return nil
		}),
		kong.ValueFormatter(helpWithVariable),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "Run a server", Title: "Run a server:"},
			{Key: "Keep data safe", Title: "Keep data safe:"},
			{Key: "Users and keys", Title: "Users and keys:"},
			{Key: "Bring links, and take them with you", Title: "Bring links, and take them with you:"},
			{Key: "Work with links", Title: "Work with links:"},
			{Key: "This program", Title: "This program:"},
			{Key: "Basics", Title: "Basics:"},
			{Key: "HTTPS and proxies", Title: "HTTPS and proxies:"},
			{Key: "Storage", Title: "Storage:"},
			{Key: "Sign-in", Title: "Sign-in:"},
			{Key: "Pages", Title: "Pages:"},
			{Key: "Requests", Title: "Requests:"},
			{Key: "Pages of links", Title: "Pages of links:"},
			{Key: "Log", Title: "Log:"},
		}),
	)...)
	if len(args) > 0 && args[0] == completeArgument {
		printCandidates(stdout, parser.Model.Node, args[1:])
		return exitOK
	}
	if isGroup(parser.Model.Node, args) {
		parser.Parse(append(args, "--help")) //nolint:errcheck // it prints the help
		return exitUsage
	}
	command, err := parser.Parse(normalizeArgs(args))
	if helpPrinted {
		return exitOK
	}
	if err == nil {
		if len(variables(command.Selected())) == 0 { // such as version
			fileErr = nil
		}
		err = errors.Join(fileErr, config.CheckVariables(os.Environ(), variables(parser.Model.Node)))
	}
	if err != nil {
		err = usageError{err}
	} else {
		err = command.Run(&terminal{stdin, stdout, stderr}, parser, settingsFile(fromFile))
	}
	if err != nil && logsJSON(args) {
		return reportJSON(err, stderr)
	}
	return report(err, command, stderr)
}

// variables returns the environment variables of a command and of those below it.
func variables(node *kong.Node) (names []string) {
	for _, flag := range node.Flags {
		names = append(names, flag.Envs...)
	}
	for _, sub := range node.Children {
		names = append(names, variables(sub)...)
	}
	return names
}

// hideServerSettings removes the settings of requests for pages from the help of all commands but
// serve: few people set them for a command, which gets them from the environment of the server.
func hideServerSettings(commands *kong.Node) {
	for _, node := range commands.Children {
		if node.Name == "serve" {
			continue
		}
		for _, flag := range node.Flags {
			if flag.Group != nil && flag.Group.Key == "Pages of links" {
				flag.Hidden = true
			}
		}
		hideServerSettings(node)
	}
}

// helpWithVariable returns the help of a flag. It names the environment variable if that is not the
// usual one, which is WAYMARK_ and the name of the flag.
func helpWithVariable(value *kong.Value) string {
	usual := "WAYMARK_" + strings.ToUpper(strings.ReplaceAll(value.Name, "-", "_"))
	if value.Flag == nil || len(value.Flag.Envs) == 0 || value.Flag.Envs[0] == usual {
		return value.Help
	}
	return kong.DefaultHelpValueFormatter(value)
}

// normalizeArgs translates "help COMMAND" and "--version".
func normalizeArgs(args []string) []string {
	switch args[0] {
	case "help":
		return append(args[1:], "--help")
	case "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// report prints err and returns the exit code for it.
func report(err error, command *kong.Context, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errReported) {
		return exitFailure
	}
	if parse, ok := errors.AsType[*kong.ParseError](err); ok {
		command = parse.Context
		err = usageError{describeParseError(parse)}
	}
	fmt.Fprintf(stderr, "waymark: %s\n", withoutPasswords(err.Error()))
	if !errors.As(err, new(usageError)) {
		return exitFailure
	}
	name := "waymark"
	if command != nil && command.Selected() != nil {
		name = command.Selected().FullPath()
	}
	fmt.Fprintf(stderr, "Run %q for usage.\n", name+" --help")
	return exitUsage
}

// reportJSON is report for a server whose log is JSON, so that the log has no other text.
func reportJSON(err error, stderr io.Writer) int {
	code := exitFailure
	if errors.As(err, new(usageError)) {
		code = exitUsage
	}
	if parse, ok := errors.AsType[*kong.ParseError](err); ok {
		err = describeParseError(parse)
	}
	newLog(stderr, config.Log{Format: "json"}).Error("server failed", "error", withoutPasswords(err.Error()))
	return code
}
