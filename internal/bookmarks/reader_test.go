package bookmarks_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/bookmarks"
	"waymark/internal/waymark"
)

var update = flag.Bool("update", false, "write the golden files of testdata")

// describe returns the bookmarks and errors of a file as text, one field a line.
func describe(r *bookmarks.Reader) string {
	var text strings.Builder
	fmt.Fprintf(&text, "format: %s\n", r.Format())
	for b, err := range r.All() {
		text.WriteString("\n")
		if rowErr := new(bookmarks.RowError); errors.As(err, &rowErr) {
			fmt.Fprintf(&text, "row error: %v\n", err)
			continue
		}
		if err != nil {
			fmt.Fprintf(&text, "error: %v\n", err)
			continue
		}
		field := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&text, "%s: %s\n", name, strings.ReplaceAll(value, "\n", "\n  "))
			}
		}
		visibility := func(v waymark.Visibility) string {
			if v == 0 {
				return ""
			}
			return v.String()
		}
		when := func(t waymark.Time) string {
			if t == 0 {
				return ""
			}
			return t.String()
		}
		if b.IsFolder() {
			fmt.Fprintf(&text, "line %d: the folder %s\n", b.Line, strings.Join(b.Folders[0], " / "))
			continue
		}
		fmt.Fprintf(&text, "line %d: %s\n", b.Line, b.URL)
		field("title", b.Title)
		field("description", b.Description)
		field("thumbnail", b.ImageURL)
		for _, path := range b.Folders {
			field("folder", strings.Join(path, " / "))
		}
		field("tags", strings.Join(b.Tags, ", "))
		for _, note := range b.Notes {
			field("passage", note.Quote)
			field("note", note.Text)
			field("note visibility", visibility(note.Visibility))
			field("note created", when(note.CreatedAt))
		}
		field("visibility", visibility(b.Visibility))
		field("created", when(b.CreatedAt))
		field("updated", when(b.UpdatedAt))
		for _, date := range b.BadDates {
			field("date that cannot be read", date)
		}
		for _, v := range b.Flags.Values() {
			if v.On {
				text.WriteString(v.Flag.String() + "\n")
			}
		}
		if b.Deleted {
			text.WriteString("deleted\n")
		}
	}
	return text.String()
}

// golden compares got with a golden file. go test ./internal/bookmarks -update writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		check(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	check(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (want -, got +): run go test ./internal/bookmarks -update and look at the diff\n%s", file, diff)
	}
}

// Each file of testdata/read has the shape of one program's export. Its golden file, with the
// ending .golden, shows what is read of it.
func TestFilesOfOtherProgramsAreRead(t *testing.T) {
	names, err := filepath.Glob("testdata/read/*")
	check(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, ".golden") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.Open(name)
			check(t, err)
			defer file.Close()
			r, err := bookmarks.Open(file, bookmarks.Limits{})
			check(t, err)
			golden(t, name+".golden", describe(r))
		})
	}
}
