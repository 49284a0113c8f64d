package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// layers maps each package below internal to its layer. A package imports only lower
// layers; packages on one layer do not import each other.
var layers = map[string]int{
	"docs":      1, // not below internal: it embeds the documents beside it
	"waymark":   1,
	"config":    1,
	"charset":   1,
	"permits":   1,
	"archive":   2,
	"auth":      2,
	"epub":      2,
	"httpx":     2,
	"identity":  2,
	"bookmarks": 2,
	"fetch":     2,
	"query":     2,
	"database":  2,
	"migrate":   3,
	"store":     3,
	"accounts":  4,
	"backup":    4,
	"crawl":     4,
	"rest":      4,
	"service":   4,
	"transfer":  4,
	"api":       5,
	"karakeep":  5,
	"mcp":       5,
	"linkding":  5,
	"web":       5,
	"server":    6,
	"cli":       7,
}

// testHelpers are packages that only tests may import, of any layer.
var testHelpers = map[string]bool{
	"database/dbtest":       true,
	"identity/identitytest": true,
	"httpx/browsertest":     true,
	"store/storetest":       true,
}

const internalPath = "waymark/internal/"

// goPackage is one directory with Go files.
type goPackage struct {
	dir   string // "internal/store/storetest", "." for the root
	files map[string]*ast.File
}

// path is the directory below internal: "store/storetest".
func (p goPackage) path() string { return strings.TrimPrefix(p.dir, "internal/") }

// layerName is the key of the package in layers, or "" for the root.
func (p goPackage) layerName() string {
	if p.dir == "." {
		return ""
	}
	name, _, _ := strings.Cut(p.path(), "/")
	return name
}

// parsePackages returns all Go files of the module.
func parsePackages(t *testing.T) (*token.FileSet, []goPackage) {
	t.Helper()
	packages, err := parseModule()
	check(t, err)
	return positions, packages
}

var positions = token.NewFileSet()

// parseModule parses all Go files of the module once for all tests.
var parseModule = sync.OnceValues(func() ([]goPackage, error) {
	byDir := map[string]goPackage{}
	var packages []goPackage
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			hidden := strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")
			if err == nil || hidden || d.Name() == "testdata" {
				return filepath.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(positions, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		if _, known := byDir[dir]; !known {
			byDir[dir] = goPackage{dir: dir, files: map[string]*ast.File{}}
			packages = append(packages, byDir[dir])
		}
		byDir[dir].files[filepath.Base(name)] = file
		return nil
	})
	return packages, err
})

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// imports returns the import paths of a file.
func imports(t *testing.T, file *ast.File) []string {
	t.Helper()
	var paths []string
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		check(t, err)
		paths = append(paths, name)
	}
	return paths
}

func TestPackagesImportOnlyLowerLayers(t *testing.T) {
	_, packages := parsePackages(t)
	for _, p := range packages {
		if p.layerName() == "" {
			continue
		}
		layer, known := layers[p.layerName()]
		if !known || p.dir != "docs" && !strings.HasPrefix(p.dir, "internal/") {
			t.Errorf("%s is not in the table of layers", p.dir)
			continue
		}
		for name, file := range p.files {
			where := p.dir + "/" + name
			for _, imported := range imports(t, file) {
				target, ours := strings.CutPrefix(imported, internalPath)
				if !ours {
					continue
				}
				if testHelpers[target] {
					if !isTest(name) && !testHelpers[p.path()] {
						t.Errorf("%s imports %s, which is for tests", where, imported)
					}
					continue
				}
				targetName, _, _ := strings.Cut(target, "/")
				if targetName != p.layerName() && layers[targetName] >= layer {
					t.Errorf("%s is on layer %d and imports %s, which is on layer %d", where, layer, imported, layers[targetName])
				}
			}
		}
	}
}

// A package that holds more of the code has several jobs. Tests and test helpers do not
// count.
func TestNoPackageHoldsMoreThanAQuarterOfTheCode(t *testing.T) {
	positions, packages := parsePackages(t)
	lines, total := map[string]int{}, 0
	for _, p := range packages {
		if p.layerName() == "" || testHelpers[p.path()] {
			continue
		}
		lines[p.path()] = lineCount(positions, p)
		total += lines[p.path()]
	}
	for name, n := range lines {
		if 4*n > total {
			t.Errorf("internal/%s has %d of %d lines, more than a quarter", name, n, total)
		}
	}
}

func TestArchitectureDocumentNamesEachPackage(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	check(t, err)
	_, packages := parsePackages(t)
	for _, p := range packages {
		row := fmt.Sprintf("\n| %d | `%s` |", layers[p.layerName()], p.path())
		if p.layerName() != "" && !testHelpers[p.path()] && !bytes.Contains(text, []byte(row)) {
			t.Errorf("the table in docs/architecture.md has no row that begins with %s", row[1:])
		}
	}
}

// lineCount returns the number of lines of a package without its tests.
func lineCount(positions *token.FileSet, p goPackage) int {
	lines := 0
	for name, file := range p.files {
		if !isTest(name) {
			lines += positions.File(file.Pos()).LineCount()
		}
	}
	return lines
}

// Machines such as those with Windows, and containers with nothing but the program, have no list of
// time zones.
func TestProgramContainsTimeZones(t *testing.T) {
	packages, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	check(t, err)
	if !slices.Contains(strings.Fields(string(packages)), "time/tzdata") {
		t.Error("the program does not import time/tzdata")
	}
}

func TestPackageCommentIsInTheFileNamedAfterThePackage(t *testing.T) {
	_, packages := parsePackages(t)
	for _, p := range packages {
		want := path.Base(p.dir) + ".go"
		if p.dir == "." {
			want = "main.go"
		}
		if file := p.files[want]; file == nil || file.Doc == nil {
			t.Errorf("%s has no %s with a package comment", p.dir, want)
		}
		for name, file := range p.files {
			if file.Doc != nil && name != want {
				t.Errorf("%s/%s has a package comment: move it to %s", p.dir, name, want)
			}
		}
	}
}

// Settings are passed as values: a package variable is set where it is declared and
// never again, neither by the program nor by its tests.
func TestPackageVariablesAreNeverAssigned(t *testing.T) {
	positions, packages := parsePackages(t)
	for _, p := range packages {
		uses := resolve(positions, p).Uses
		check := func(target ast.Expr) {
			name := assignedName(target)
			if name == nil {
				return
			}
			variable, ok := uses[name].(*types.Var)
			if ok && variable.Pkg() != nil && variable.Parent() == variable.Pkg().Scope() {
				t.Errorf("%s: package variable %s is assigned", positions.Position(target.Pos()), name.Name)
			}
		}
		for _, file := range p.files {
			for node := range ast.Preorder(file) {
				switch node := node.(type) {
				case *ast.AssignStmt:
					for _, target := range node.Lhs {
						check(target)
					}
				case *ast.IncDecStmt:
					check(node.X)
				}
			}
		}
	}
}

// assignedName returns the variable that an assignment to target changes: v in v,
// v.field, v[key] and (*v).
func assignedName(target ast.Expr) *ast.Ident {
	for {
		switch e := target.(type) {
		case *ast.Ident:
			return e
		case *ast.SelectorExpr:
			target = e.X
		case *ast.IndexExpr:
			target = e.X
		case *ast.StarExpr:
			target = e.X
		case *ast.ParenExpr:
			target = e.X
		default:
			return nil
		}
	}
}

// resolve returns the objects that the identifiers of a package define and refer to, its tests
// included. It does not load imports, which takes time: variables of the package are
// resolved without them.
func resolve(positions *token.FileSet, p goPackage) types.Info {
	byName := map[string][]*ast.File{} // the package and its external tests
	for _, file := range p.files {
		byName[file.Name.Name] = append(byName[file.Name.Name], file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{
		Importer: noImports{},
		Error:    func(error) {}, // without imports there are many
	}
	for _, files := range byName {
		config.Check(p.dir, positions, files, &info) // its error is one of those
	}
	return info
}

type noImports struct{}

// Import implements types.Importer.
func (noImports) Import(string) (*types.Package, error) {
	return nil, errors.New("not loaded")
}

// A name that stands for a function in one place and for a value in another misleads readers. Tests
// have short names of their own.
func TestLocalNamesDoNotShadowFunctions(t *testing.T) {
	positions, packages := parsePackages(t)
	inTest := func(at token.Pos) bool { return isTest(positions.File(at).Name()) }
	for _, p := range packages {
		for id, object := range resolve(positions, p).Defs {
			if object == nil || object.Parent() == nil || object.Parent() == object.Pkg().Scope() || inTest(id.Pos()) {
				continue // it is not local
			}
			function, ok := object.Pkg().Scope().Lookup(id.Name).(*types.Func)
			if ok && !inTest(function.Pos()) {
				t.Errorf("%s: the local name %s is also the name of a function", positions.Position(id.Pos()), id.Name)
			}
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
