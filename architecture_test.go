package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// layers are the packages below internal, and the layer of each. A package imports only
// lower layers; packages on one layer do not import each other.
var layers = map[string]int{
	"waymark":   1,
	"config":    1,
	"auth":      2,
	"httpx":     2,
	"bookmarks": 2,
	"fetch":     2,
	"database":  2,
	"store":     3,
	"service":   4,
	"linkace":   5,
	"web":       5,
	"server":    6,
	"cli":       7,
}

// What helps the tests of every room, and nothing but tests.
var forTests = map[string]bool{
	"store/storetest": true,
}

const rooms = "waymark/internal/"

// goPackage is one folder with Go files.
type goPackage struct {
	folder string // "internal/store/storetest", "." for the root
	files  map[string]*ast.File
}

// inside is the folder below internal: "store/storetest".
func (p goPackage) inside() string { return strings.TrimPrefix(p.folder, "internal/") }

// room is the room that the folder belongs to, or "" for the root.
func (p goPackage) room() string {
	if p.folder == "." {
		return ""
	}
	room, _, _ := strings.Cut(p.inside(), "/")
	return room
}

// parsed are the files of the whole house, package by package.
func parsed(t *testing.T) (*token.FileSet, []goPackage) {
	t.Helper()
	positions := token.NewFileSet()
	byFolder := map[string]goPackage{}
	var inOrder []goPackage
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			hidden := strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_")
			if err == nil || hidden || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(positions, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(name))
		if _, known := byFolder[folder]; !known {
			byFolder[folder] = goPackage{folder: folder, files: map[string]*ast.File{}}
			inOrder = append(inOrder, byFolder[folder])
		}
		byFolder[folder].files[filepath.Base(name)] = file
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return positions, inOrder
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

func imports(t *testing.T, file *ast.File) []string {
	t.Helper()
	var all []string
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	return all
}

func TestRoomsImportOnlyLowerFloors(t *testing.T) {
	_, packages := parsed(t)
	for _, p := range packages {
		if p.room() == "" {
			continue
		}
		layer, planned := layers[p.room()]
		if !planned || !strings.HasPrefix(p.folder, "internal/") {
			t.Errorf("%s is not in the plan of the house", p.folder)
			continue
		}
		for name, file := range p.files {
			for _, imported := range imports(t, file) {
				inside, ours := strings.CutPrefix(imported, rooms)
				if !ours || forTests[inside] && (isTest(name) || forTests[p.inside()]) {
					continue
				}
				if forTests[inside] {
					t.Errorf("%s/%s imports %s, which is for tests", p.folder, name, imported)
				}
				room, _, _ := strings.Cut(inside, "/")
				if room != p.room() && layers[room] >= layer {
					t.Errorf("%s/%s, on layer %d, imports %s, on layer %d", p.folder, name, layer, imported, layers[room])
				}
			}
		}
	}
}

func TestMainOnlyHandsOverToCLI(t *testing.T) {
	_, packages := parsed(t)
	for _, p := range packages {
		if p.room() != "" {
			continue
		}
		for name, file := range p.files {
			if isTest(name) {
				continue
			}
			if name != "main.go" {
				t.Errorf("%s stands in the root, where only main.go does", name)
			}
			for _, imported := range imports(t, file) {
				if strings.HasPrefix(imported, rooms) && imported != rooms+"cli" {
					t.Errorf("%s imports %s", name, imported)
				}
			}
		}
	}
}

func TestPackageCommentStandsInTheFileThatBearsItsName(t *testing.T) {
	_, packages := parsed(t)
	for _, p := range packages {
		want := path.Base(p.folder) + ".go"
		if p.folder == "." {
			want = "main.go"
		}
		if file := p.files[want]; file == nil || file.Doc == nil {
			t.Errorf("%s has no %s with a package comment", p.folder, want)
		}
		for name, file := range p.files {
			if file.Doc != nil && name != want {
				t.Errorf("%s/%s has a package comment: it belongs in %s", p.folder, name, want)
			}
		}
	}
}

// Settings travel as values, so a package variable is set where it is declared,
// and never again.
func TestNoPackageVariableChanges(t *testing.T) {
	positions, packages := parsed(t)
	for _, p := range packages {
		uses := resolved(positions, p)
		changed := func(target ast.Expr) {
			name := changedName(target)
			if name == nil {
				return
			}
			variable, ok := uses[name].(*types.Var)
			if ok && variable.Pkg() != nil && variable.Parent() == variable.Pkg().Scope() {
				t.Errorf("%s: package variable %s changes", positions.Position(target.Pos()), name.Name)
			}
		}
		for _, file := range p.files {
			for node := range ast.Preorder(file) {
				switch node := node.(type) {
				case *ast.AssignStmt:
					for _, target := range node.Lhs {
						changed(target)
					}
				case *ast.IncDecStmt:
					changed(node.X)
				}
			}
		}
	}
}

// changedName is the variable that an assignment to target changes: t in t,
// t.field, t[key] and (*t).
func changedName(target ast.Expr) *ast.Ident {
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

// resolved tells what the names in a package stand for. What it imports is not
// loaded, which takes time: its own variables are known all the same.
func resolved(positions *token.FileSet, p goPackage) map[*ast.Ident]types.Object {
	var files []*ast.File
	for name, file := range p.files {
		if !isTest(name) {
			files = append(files, file)
		}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{
		Importer: noImports{},
		Error:    func(error) {},
	}
	config.Check(p.folder, positions, files, &info) // without imports it cannot but complain
	return info.Uses
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) {
	return nil, errors.New("not loaded")
}
