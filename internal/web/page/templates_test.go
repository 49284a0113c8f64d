package page

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxTemplateLine limits the lines of templates, in characters, so that people can read them.
const maxTemplateLine = 140

// handlerName matches the name of a data attribute that html/template takes for the handler of an event: it
// writes the value as JavaScript, in quotation marks.
var handlerName = regexp.MustCompile(`\sdata-on[a-z-]*="\{\{`)

func TestTemplatesHaveShortLinesAndPlainAttributes(t *testing.T) {
	files, err := fs.Glob(templateFiles, "templates/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d templates, %v", len(files), err)
	}
	for _, file := range files {
		body, err := fs.ReadFile(templateFiles, file)
		check(t, err)
		for i, line := range strings.Split(string(body), "\n") {
			if n := utf8.RuneCountInString(line); n > maxTemplateLine {
				t.Errorf("%s:%d has %d characters, want at most %d", file, i+1, n, maxTemplateLine)
			}
			if name := handlerName.FindString(line); name != "" {
				t.Errorf("%s:%d has%s, whose value would be quoted", file, i+1, name)
			}
		}
	}
}

// tag matches the beginning of an element.
var tag = regexp.MustCompile(`</?[a-zA-Z]`)

func TestHTMLIsInTemplatesOnly(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.go", "../*.go", "../settings/*.go"} {
		found, err := filepath.Glob(pattern)
		check(t, err)
		files = append(files, found...)
	}
	set := token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		check(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err != nil || tag.MatchString(text) {
					t.Errorf("%s: %s is HTML, which belongs into a template", set.Position(literal.Pos()), literal.Value)
				}
			}
			return true
		})
	}
}
