package bookmarks

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Limits bound the memory that reading a file needs. A zero value means the default.
type Limits struct {
	// Value is the maximum length of one text of a file, such as a description, in bytes; 0
	// for 1 MiB.
	Value int
	// Bookmark is the maximum length of one bookmark with all its texts in bytes; 0 for 4 MiB.
	Bookmark int
	// Depth is the maximum number of folders inside each other; 0 for 100. Bookmarks in
	// deeper ones are read as if they were in the deepest that the limit allows.
	Depth int
	// Unpacked is the maximum length of a compressed file after unpacking, in bytes; 0 for
	// 1 GiB.
	Unpacked int64
	// Ratio is the maximum ratio of the lengths after and before unpacking, so that a small
	// file does not cost minutes; 0 for 200. It does not count for the first 16 MiB.
	Ratio int64
}

// withDefaults returns the limits without zero values.
func (l Limits) withDefaults() Limits {
	return Limits{
		Value:    cmp.Or(l.Value, 1<<20),
		Bookmark: cmp.Or(l.Bookmark, 4<<20),
		Depth:    cmp.Or(l.Depth, 100),
		Unpacked: cmp.Or(l.Unpacked, 1<<30),
		Ratio:    cmp.Or(l.Ratio, 200),
	}
}

// Format is a file format. Its text names it to people.
type Format string

// The formats that Open recognises.
const (
	FormatHTML    Format = "bookmarks HTML"
	FormatCSV     Format = "CSV"
	FormatOPML    Format = "OPML"
	FormatPlain   Format = "list of URLs"
	FormatJSON    Format = "JSON"            // Waymark's own, see NewWriter
	FormatArchive Format = "Waymark archive" // its text is read with Reader.Text
)

// Reader reads the bookmarks of one file.
type Reader struct {
	format Format
	in     input
}

// input is what the reader of a format gets.
type input struct {
	text   *bufio.Reader // UTF-8, from the beginning of the file, without a byte order mark
	limits Limits
	source *source

	hasInvalid func() bool // see toUTF8
}

// source is the reader that Open got. It counts the bytes that were read.
type source struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	return n, err
}

// Open recognises the format of a file by its first 64 KiB. A file that was compressed with
// gzip is unpacked. If the file is not one that can be read, the error is a *FormatError, which
// says what the file seems to be.
func Open(r io.Reader, limits Limits) (*Reader, error) {
	limits = limits.withDefaults()
	source := &source{r: r}
	text, hasInvalid, err := openText(source, limits)
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
	return &Reader{format, input{text, limits, source, hasInvalid}}, nil
}

// Position returns how much of the file was read, in bytes.
func (r *Reader) Position() int64 { return r.in.source.n }

// Format returns the format of the file.
func (r *Reader) Format() Format { return r.format }

// Text returns the text of the file from its beginning: unpacked and in UTF-8. It is for
// formats that other packages read. It must not be used together with All.
func (r *Reader) Text() io.Reader { return r.in.text }

// All reads the bookmarks, once, in the order of the file. A *RowError belongs to one part of
// the file, and reading goes on; any other error is the last value. A file can contain an
// URL several times, such as once in each folder.
func (r *Reader) All() iter.Seq2[Bookmark, error] {
	return func(yield func(Bookmark, error) bool) {
		err := r.read(func(b Bookmark, err error) error {
			// Firefox writes no visibility. A link of Waymark has one, and can have any scheme.
			if strings.HasPrefix(b.URL, "place:") && b.Visibility == 0 {
				b, err = Bookmark{}, savedSearch(b.Line, b.Title)
			}
			b.flagsFromTags()
			b.HasInvalid = r.in.hasInvalid() && b.contains("\ufffd")
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

// errStop ends reading because the consumer of All wants no more.
var errStop = errors.New("stop")

// yieldFunc passes a bookmark or a *RowError to the consumer of All. If it returns an error, the
// reader of the format stops and returns that error.
type yieldFunc func(Bookmark, error) error

func (r *Reader) read(yield yieldFunc) error {
	switch r.format {
	case FormatHTML:
		return readHTML(r.in, yield)
	case FormatCSV:
		return readTable(r.in, yield)
	case FormatJSON:
		return readJSON(r.in, yield)
	case FormatOPML:
		return readOPML(r.in, yield)
	case FormatPlain:
		return readPlain(r.in, yield)
	}
	return fmt.Errorf("a file of the format %s has no bookmarks", r.format)
}
