package bookmarks

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
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
}

// withDefaults returns the limits without zero values.
func (l Limits) withDefaults() Limits {
	return Limits{
		Value:    cmp.Or(l.Value, 1<<20),
		Bookmark: cmp.Or(l.Bookmark, 4<<20),
		Depth:    cmp.Or(l.Depth, 100),
		Unpacked: cmp.Or(l.Unpacked, 1<<30),
	}
}

// input is what the reader of a format gets.
type input struct {
	text   *bufio.Reader // UTF-8, from the beginning of the file, without a byte order mark
	limits Limits
	source *source
}

// source is the reader that Open got. It counts the bytes that were read.
type source struct {
	r io.Reader
	n int64
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	return n, err
}

// Format is a file format. Its text names it to people.
type Format string

// The formats that Open recognises.
const (
	FormatHTML    Format = "bookmarks HTML"
	FormatCSV     Format = "CSV"
	FormatOPML    Format = "OPML"
	FormatXML     Format = "XML" // XBEL, RSS, Atom, and that of Pinboard and Evernote
	FormatPlain   Format = "list of URLs"
	FormatJSON    Format = "JSON"            // Waymark's own, see NewWriter
	FormatArchive Format = "Waymark archive" // its text is read with Reader.Text
)

// sniffSize is how much of a file decides its format, in bytes.
const sniffSize = 64 << 10

// peek returns the first bytes of a file without consuming them.
func peek(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(sniffSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return head, nil
}

// errStop ends reading because the consumer of All wants no more.
var errStop = errors.New("stop")

// yieldFunc passes a bookmark or a *RowError to the consumer of All. If it returns an error, the
// reader of the format stops and returns that error.
type yieldFunc func(Bookmark, error) error
