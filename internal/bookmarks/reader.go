package bookmarks

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
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

// WithDefaults returns the limits without zero values.
func (l Limits) WithDefaults() Limits {
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
	FormatPlain   Format = "list of addresses"
	FormatJSON    Format = "JSON"            // Waymark's own, see NewWriter
	FormatArchive Format = "Waymark archive" // its text is read with Reader.Text
)

// Reader reads the bookmarks of one file.
type Reader struct {
	format Format
	text   *bufio.Reader // UTF-8, from the beginning of the file, without a byte order mark
	in     input
}

// input is what the reader of a format gets.
type input struct {
	text   *bufio.Reader
	decode func([]byte) string // turns a text of the file into valid UTF-8
	limits Limits
	source *source
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

// sniffSize is how much of a file decides its format, in bytes.
const sniffSize = 64 << 10

// Open recognises the format of a file by its first 64 KiB. A file that was compressed with
// gzip is unpacked. The error says what the file seems to be: it is
// a *FormatError if the file is not one that can be read.
//
// Some files have to be read twice. If r is an io.Seeker, All reads it twice, otherwise it
// copies the text to a temporary file.
func Open(r io.Reader, limits Limits) (*Reader, error) {
	limits = limits.WithDefaults()
	source := newSource(r)
	text, decode, err := openText(source, limits)
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
	return &Reader{format, text, input{text, decode, limits, source}}, nil
}

// openText returns the text of a file, unpacked and in UTF-8 as far as toUTF8 can tell.
func openText(packed *source, limits Limits) (text *bufio.Reader, decode func([]byte) string, err error) {
	file := bufio.NewReaderSize(packed, sniffSize)
	head, err := peek(file)
	if err != nil {
		return nil, nil, err
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			return nil, nil, fmt.Errorf("unpack with gzip: %w", err)
		}
		file = bufio.NewReaderSize(&unpackedReader{r: unpacked, packed: packed, limits: limits}, sniffSize)
		if head, err = peek(file); err != nil {
			return nil, nil, err
		}
	}
	if err := binaryError(head); err != nil {
		return nil, nil, err
	}
	text, decode = toUTF8(file, head)
	if head, err = peek(text); err != nil {
		return nil, nil, err
	}
	if bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 {
		text = bufio.NewReaderSize(&macReader{text}, sniffSize)
	}
	return text, decode, nil
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
	// Where a file can be removed while it is open, it goes even if the process is killed.
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

// peek returns the first bytes of a file without consuming them.
func peek(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(sniffSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return head, nil
}

// Position returns how much of the file was read, in bytes. Some files are read twice: it
// begins again at 0 then.
func (r *Reader) Position() int64 { return r.in.source.n }

// Format returns the format of the file.
func (r *Reader) Format() Format { return r.format }

// Text returns the text of the file from its beginning: unpacked and in UTF-8. It is for
// formats that other packages read. It must not be used together with All.
func (r *Reader) Text() io.Reader { return r.text }

// All reads the bookmarks, once, in the order of the file. A *RowError belongs to one part of
// the file, and reading goes on; any other error is the last value. A file can contain an
// address several times, such as once in each folder.
func (r *Reader) All() iter.Seq2[Bookmark, error] {
	return func(yield func(Bookmark, error) bool) {
		err := r.read(func(b Bookmark, err error) error {
			if strings.HasPrefix(b.URL, "place:") {
				b, err = Bookmark{}, &RowError{Line: b.Line, Err: fmt.Errorf("%.200q is a saved search of Firefox, not the address of a page", b.Title)}
			}
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

// yieldFunc passes a bookmark or a *RowError to the consumer of All. The reader of a format
// returns its error at once.
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

// binaryError returns an error for files that people have but that Open cannot read.
func binaryError(head []byte) error {
	for _, kind := range []struct {
		magic string
		kind  FileKind
		text  string
	}{
		{"PK\x03\x04", KindZIP, "the file is a ZIP archive: unpack it and import the files in it"},
		{"mozLz40\x00", KindFirefox, "the file is a compressed backup of Firefox (jsonlz4): in the library of Firefox, " +
			"restore it and make a new file with Import and Backup, Backup… (JSON) or Export Bookmarks to HTML…"},
		{"SQLite format 3\x00", KindBinary, "the file is an SQLite database: export the bookmarks as a file in the program that wrote it"},
		{"bplist0", KindBinary, "the file is a property list of macOS: in Safari, use File, Export, Bookmarks"},
		{"\x1f\x8b", KindGzip, "the file was compressed with gzip twice: unpack it and import the file in it"},
		{"%PDF-", KindBinary, "the file is a PDF document: export the bookmarks as HTML, CSV or JSON"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) {
			return &FormatError{kind.kind, kind.text}
		}
	}
	return nil
}

// toUTF8 returns the text of a file in UTF-8, except for the bytes that decode converts.
// Those are left because a file that does not say its character set, or says a Western one,
// is UTF-8 more often than not: what is valid UTF-8 is taken as such, text by text.
func toUTF8(file *bufio.Reader, head []byte) (text *bufio.Reader, decode func([]byte) string) {
	convert := func(t transform.Transformer) *bufio.Reader {
		return bufio.NewReaderSize(transform.NewReader(file, t), sniffSize)
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = file.Discard(3) // they are in the buffer
		return file, replaceInvalid
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return convert(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()), replaceInvalid
	case len(head) > 3 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return convert(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()), replaceInvalid
	case len(head) > 3 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return convert(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()), replaceInvalid
	case !bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")):
		return file, decodeWestern
	}
	encoding, name := charset.Lookup(xmlEncoding(head))
	if encoding == nil {
		encoding, name, _ = charset.DetermineEncoding(head, "")
	}
	switch name {
	case "utf-8":
		return file, replaceInvalid
	case "windows-1252", "replacement":
		return file, decodeWestern
	default:
		return convert(encoding.NewDecoder()), replaceInvalid
	}
}

// xmlEncoding returns the character set in the first line of an XML file, or "".
func xmlEncoding(head []byte) string {
	declaration, _, _ := bytes.Cut(head, []byte("?>"))
	_, value, found := bytes.Cut(declaration, []byte("encoding="))
	if !found || !bytes.HasPrefix(head, []byte("<?xml")) || len(value) < 2 {
		return ""
	}
	name, _, _ := bytes.Cut(value[1:], value[:1]) // between quotes
	return string(name)
}

// replaceInvalid returns text with U+FFFD in place of what is not UTF-8.
func replaceInvalid(text []byte) string { return strings.ToValidUTF8(string(text), "\ufffd") }

// decodeWestern returns text, which is UTF-8 or else Windows-1252.
func decodeWestern(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil {
		return replaceInvalid(text)
	}
	return string(decoded)
}

// recognise returns the format of a text that begins with head.
func recognise(head []byte) (Format, error) {
	start := bytes.TrimLeft(head, " \t\r\n\x00")
	lower := bytes.ToLower(start)
	switch {
	case len(head) == 0:
		return "", &FormatError{KindEmpty, "the file is empty"}
	case len(start) == 0 && len(head) < sniffSize:
		return "", &FormatError{KindEmpty, "the file has only white space"}
	case len(start) == 0:
		return "", &FormatError{KindUnknown, fmt.Sprintf("the first %d bytes of the file are only white space", len(head))}
	case hasFormat(start, "waymark-archive"):
		return FormatArchive, nil
	case isJSON(start):
		return FormatJSON, nil
	case start[0] == '<' && containsAny(lower, "<opml"):
		return FormatOPML, nil
	case start[0] == '<' && containsAny(lower, "<!doctype netscape", "<dl", "<a "):
		return FormatHTML, nil
	case parseCSVHeader(head).readable:
		return FormatCSV, nil
	case start[0] != '<' && containsAny(lower, "http://", "https://") && !containsAny(lower, "\x00", `"http`): // not JSON
		return FormatPlain, nil
	}
	return "", &FormatError{KindUnknown, fmt.Sprintf("unknown format: the file begins with %q: use HTML, CSV, JSON, OPML or a list of addresses",
		replaceInvalid(start[:min(len(start), 40)]))}
}

// isJSON reports whether a text begins with a JSON object or an array of objects. A text can
// begin with a Markdown link, which has brackets.
func isJSON(text []byte) bool {
	inside := text[1:]
	next := firstByte(inside)
	return text[0] == '{' && (next == '"' || next == '}') || text[0] == '[' && (next == '{' || next == ']')
}

func containsAny(text []byte, parts ...string) bool {
	for _, part := range parts {
		if bytes.Contains(text, []byte(part)) {
			return true
		}
	}
	return false
}

// freeUnpacked is the number of bytes for which Limits.Ratio does not count.
const freeUnpacked = 16 << 20

// unpackedReader returns an error if the unpacked file is too long.
type unpackedReader struct {
	r      *gzip.Reader
	packed *source
	limits Limits
	n      int64
}

// Read implements io.Reader.
func (b *unpackedReader) Read(p []byte) (int, error) {
	if b.n >= b.limits.Unpacked {
		return 0, fmt.Errorf("the unpacked file is longer than %d bytes", b.limits.Unpacked)
	}
	if (b.n-freeUnpacked)/b.limits.Ratio > b.packed.n {
		return 0, fmt.Errorf("the unpacked file is more than %d times longer than the compressed one", b.limits.Ratio)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.limits.Unpacked-b.n)])
	b.n += int64(n)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the compressed file ends early: it seems to be truncated")
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("unpack with gzip: %w", err)
	}
	return n, err
}

// macReader replaces the line breaks of CSV that Excel writes for old Macs.
type macReader struct{ r io.Reader }

// Read implements io.Reader.
func (m *macReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
