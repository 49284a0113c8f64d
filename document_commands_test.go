//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notRun are the words after ```sh that keep the test from running a block, with the reason.
var notRun = map[string]string{
	"root":       "changes the machine: needs root, systemd or Docker",
	"network":    "needs another server",
	"postgresql": "needs a PostgreSQL server",
	"clone":      "compiles the program",
	"long":       "measures for minutes",
}

// before are commands that a document takes for granted.
var before = map[string]string{
	"search.md": "waymark import --user ada bookmarks.html >/dev/null 2>&1\n",
}

// codeBlock is a fenced block of a document.
type codeBlock struct {
	info, text string
	line       int
	afterBlock bool // nothing but empty lines is between it and the block before
}

// codeBlocks returns the fenced blocks of a document.
func codeBlocks(document string) []codeBlock {
	var blocks []codeBlock
	var open *codeBlock
	directly := false
	for i, line := range strings.SplitAfter(document, "\n") {
		info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			open = &codeBlock{info: info, line: i + 1, afterBlock: directly}
		case fence:
			blocks, open, directly = append(blocks, *open), nil, true
		case open != nil:
			open.text += line
		case strings.TrimSpace(line) != "":
			directly = false
		}
	}
	return blocks
}

// A shell runs the ```sh blocks of each document, one after the other, as they are written, beside a server with the
// user ada and her key in KEY. Only the port differs, as in TestQuickStartCommandsWork. A block without a language
// that follows one is what it prints; numbers may differ, because they are dates and sizes.
func TestCommandsOfDocumentsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	for _, program := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") != "true" {
			t.Skip(program + " is not installed")
		}
	}
	programs := t.TempDir()
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", programs, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	documents := 0
	err := fs.WalkDir(os.DirFS("docs"), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "decisions/") {
			return err
		}
		text, err := os.ReadFile(filepath.Join("docs", name))
		if err != nil {
			return err
		}
		if blocks := codeBlocks(string(text)); hasCommands(t, name, blocks) {
			documents++
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				runDocument(t, programs, before[name], blocks)
			})
		}
		return nil
	})
	check(t, err)
	if documents < 8 {
		t.Errorf("only %d documents have commands that the test runs", documents)
	}
}

// hasCommands reports whether a document has blocks to run. It checks the syntax and the marks of all blocks.
func hasCommands(t *testing.T, name string, blocks []codeBlock) bool {
	t.Helper()
	found := false
	for _, block := range blocks {
		language, mark, _ := strings.Cut(block.info, " ")
		if language != "sh" {
			if language == "console" || language == "bash" {
				t.Errorf("docs/%s:%d: commands are in ```sh blocks, their output in a block without a language", name, block.line)
			}
			continue
		}
		if output, err := exec.CommandContext(t.Context(), "bash", "-n", "-c", block.text).CombinedOutput(); err != nil {
			t.Errorf("docs/%s:%d: %s", name, block.line, output)
		}
		if mark != "" && mark != "server" && notRun[mark] == "" {
			t.Errorf("docs/%s:%d: unknown mark %q", name, block.line, mark)
		}
		found = found || mark == ""
	}
	return found
}

// numbers is what may differ between the output in a document and that of a run.
var numbers = regexp.MustCompile(`[0-9]+|[ \t]+\n`)

// runDocument runs the blocks of a document beside a server, and compares what they print.
func runDocument(t *testing.T, programs, script string, blocks []codeBlock) {
	address := freeAddress(t)
	environment := newEnvironment(t, address)
	home := strings.TrimPrefix(environment[1], "HOME=")
	environment[0] = "PATH=" + programs + ":" + os.Getenv("PATH")
	check(t, os.CopyFS(home, os.DirFS("testdata/documents")))
	start := "exec waymark serve"
	script = "set -eu\ncd \"$HOME\"\nwaymark user add ada --no-password >/dev/null 2>&1\nKEY=$(waymark key add --user ada test 2>/dev/null)\n" + script
	for i, block := range blocks {
		switch block.info {
		case "sh":
			script += fmt.Sprintf("exec >%d.out 2>&1\n%s", i, block.text)
		case "sh server":
			start = "exec " + block.text
		}
	}
	serve(t, environment, address, "cd \"$HOME\"; "+start)
	if output, err := shell(t.Context(), environment, script).CombinedOutput(); err != nil {
		printed, _ := shell(t.Context(), environment, `tail "$HOME"/*.out`).Output()
		t.Fatalf("%v\n%s%s", err, output, printed)
	}
	for i, block := range blocks {
		if i == 0 || block.info != "" || !block.afterBlock || blocks[i-1].info != "sh" {
			continue
		}
		got, err := os.ReadFile(filepath.Join(home, fmt.Sprint(i-1, ".out")))
		check(t, err)
		if masked := func(text string) string { return strings.TrimSpace(numbers.ReplaceAllString(text, "0")) }; masked(string(got)) != masked(block.text) {
			t.Errorf("line %d: the commands print\n%s, the document says\n%s", block.line, got, block.text)
		}
	}
}
