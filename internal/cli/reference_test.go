package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// make reference runs this test with -update.
func TestCommandReferenceIsUpToDate(t *testing.T) {
	const file = "../../docs/commands.md"
	want := commandReference()
	if *update {
		check(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is not that of the commands: run make reference (error %v)", file, err)
	}
}

// commandReference returns the document with all commands and their flags.
func commandReference() string {
	var page strings.Builder
	page.WriteString(`# Commands

Made from the program by ` + "`make reference`" + `: what ` + "`waymark COMMAND --help`" + ` prints. Every command that uses the database also has
the flags ` + "`--data`, `--database` and `--database-connections`" + ` ([configuration](configuration.md)), whose variables it shares
with the server.
`)
	for _, command := range kong.Must(&commands{}, kong.Name("waymark")).Model.Leaves(true) {
		title, _, _ := strings.Cut(command.FullPath()+argumentsOf(command), " <")
		fmt.Fprintf(&page, "\n## %s\n\n%s\n", title, command.Help)
		if command.Name == "serve" {
			page.WriteString("\nIts flags are the [settings](configuration.md#settings).\n")
			continue
		}
		writeDetail(&page, command.Detail)
		writeFlags(&page, command)
	}
	return page.String()
}

// writeDetail writes the paragraphs of a help text. Indented ones are examples.
func writeDetail(page *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		switch {
		case strings.HasPrefix(paragraph, "    "):
			fmt.Fprintf(page, "\n```\n%s\n```\n", strings.TrimSpace(strings.ReplaceAll(paragraph, "\n    ", "\n")))
		case paragraph != "":
			fmt.Fprintf(page, "\n%s\n", paragraph)
		}
	}
}

// writeFlags writes the list of a command's arguments and flags, without the settings that it shares with the server.
func writeFlags(page *strings.Builder, command *kong.Node) {
	rows := ""
	for _, argument := range command.Positional {
		rows += fmt.Sprintf("- `<%s>`: %s\n", argument.Name, argument.Help)
	}
	for _, flag := range command.Flags {
		if flag.Group != nil || flag.Hidden || flag.Name == "help" {
			continue
		}
		help := flag.Help
		if len(flag.Tag.Envs) > 0 {
			help += " Variable: `" + strings.Join(flag.Tag.Envs, "`, `") + "`."
		}
		rows += fmt.Sprintf("- `%s`: %s\n", flagName(flag), help)
	}
	if rows != "" {
		page.WriteString("\n" + rows)
	}
}
