package bookmarks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// Reader reads the bookmarks of one file.
type Reader struct {
	format Format
	in     input
}

// Open recognises the format of a file by its first 64 KiB. A file that was compressed with
// gzip is unpacked. If the file is not one that can be read, the error is a *FormatError, which
// says what the file seems to be.
func Open(r io.Reader, limits Limits) (*Reader, error) {
	limits = limits.withDefaults()
	source := &source{r: r}
	text, err := openText(source, limits)
	if err != nil {
		return nil, err
	}
	head, err := peek(text)
	if err != nil {
		return nil, err
	}
	format, err := recognise(head)
	if err != nil {
		return nil, err
	}
	return &Reader{format, input{text, limits, source}}, nil
}

// Position returns how much of the file was read, in bytes.
func (r *Reader) Position() int64 { return r.in.source.n }

// Format returns the format of the file.
func (r *Reader) Format() Format { return r.format }

// Text returns the text of the file from its beginning: unpacked and in UTF-8. It is for
// formats that other packages read. It must not be used together with All.
func (r *Reader) Text() io.Reader { return r.in.text }

// separatorURL is the URL of separators of Vivaldi.
const separatorURL = "http://bookmark.placeholder.url/"

// All reads the bookmarks, once, in the order of the file. A *RowError belongs to one part of
// the file, and reading goes on; any other error is the last value. A file can contain an
// URL several times, such as once in each folder.
func (r *Reader) All() iter.Seq2[Bookmark, error] {
	return func(yield func(Bookmark, error) bool) {
		err := r.read(func(b Bookmark, err error) error {
			if b.URL == separatorURL {
				return nil
			}
			// Firefox writes no visibility. A link of Waymark has one, and can have any scheme.
			if strings.HasPrefix(b.URL, "place:") && b.Visibility == 0 {
				reason := fmt.Errorf("%.200q is a saved search of Firefox, not the URL of a page", b.Title)
				b, err = Bookmark{}, &RowError{Line: b.Line, Err: reason, Problem: waymark.Problem{Field: waymark.FieldURL, Rule: waymark.RuleFormat}}
			}
			if size := b.size(); size > r.in.limits.Bookmark {
				what := fmt.Sprintf("the bookmark %.200q", cmp.Or(b.Title, b.URL))
				b, err = Bookmark{}, rowTooLong(b.Line, r.in.limits.Bookmark, what)
			}
			b.flagsFromTags()
			b.HasInvalid = slices.ContainsFunc(b.texts(), func(text string) bool { return strings.Contains(text, "\ufffd") })
			if !yield(b, err) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Bookmark{}, err)
		}
	}
}

func (r *Reader) read(yield yieldFunc) error {
	switch r.format {
	case FormatHTML:
		return readHTML(r.in, yield)
	case FormatCSV:
		return readTable(r.in, yield)
	case FormatJSON:
		return readJSON(r.in, yield)
	case FormatOPML, FormatXML:
		return readXML(r.in, yield)
	case FormatPlain:
		return readPlain(r.in, yield)
	}
	return fmt.Errorf("a file of the format %s has no bookmarks", r.format)
}
