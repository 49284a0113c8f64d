package bookmarks

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sniffSize is how much of a file decides its format, in bytes.
const sniffSize = 64 << 10

// openText returns the text of a file, unpacked and converted by toUTF8.
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

// peek returns the first bytes of a file without consuming them.
func peek(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(sniffSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return head, nil
}

// toUTF8 converts a file to UTF-8. It returns its text, and the function that decodes each part of
// the text, such as a title. A file that declares no character set, or a Western one, is usually
// UTF-8. Such a file is not converted as a whole: decode keeps each part that is valid UTF-8.
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
	// Programs of .NET declare UTF-16 in files that they then write as UTF-8.
	if encoding == nil || strings.HasPrefix(name, "utf-16") {
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

// decodeWestern returns text, which is UTF-8 or Windows-1252. In a text in Windows-1252 the characters
// that HTML references name, such as &#8211;, are in UTF-8.
func decodeWestern(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	decoded := make([]byte, 0, len(text)+len(text)/2)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			r = charmap.Windows1252.DecodeByte(text[0])
		}
		decoded, text = utf8.AppendRune(decoded, r), text[size:]
	}
	return string(decoded)
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
	if (b.n-freeUnpacked)/b.limits.Ratio > b.packed.n {
		return 0, fmt.Errorf("the unpacked file is more than %d times longer than the compressed one", b.limits.Ratio)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.limits.Unpacked-b.n+1)])
	b.n += int64(n)
	switch {
	case b.n > b.limits.Unpacked:
		return 0, fmt.Errorf("the unpacked file is longer than %d bytes", b.limits.Unpacked)
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
