package main

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// largePackage is the number of lines from which on the files of a package form no circle.
const largePackage = 2000

// circular are the large packages whose files form circles: types that have each other as fields or arguments, such as a
// link and its page, or a site and its requests, would have to stand in one file.
var circular = []string{"internal/waymark", "internal/web/page", "internal/web/settings"}

// The files of a large package depend on each other in one direction, so that a reader can start
// at the bottom.
func TestFilesOfLargePackagesFormNoCircle(t *testing.T) {
	positions, packages := parsePackages(t)
	checked := 0
	for _, p := range packages {
		if lineCount(positions, p) < largePackage || testHelpers[p.path()] {
			continue
		}
		checked++
		uses := fileUses(positions, p)
		if len(uses) < 2 {
			t.Errorf("%s: the uses of only %d files were found", p.dir, len(uses))
		}
		circle := circleIn(uses)
		if slices.Contains(circular, p.dir) {
			if circle == nil {
				t.Errorf("%s has no circle of files any more: delete it from the list", p.dir)
			}
			continue
		}
		if circle != nil {
			t.Errorf("%s has a circle of files: %s", p.dir, strings.Join(circle, " -> "))
		}
	}
	if checked == 0 {
		t.Error("no package is large")
	}
}

// fileUses returns for each file of a package, without its tests, the files whose declarations it
// uses.
func fileUses(positions *token.FileSet, p goPackage) map[string][]string {
	uses := map[string][]string{}
	for id, object := range resolve(positions, p).Uses {
		if !object.Pos().IsValid() {
			continue
		}
		from, to := filepath.Base(positions.File(id.Pos()).Name()), filepath.Base(positions.File(object.Pos()).Name())
		if from != to && !isTest(from) && !isTest(to) && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// circleIn returns the names of files that use each other in a circle, or nil.
func circleIn(uses map[string][]string) []string {
	done := map[string]bool{}
	var visit func(file string, path []string) []string
	visit = func(file string, path []string) []string {
		if i := slices.Index(path, file); i >= 0 {
			return append(path[i:], file)
		}
		if done[file] {
			return nil
		}
		done[file] = true
		for _, used := range uses[file] {
			if circle := visit(used, append(slices.Clone(path), file)); circle != nil {
				return circle
			}
		}
		return nil
	}
	for file := range uses {
		if circle := visit(file, nil); circle != nil {
			return circle
		}
	}
	return nil
}
