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
	return `To load it:

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

// complete returns what the last word can become: a flag, a command or the value of a flag. Without candidates shells
// complete file names.
func complete(root *kong.Node, words []string) (all []candidate) {
	if len(words) == 0 {
		return nil
	}
	before, current := words[:len(words)-1], words[len(words)-1]
	if n := len(before); n > 0 && before[n-1] == "=" { // bash splits --flag=value into three words
		before = before[:n-1]
	}
	node, previous := root, ""
	for _, word := range before {
		if c := child(node, word); c != nil {
			node = c
		}
		previous = word
	}
	flag, _, hasValue := strings.Cut(current, "=")
	switch {
	case hasValue && flag != "":
		all = valuesOf(node, flag, flag+"=")
	case strings.HasPrefix(current, "-"):
		all = flagsOf(node)
	case strings.HasPrefix(previous, "-"):
		all, current = valuesOf(node, previous, ""), strings.TrimPrefix(current, "=")
	default:
		for _, c := range node.Children {
			if !c.Hidden {
				all = append(all, candidate{c.Name, c.Help})
			}
		}
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.word, current) })
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

// valuesOf returns the values of a flag such as --access, after prefix.
func valuesOf(node *kong.Node, flag, prefix string) (all []candidate) {
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			for _, choice := range f.EnumSlice() {
				if "--"+f.Name == flag && choice != "" {
					all = append(all, candidate{word: prefix + choice})
				}
			}
		}
	}
	return all
}
