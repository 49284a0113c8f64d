package transfer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// ExportFormat is a format in which users can export their links.
type ExportFormat string

// The formats of exports.
const (
	ExportArchive  ExportFormat = "archive" // everything that the user has: see package archive
	ExportHTML     ExportFormat = "html"    // for browsers; without the trash
	ExportCSV      ExportFormat = "csv"
	ExportJSON     ExportFormat = "json"
	ExportMarked   ExportFormat = "markdown" // the marked passages
	ExportReadwise ExportFormat = "readwise" // the marked passages as CSV that Readwise imports
)

// exportFiles has, for each format, the extension and the media type of its files, and the format
// of package bookmarks.
var exportFiles = map[ExportFormat]struct {
	extension, mediaType string
	format               bookmarks.Format
}{
	ExportArchive:  {extension: ".ndjson", mediaType: "application/x-ndjson"},
	ExportHTML:     {".html", "text/html; charset=utf-8", bookmarks.FormatHTML},
	ExportCSV:      {".csv", "text/csv; charset=utf-8", bookmarks.FormatCSV},
	ExportJSON:     {".json", "application/json", bookmarks.FormatJSON},
	ExportMarked:   {extension: "-passages.md", mediaType: "text/markdown; charset=utf-8"},
	ExportReadwise: {extension: "-readwise.csv", mediaType: "text/csv; charset=utf-8"},
}

// ParseExportFormat parses the name of a format.
func ParseExportFormat(name string) (ExportFormat, error) {
	format := ExportFormat(name)
	if _, ok := exportFiles[format]; !ok {
		return "", fmt.Errorf("invalid format %q: use archive, html, csv, json, markdown or readwise", name)
	}
	return format, nil
}

// MediaType returns the value of the header Content-Type of a file in the format.
func (f ExportFormat) MediaType() string { return exportFiles[f].mediaType }

// FileName returns the name of a file in the format that was written on that day.
func (f ExportFormat) FileName(now waymark.Time) string {
	return "waymark-" + now.Time().Format(time.DateOnly) + exportFiles[f].extension
}

// Export writes a file with the data of a user to w, in chunks of at least 32 KiB. It reads from one
// snapshot while it writes, as store.Listing.Stream does. After an error the file is incomplete.
func (t *Transfer) Export(ctx context.Context, user waymark.User, format ExportFormat, w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 32<<10)
	err := t.store.ReadCollection(ctx, user.ID, func(c *store.Collection) error {
		switch format {
		case ExportArchive:
			return writeArchive(c, buffered)
		case ExportMarked:
			return writeMarkdown(c, buffered)
		case ExportReadwise:
			return writeReadwise(c, buffered)
		}
		return writeBookmarks(c, buffered, exportFiles[format].format)
	})
	if err != nil {
		return err
	}
	return buffered.Flush()
}

// writeBookmarks writes the links of a collection in a format that other programs read. In HTML
// they are in the folders of their lists, and without those in the trash. In JSON the lists precede them.
func writeBookmarks(c *store.Collection, w io.Writer, format bookmarks.Format) error {
	out, err := bookmarks.NewWriter(w, format)
	if err != nil {
		return err
	}
	if format != bookmarks.FormatHTML {
		paths, err := c.ListPaths()
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := writeFolder(out, path); err != nil {
				return err
			}
		}
		if err := writeLinks(out, c.Links(), pathsOfLists); err != nil {
			return err
		}
		return out.Close()
	}
	for list, err := range c.LinksByList() {
		if err != nil {
			return err
		}
		folders := [][]string{list.Path}
		if list.Path == nil {
			folders = nil
		} else if err := writeFolder(out, list.Path); err != nil {
			return err
		}
		if err := writeLinks(out, list.Links, func(*store.CollectedLink) [][]string { return folders }); err != nil {
			return err
		}
	}
	return out.Close()
}

func writeFolder(out bookmarks.Writer, path []string) error {
	return out.Write(bookmarks.Bookmark{Folders: [][]string{path}})
}

// maxNoteBytes limits the notes of one link in a file other than an archive: they are written with
// the link.
const maxNoteBytes = 16 << 20

// writeLinks writes links with their notes, in folders.
func writeLinks(out bookmarks.Writer, links iter.Seq2[store.LinkOrNote, error], folders func(*store.CollectedLink) [][]string) error {
	var bookmark *bookmarks.Bookmark
	noteBytes := 0
	flush := func() error {
		if bookmark == nil {
			return nil
		}
		return out.Write(*bookmark)
	}
	for row, err := range links {
		switch {
		case err != nil:
			return err
		case row.Link != nil:
			if err := flush(); err != nil {
				return err
			}
			bookmark, noteBytes = exportedBookmark(row.Link), 0
			bookmark.Folders = folders(row.Link)
		case row.Note.DeletedAt == 0:
			if noteBytes += len(row.Note.Text); noteBytes > maxNoteBytes {
				return fmt.Errorf("the notes of %s have more than %d bytes: use the format archive", bookmark.URL, maxNoteBytes)
			}
			bookmark.Notes = append(bookmark.Notes, bookmarks.Note{Text: row.Note.Text, Visibility: row.Note.Visibility, CreatedAt: row.Note.CreatedAt})
		}
	}
	return flush()
}

func exportedBookmark(l *store.CollectedLink) *bookmarks.Bookmark {
	b := &bookmarks.Bookmark{
		URL: l.URL, Title: l.Title, Description: l.Description, ImageURL: l.ImageURL,
		Visibility: l.Visibility, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, Deleted: l.DeletedAt != 0,
		Flags: waymark.FlagsInput{Unread: &l.Unread, Archived: &l.Archived, Favorite: &l.Favorite},
	}
	for _, tag := range l.Tags {
		b.Tags = append(b.Tags, tag.Name)
	}
	return b
}

// pathsOfLists returns the paths of the lists of a link, each once.
func pathsOfLists(l *store.CollectedLink) [][]string {
	paths := make([][]string, len(l.Lists))
	for i, list := range l.Lists {
		paths[i] = list.Names()
	}
	slices.SortFunc(paths, func(a, b []string) int { return slices.CompareFunc(a, b, waymark.CompareNames) })
	return slices.CompactFunc(paths, slices.Equal)
}
