package bookmarks_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"waymark/internal/bookmarks"
	"waymark/internal/waymark"
)

var written = waymark.FromTime(time.Date(2023, 11, 14, 22, 13, 20, 123456000, time.UTC))

// samples are bookmarks with everything that files can contain.
var samples = []bookmarks.Bookmark{
	{URL: "https://example.com/", Title: "No folder", CreatedAt: written},
	{
		URL: "https://example.com/?a=1&b=\"2\"", Title: `<b>Soup</b> & "bread"`,
		Description: "First line\n\n  second line, with , and ; and \"quotes\"",
		Folders:     [][]string{{"Recipes & more"}}, Tags: []string{"food", "two words", "<tag>"},
		Notes: []bookmarks.Note{
			{Text: "A *note*", Visibility: waymark.Private, CreatedAt: written},
			{Text: "Another\nnote"},
		},
		Visibility: waymark.Private, CreatedAt: written, UpdatedAt: written.Add(time.Hour),
		ImageURL: "https://example.com/cover.png",
	},
	{
		URL: "https://example.com/nested", Title: "=HYPERLINK(\"http://evil.example\")", Description: "-1+1",
		Folders: [][]string{{"Recipes & more", "Soups"}}, Tags: []string{"@home"}, Visibility: waymark.Internal,
		Flags: waymark.FlagsInput{Unread: new(true), Archived: new(true), Favorite: new(true)},
	},
	{URL: "https://example.com/other", Title: "'=quoted", Folders: [][]string{{"Überall"}}, Tags: []string{"Starred"}, Flags: waymark.FlagsInput{Favorite: new(false)}, Visibility: waymark.Public},
}

// write returns the file with the samples.
func write(t *testing.T, format bookmarks.Format, samples ...bookmarks.Bookmark) string {
	t.Helper()
	var file bytes.Buffer
	w, err := bookmarks.NewWriter(&file, format)
	check(t, err)
	for _, b := range samples {
		check(t, w.Write(b))
	}
	check(t, w.Close())
	return file.String()
}

func TestFilesOfEachFormatAreWritten(t *testing.T) {
	for name, format := range map[string]bookmarks.Format{
		"html": bookmarks.FormatHTML,
		"csv":  bookmarks.FormatCSV,
		"json": bookmarks.FormatJSON,
	} {
		golden(t, "testdata/write/bookmarks."+name, write(t, format, samples...))
		golden(t, "testdata/write/empty."+name, write(t, format))
	}
}

func TestWritersReturnErrorsOfTheFile(t *testing.T) {
	for _, format := range []bookmarks.Format{bookmarks.FormatHTML, bookmarks.FormatCSV, bookmarks.FormatJSON} {
		full := errors.New("the disk is full")
		w, err := bookmarks.NewWriter(brokenWriter{full}, format)
		check(t, err)
		for range 1000 {
			if err = w.Write(samples[1]); err != nil {
				break
			}
		}
		if !errors.Is(err, full) {
			t.Errorf("%s: Write got %v, want %v", format, err, full)
		}
		if err := w.Close(); !errors.Is(err, full) {
			t.Errorf("%s: Close got %v, want %v", format, err, full)
		}
	}
}

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

func TestNotesWithSeparatorsStayWhole(t *testing.T) {
	for _, text := range []string{"a\n---\nb", "a\r\n---\rb", "\\---", "---"} {
		file := write(t, bookmarks.FormatCSV, bookmarks.Bookmark{URL: "https://example.com/", Notes: []bookmarks.Note{{Text: text}, {Text: "second"}}})
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
		if notes := read(strings.NewReader(file), bookmarks.Limits{}).last.Notes; len(notes) != 2 || notes[0].Text != want || notes[1].Text != "second" {
			t.Errorf("%q: got the notes %+v, want two", text, notes)
		}
	}
}
