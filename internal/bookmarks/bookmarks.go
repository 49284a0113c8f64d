// Package bookmarks reads and writes links in the file formats of browsers and of other
// programs that keep links. It knows nothing about the store.
package bookmarks

import (
	"errors"
	"fmt"
	"strings"

	"waymark/internal/waymark"
)

// Bookmark is one link of a file. A field that the file does not have is zero. The text is
// valid UTF-8; whether it can be saved is for the importer to decide. One without a URL is no link, but a folder that can
// be empty: it has only a Line and Folders.
type Bookmark struct {
	// Line is where the bookmark begins: the number of the line, or of the record in a file
	// without lines. The first is 1.
	Line int

	URL         string
	Title       string
	Description string
	ImageURL    string // URL of an image

	// Folders are the paths of the folders, lists or collections that contain the
	// bookmark. The name of the outermost folder comes first.
	Folders [][]string
	// Ordered means that folders are in the file in the order that people have given them.
	Ordered bool
	Tags    []string
	Notes   []Note

	Visibility waymark.Visibility // 0 if the file does not say
	Flags      waymark.FlagsInput // nil if the file does not say
	CreatedAt  waymark.Time
	UpdatedAt  waymark.Time
	Deleted    bool // in the trash of the other program

	// BadDates are dates of the bookmark that cannot be read, each at most 100 characters.
	BadDates []string
	// HasInvalid means that a text contains U+FFFD, which replaces bytes that are not in the file's character set.
	HasInvalid bool
}

// IsFolder reports whether this is a folder and no link.
func (b *Bookmark) IsFolder() bool { return b.URL == "" }

// texts returns the texts of the bookmark.
func (b *Bookmark) texts() []string {
	texts := append([]string{b.URL, b.Title, b.Description}, b.Tags...)
	for _, path := range b.Folders {
		texts = append(texts, path...)
	}
	for _, note := range b.Notes {
		texts = append(texts, note.Quote, note.Text)
	}
	return texts
}

// size returns the length of its texts in bytes.
func (b *Bookmark) size() (n int) {
	for _, text := range b.texts() {
		n += len(text)
	}
	return n
}

// date returns the time that a text of the bookmark stands for, or zero.
func (b *Bookmark) date(text string) waymark.Time {
	t := parseTime(text)
	if t == 0 && !isNoTime(text) {
		b.BadDates = append(b.BadDates, fmt.Sprintf("%.100s", cleanLine(text)))
	}
	return t
}

// Note is a text that a person wrote about a bookmark, or marked in its page and perhaps commented.
type Note struct {
	Quote      string // what was marked
	Text       string
	Visibility waymark.Visibility // 0 if the file does not say
	CreatedAt  waymark.Time
}

// Markdown returns the text, after what was marked as a quotation.
func (n Note) Markdown() string {
	if n.Quote == "" {
		return n.Text
	}
	return strings.TrimSpace("> " + strings.ReplaceAll(n.Quote, "\n", "\n> ") + "\n\n" + n.Text)
}

// FormatError means that Open cannot read a file.
type FormatError struct {
	Kind FileKind
	text string // says what the file seems to be
}

func (e *FormatError) Error() string { return e.text }

// FileKind is the kind of a file that cannot be read.
type FileKind string

// The kinds of files of a FormatError.
const (
	KindUnknown FileKind = "unknown"
	KindEmpty   FileKind = "empty"
	KindZIP     FileKind = "ZIP archive"
	KindFirefox FileKind = "compressed backup of Firefox"
	KindBinary  FileKind = "binary file" // of another program, such as a database
)

// RowError reports a part of a file that could not be read. Reading continues after it.
type RowError struct {
	Line int // see Bookmark.Line
	Err  error
	// Problem is the rule that the part breaks, from which interfaces translate Err.
	Problem waymark.Problem
	// Saved says that no bookmark is lost, only a folder, an attribute or a column.
	Saved bool
}

// noURL returns an error for a bookmark without a URL.
func noURL(line int, format, text string) *RowError {
	return &RowError{Line: line, Err: fmt.Errorf(format, text), Problem: waymark.Problem{Field: waymark.FieldURL, Rule: waymark.RuleRequired}}
}

// noEnd returns the error for a part of a file that does not end: the rest of the file cannot be
// read.
func noEnd(line int, text string) *RowError {
	return &RowError{Line: line, Err: errors.New(text), Problem: waymark.Problem{Field: waymark.FieldRow, Rule: waymark.RuleRequired}}
}

// tooManyCells returns the error of a row with more cells than the header, which has limit cells.
func tooManyCells(line, cells, limit int) *RowError {
	err := fmt.Errorf("the row has %d cells and the header has %d: a cell with a separator seems to lack quotes", cells, limit)
	return &RowError{Line: line, Err: err, Problem: waymark.Problem{Field: waymark.FieldRow, Rule: waymark.RuleMaxCount, Limit: limit}}
}

// rowTooLong returns an error for a part of a file with more bytes than a limit.
func rowTooLong(line, limit int, what string) *RowError {
	err := fmt.Errorf("%s is longer than %d bytes", what, limit)
	return &RowError{Line: line, Err: err, Problem: waymark.Problem{Field: waymark.FieldRow, Rule: waymark.RuleMaxBytes, Limit: limit}}
}

// unusedColumns returns a report of columns or keys of the file that were not used.
func unusedColumns(line int, names []string) *RowError {
	err := fmt.Errorf("not used: %s", strings.Join(names, ", "))
	return &RowError{Line: line, Err: err, Problem: waymark.Problem{Field: waymark.FieldColumn, Rule: waymark.RuleExists}, Saved: true}
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *RowError) Unwrap() error { return e.Err }
