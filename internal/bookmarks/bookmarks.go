// Package bookmarks reads and writes links in the file formats of browsers and of other
// programs that keep links. It knows nothing about the store.
package bookmarks

import (
	"fmt"

	"waymark/internal/waymark"
)

// Bookmark is one link of a file. A field that the file does not have is zero. The text is
// valid UTF-8; whether it can be saved is for the importer to decide.
type Bookmark struct {
	// Line is where the bookmark begins: the line of a text file, or the number of the
	// record in a file that is not made of lines. It is counted from 1.
	Line int

	URL         string
	Title       string
	Description string
	Thumbnail   string // URL of an image

	// Folders are the paths of the folders, lists or collections that contain the
	// bookmark. The name of the outermost folder comes first.
	Folders [][]string
	Tags    []string
	Notes   []Note

	Visibility waymark.Visibility // 0 if the file does not say
	CreatedAt  waymark.Time
	UpdatedAt  waymark.Time
	Deleted    bool // in the trash of the other program
}

// Note is a text that a person wrote about a bookmark.
type Note struct {
	Text       string
	Visibility waymark.Visibility // 0 if the file does not say
	CreatedAt  waymark.Time
}

// RowError reports a part of a file that could not be read. The rest of the file can be.
type RowError struct {
	Line int // see Bookmark.Line
	Err  error
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *RowError) Unwrap() error { return e.Err }
