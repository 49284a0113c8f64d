package bookmarks

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
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
	r      io.Reader
	n      int64
	seeker io.Seeker // nil for pipes, although an os.File has the method
	start  int64     // of the file, if there is a seeker
}

func newSource(r io.Reader) *source {
	s := &source{r: r}
	if seeker, ok := r.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			s.seeker, s.start = seeker, start
		}
	}
	return s
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	return n, err
}

// rewind begins again at the start of the file.
func (s *source) rewind() error {
	s.n = 0
	_, err := s.seeker.Seek(s.start, io.SeekStart)
	return err
}

// Open recognises the format of a file by its first 64 KiB. A file that was compressed with
// gzip is unpacked. If the file is not one that can be read, the error is a *FormatError, which
// says what the file seems to be.
//
// Some files have to be read twice. If r is an io.Seeker, All reads it twice, otherwise it
// copies the text to a temporary file.
func Open(r io.Reader, limits Limits) (*Reader, error) {
	limits = limits.withDefaults()
	source := newSource(r)
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

// secondReading opens the text of a file a second time.
type secondReading struct {
	open  func() (*bufio.Reader, error)
	close func()
}

// readTwice prepares reading the text of the file twice.
func (in *input) readTwice() (secondReading, error) {
	if in.source.seeker != nil {
		return secondReading{
			open: func() (*bufio.Reader, error) {
				if err := in.source.rewind(); err != nil {
					return nil, err
				}
				text, _, err := openText(in.source, in.limits)
				return text, err
			},
			close: func() {},
		}, nil
	}
	file, err := os.CreateTemp("", "waymark-bookmarks-")
	if err != nil {
		return secondReading{}, err
	}
	// If the system can remove an open file, none is left even if the process is killed.
	_ = os.Remove(file.Name())
	closeFile := func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	if _, err := io.Copy(file, in.text); err != nil {
		closeFile()
		return secondReading{}, fmt.Errorf("copy the file to %s: %w", file.Name(), err)
	}
	rewind := func() (*bufio.Reader, error) {
		_, err := file.Seek(0, io.SeekStart)
		return bufio.NewReaderSize(file, sniffSize), err
	}
	if in.text, err = rewind(); err != nil {
		closeFile()
		return secondReading{}, err
	}
	return secondReading{rewind, closeFile}, nil
}

// Position returns how much of the file was read, in bytes. Some files are read twice: it
// begins again at 0 then.
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
		return readCSV(r.in, yield)
	case FormatJSON:
		return readJSON(r.in, yield)
	case FormatOPML:
		return readOPML(r.in, yield)
	case FormatPlain:
		return readPlain(r.in, yield)
	}
	return fmt.Errorf("a file of the format %s has no bookmarks", r.format)
}
