package cli

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// otherPrograms are the files with flags of other programs.
var otherPrograms = regexp.MustCompile(`httpx/browsertest/|backup/postgres\.go$|web/settings/apps\.go$`)

var (
	flagInText    = regexp.MustCompile(`--[a-z]+(-[a-z]+)*`)
	commandInText = regexp.MustCompile(`\b(?:run|with|use) waymark ([a-z]+)`)
)

// Errors for the operator and log lines may name flags and commands, in all packages.
func TestMessagesNameFlagsAndCommandsThatExist(t *testing.T) {
	known := map[string]bool{"--version": true, "--no": true} // see normalizeArgs, and candidates of negatable flags
	var add func(node *kong.Node)
	add = func(node *kong.Node) {
		known[node.Name] = true
		for _, flag := range node.Flags {
			known["--"+flag.Name] = true
			if flag.Tag.Negatable != "" {
				known["--no-"+flag.Name] = true
			}
		}
		for _, child := range node.Children {
			add(child)
		}
	}
	add(kong.Must(&commands{}, kong.Name("waymark")).Model.Node)
	eachText(t, func(at token.Position, text string) {
		for _, match := range flagInText.FindAllString(text, -1) {
			if !known[match] {
				t.Errorf("%s: there is no flag %s: %s", at, match, text)
			}
		}
		for _, match := range commandInText.FindAllStringSubmatch(text, -1) {
			if !known[match[1]] {
				t.Errorf("%s: there is no command %s: %s", at, match[1], text)
			}
		}
	})
}

// eachText calls do with the text literals of all packages, without their tests.
func eachText(t *testing.T, do func(at token.Position, text string)) {
	t.Helper()
	positions := token.NewFileSet()
	check(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || otherPrograms.MatchString(filepath.ToSlash(path)) {
			return err
		}
		file, err := parser.ParseFile(positions, path, nil, 0)
		if err != nil {
			return err
		}
		for node := range ast.Preorder(file) {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				do(positions.Position(literal.Pos()), literal.Value)
			}
		}
		return nil
	}))
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestFailedWriteIsReportedOnce(t *testing.T) {
	err := compress(fullDisk{}, func(w io.Writer) error {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return err
			}
		}
	})
	if want := "no space left on device"; err == nil || err.Error() != want {
		t.Errorf("got the error %v, want %s", err, want)
	}
}
