package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type manCommand struct{}

func (*manCommand) Help() string {
	return `Of all commands, made from their help.

    waymark man | man -l -
    waymark man | sudo tee /usr/local/share/man/man1/waymark.1 > /dev/null`
}

func (*manCommand) Run(t *terminal, parser *kong.Kong) error {
	_, err := io.WriteString(t.out, manual(parser.Model))
	return err
}

// manual returns the manual page of the program in the macros of man(7).
func manual(app *kong.Application) string {
	var page strings.Builder
	fmt.Fprintf(&page, ".TH WAYMARK 1 \"\" \"Waymark %s\" \"Waymark\"\n", roff(versionString()))
	page.WriteString(".SH NAME\nwaymark \\- self\\-hosted bookmark server\n")
	page.WriteString(".SH SYNOPSIS\n.B waymark\n.I command\n[\\fIarguments\\fR] [\\fIflags\\fR]\n")
	page.WriteString(".SH DESCRIPTION\n")
	writeText(&page, app.Help)
	page.WriteString(".SH COMMANDS\n")
	for _, leaf := range app.Leaves(true) {
		writeCommand(&page, leaf)
	}
	return page.String()
}

func writeCommand(page *strings.Builder, command *kong.Node) {
	fmt.Fprintf(page, ".SS %s\n", roff(command.FullPath()+argumentsOf(command)))
	writeText(page, command.Help)
	writeText(page, command.Detail)
	for _, argument := range command.Positional {
		writeTerm(page, "<"+argument.Name+">", argument.Help)
	}
	for _, f := range command.Flags {
		if f.Hidden {
			continue
		}
		help := f.Help
		if len(f.Tag.Envs) > 0 {
			help += " Environment variable: " + strings.Join(f.Tag.Envs, ", ") + "."
		}
		if f.HasDefault && f.Default != "" {
			help += " Default: " + f.Default + "."
		}
		writeTerm(page, flagName(f), help)
	}
}

// argumentsOf returns the positional arguments of a command, each after a space.
func argumentsOf(command *kong.Node) string {
	var text strings.Builder
	for _, argument := range command.Positional {
		text.WriteString(" <" + argument.Name + ">")
	}
	return text.String()
}

func flagName(f *kong.Flag) string {
	switch {
	case f.Tag.Negatable != "":
		return "--[no-]" + f.Name
	case f.IsBool():
		return "--" + f.Name
	}
	return "--" + f.Name + "=" + f.FormatPlaceHolder()
}

func writeTerm(page *strings.Builder, term, text string) {
	fmt.Fprintf(page, ".TP\n\\fB%s\\fR\n%s\n", roff(term), roff(text))
}

// writeText writes paragraphs between empty lines. Indented ones are examples.
func writeText(page *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if paragraph == "" {
			continue
		}
		if example := strings.HasPrefix(paragraph, "    "); example {
			fmt.Fprintf(page, ".PP\n.RS 4\n.nf\n%s\n.fi\n.RE\n", roff(strings.ReplaceAll(paragraph[4:], "\n    ", "\n")))
		} else {
			fmt.Fprintf(page, ".PP\n%s\n", roff(paragraph))
		}
	}
}

// roff escapes backslashes, hyphens, and dots and quotes at the beginning of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
