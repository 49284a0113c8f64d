package cli

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

//go:embed completion.bash
var completionBash string

//go:embed completion.zsh
var completionZsh string

//go:embed completion.fish
var completionFish string

// completeArgument is the first argument with which the completion scripts call the
// program. The other arguments are the words of the command line up to the cursor, and the
// output is a line for each possible last word: the word, a tab and its description.
const completeArgument = "__complete"

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (*completionCommand) Help() string {
	return `Prints a script that lets the shell complete commands, flags and their values. To load it:

    . <(waymark completion bash)                                          # in ~/.bashrc
    . <(waymark completion zsh)                                           # in ~/.zshrc, after compinit
    waymark completion fish > ~/.config/fish/completions/waymark.fish`
}

func (c *completionCommand) Run(t *terminal) error {
	script := map[string]string{"bash": completionBash, "zsh": completionZsh, "fish": completionFish}[c.Shell]
	_, err := io.WriteString(t.out, script)
	return err
}

// candidate is a word that can complete a command line.
type candidate struct{ word, help string }

// printCandidates prints the words that can complete the last of words.
func printCandidates(w io.Writer, root *kong.Node, words []string) {
	for _, c := range complete(root, words) {
		fmt.Fprintf(w, "%s\t%s\n", c.word, c.help)
	}
}

// complete returns what the last word can become. Without candidates shells complete file names.
func complete(root *kong.Node, words []string) []candidate {
	if len(words) == 0 {
		return nil
	}
	before, current := words[:len(words)-1], words[len(words)-1]
	node, flag, arguments := root, (*kong.Flag)(nil), 0
	for _, word := range before {
		switch {
		case flag != nil:
			if word != "=" { // bash splits --flag=value into three words
				flag = nil
			}
		case strings.HasPrefix(word, "-"):
			name, _, hasValue := strings.Cut(word, "=")
			if flag = findFlag(node, name); hasValue || flag != nil && flag.IsBool() {
				flag = nil
			}
		case child(node, word) != nil:
			node = child(node, word)
		default:
			arguments++
		}
	}
	if name, value, ok := strings.Cut(current, "="); ok && strings.HasPrefix(name, "--") {
		return choicesOf(findFlag(node, name), name+"=", value)
	}
	switch {
	case flag != nil:
		return choicesOf(flag, "", strings.TrimPrefix(current, "="))
	case strings.HasPrefix(current, "-"):
		return startingWith(current, flagsOf(node))
	case arguments < len(node.Positional):
		return startingWith(current, enumChoices(node.Positional[arguments], ""))
	}
	var commands []candidate
	for _, c := range node.Children {
		if !c.Hidden {
			commands = append(commands, candidate{c.Name, c.Help})
		}
	}
	return startingWith(current, commands)
}

func child(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// flagsOf returns the flags of a command.
func flagsOf(node *kong.Node) (all []candidate) {
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			all = append(all, candidate{"--" + f.Name, f.Help})
			if f.Tag.Negatable != "" {
				all = append(all, candidate{"--no-" + f.Name, f.Help})
			}
		}
	}
	return all
}

// findFlag returns the flag of a command with a name such as --data, nil if there is none.
func findFlag(node *kong.Node, name string) *kong.Flag {
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			if "--"+f.Name == name {
				return f
			}
		}
	}
	return nil
}

// choicesOf returns the values of a flag that begin with value, after prefix.
func choicesOf(flag *kong.Flag, prefix, value string) []candidate {
	if flag == nil {
		return nil
	}
	return startingWith(prefix+value, enumChoices(flag.Value, prefix))
}

func enumChoices(value *kong.Value, prefix string) (all []candidate) {
	for _, choice := range value.EnumSlice() {
		if choice != "" {
			all = append(all, candidate{word: prefix + choice})
		}
	}
	return all
}

func startingWith(prefix string, all []candidate) []candidate {
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.word, prefix) })
}
