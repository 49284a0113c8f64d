package bookmarks

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"waymark/internal/charset"
)

// openText returns the text of a file, unpacked and converted by toUTF8.
func openText(packed *source, limits Limits) (*bufio.Reader, error) {
	file := bufio.NewReaderSize(packed, sniffSize)
	head, err := peek(file)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			return nil, fmt.Errorf("unpack with gzip: %w", err)
		}
		file = bufio.NewReaderSize(&unpackedReader{r: unpacked, packed: packed, limits: limits}, sniffSize)
		if head, err = peek(file); err != nil {
			return nil, err
		}
	}
	if err := binaryError(head); err != nil {
		return nil, err
	}
	text := bufio.NewReaderSize(toUTF8(file, head), sniffSize)
	if head, err = peek(text); bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 {
		text = bufio.NewReaderSize(returnReader{text}, sniffSize)
	}
	return text, err
}

// returnReader reads a text whose lines end with a carriage return, as Excel for macOS writes it, with line feeds instead.
type returnReader struct{ r io.Reader }

func (r returnReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	copy(p, bytes.ReplaceAll(p[:n], []byte("\r"), []byte("\n")))
	return n, err
}

// toUTF8 converts a file to UTF-8. If it declares no character set, guessReader finds it. A file that
// declares a Western one is usually UTF-8. U+FFFD replaces bytes that are not in the character set.
func toUTF8(file *bufio.Reader, head []byte) io.Reader {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = file.Discard(3) // they are in the buffer
		return transform.NewReader(file, &utf8Decoder{})
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(file)
	case len(head) > 3 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Reader(file)
	case len(head) > 3 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Reader(file)
	case !bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")):
		return &guessReader{file: file}
	}
	label := ""
	if match := xmlEncoding.FindSubmatch(head); match != nil {
		label = string(match[1])
	}
	encoding, name := htmlcharset.Lookup(label)
	declared := encoding != nil
	// Programs of .NET declare UTF-16 in files that they then write as UTF-8.
	if encoding == nil || strings.HasPrefix(name, "utf-16") {
		encoding, name, _ = htmlcharset.DetermineEncoding(head, "")
		declared = declared || bytes.Contains(bytes.ToLower(head[:min(len(head), 1024)]), []byte("charset")) // in a <meta>
	}
	switch {
	case name == "utf-8":
		return transform.NewReader(file, &utf8Decoder{})
	case name != "windows-1252" && name != "replacement":
		return encoding.NewDecoder().Reader(file)
	case !declared:
		return &guessReader{file: file}
	default:
		return transform.NewReader(file, &utf8Decoder{western: true})
	}
}

// guessReader converts a file that does not declare its character set to UTF-8. It guesses the set
// from 64 KiB, which begin at the first byte that is not ASCII. ESC counts as such a byte, because
// ISO-2022-JP uses it. Windows-1252 and UTF-8 can be mixed.
type guessReader struct {
	file *bufio.Reader // with a buffer of sniffSize
	text io.Reader     // nil until the character set is known
}

func (g *guessReader) Read(p []byte) (int, error) {
	if g.text != nil {
		return g.text.Read(p)
	}
	next, err := g.file.Peek(sniffSize)
	if len(next) == 0 {
		return 0, err
	}
	if ascii := bytes.IndexFunc(next, func(r rune) bool { return r >= utf8.RuneSelf || r == 0x1b }); ascii != 0 {
		if ascii < 0 {
			ascii = len(next)
		}
		return g.file.Read(p[:min(len(p), ascii)])
	}
	var decoder transform.Transformer = &utf8Decoder{western: true}
	if e := charset.Guess(next); e != unicode.UTF8 && e != charmap.Windows1252 {
		decoder = e.NewDecoder()
	}
	g.text = transform.NewReader(g.file, decoder)
	return g.text.Read(p)
}

// xmlEncoding finds the character set in the first line of an XML file.
var xmlEncoding = regexp.MustCompile(`^<\?xml[^>]*\sencoding=["']([^"'>]*)`)

// utf8Decoder decodes UTF-8.
type utf8Decoder struct {
	transform.NopResetter
	western bool // bytes that are not UTF-8 are Windows-1252; otherwise they become U+FFFD
}

func (d *utf8Decoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, size := utf8.DecodeRune(src[nSrc:])
		if r == utf8.RuneError && size == 1 {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			if d.western {
				r = charmap.Windows1252.DecodeByte(src[nSrc])
			}
		}
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc += size
	}
	return nDst, nSrc, nil
}

// A small file does not cost minutes: after freeUnpacked bytes, an unpacked file can be maxRatio times as long as the
// compressed one.
const (
	freeUnpacked = 16 << 20
	maxRatio     = 200
)

// unpackedReader returns an error if the unpacked file is too long.
type unpackedReader struct {
	r      *gzip.Reader
	packed *source
	limits Limits
	n      int64
}

func (b *unpackedReader) Read(p []byte) (int, error) {
	if (b.n-freeUnpacked)/maxRatio > b.packed.n {
		return 0, fmt.Errorf("the unpacked file is more than %d times longer than the compressed one", maxRatio)
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
