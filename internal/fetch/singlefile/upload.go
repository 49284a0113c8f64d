package singlefile

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"waymark/internal/fetch/page"
)

// Upload is a page that a browser has saved as one file. Nearly all of such a file are the data URLs of
// images and fonts. Upload moves their data out of the HTML, so that cleaning the HTML needs little memory.
type Upload struct {
	// HTML is the page in UTF-8, not cleaned, with only the beginnings of images and fonts.
	HTML    string
	parts   Parts
	moved   []movedData
	written int64        // to parts
	secret  []byte       // begins each mark. The page cannot contain it
	zip     *zippedFiles // nil for a page that is one file
}

// Parts keeps the data of images and fonts.
type Parts interface {
	io.Writer
	io.ReaderAt
}

// movedData is a part of Parts.
type movedData struct{ offset, length int64 }

const (
	// MaxUploadHTML is the maximum size of Upload.HTML in bytes. Cleaning needs about ten times as much memory.
	MaxUploadHTML = 8 << 20
	// headSize is the number of base64 digits that stay in the HTML. It is a multiple of 4, so the mark after
	// them is decoded and encoded with them. They are enough to recognise an image or font.
	headSize = 8 << 10
	// headBytes is the number of bytes that headSize digits encode.
	headBytes = headSize / 4 * 3
	// markBytes is the number of random bytes before the number in a mark. A multiple of 3 has no padding.
	markBytes = 18
	// markSize is the number of base64 digits of a mark with its number.
	markSize = (markBytes + 6) / 3 * 4
)

// ReadUpload reads a page that a browser has saved. contentType is what the browser says it is. The page needs
// parts until it is cleaned. Errors wrap ErrNoPage or ErrTooLarge, or are errors of from and parts.
func ReadUpload(from io.Reader, contentType string, parts Parts) (*Upload, error) {
	beginning := bufio.NewReaderSize(from, page.SniffBytes)
	sniffed, err := beginning.Peek(page.SniffBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	declared, _, _ := mime.ParseMediaType(contentType)
	kind := http.DetectContentType(sniffed)
	if len(sniffed) == 0 || !strings.HasPrefix(kind, "text/html") && (!strings.HasPrefix(kind, "text/") || declared != "text/html" && declared != "application/xhtml+xml") {
		return nil, ErrNoPage
	}
	u := &Upload{parts: parts, secret: make([]byte, markBytes)}
	rand.Read(u.secret)
	reader := uploadReader{Upload: u, from: bufio.NewReaderSize(page.UTF8(beginning, ""), 64<<10)}
	err = reader.read()
	u.HTML = string(reader.html)
	return u, err
}

// uploadReader reads a page, and moves the data of images and fonts to parts.
type uploadReader struct {
	*Upload
	from *bufio.Reader
	html []byte
}

func (u *uploadReader) read() error {
	for {
		text, err := u.from.ReadSlice(',')
		u.html = append(u.html, text...)
		switch {
		case len(u.html) > MaxUploadHTML:
			return ErrTooLarge
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case bytes.HasSuffix(u.html, []byte(";base64,")):
			if err := u.data(); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
	}
}

// data reads the data of a data URL. It keeps the beginning in the HTML, and moves the rest, unless that is
// a text: style sheets and SVG images have to be cleaned.
func (u *uploadReader) data() error {
	start := len(u.html)
	for len(u.html)-start < headSize {
		b, err := u.from.ReadByte()
		if err != nil {
			return err
		}
		if !isBase64(b) {
			return u.from.UnreadByte()
		}
		u.html = append(u.html, b)
	}
	head, err := base64.StdEncoding.DecodeString(string(u.html[start:]))
	if err != nil || strings.HasPrefix(http.DetectContentType(head), "text/") {
		return nil //nolint:nilerr // it is not a resource, and stays as it is
	}
	moved := movedData{offset: u.written}
	for {
		if _, err := u.from.Peek(1); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		buffered, _ := u.from.Peek(u.from.Buffered()) // never fails
		n := 0
		for n < len(buffered) && isBase64(buffered[n]) {
			n++
		}
		if _, err := u.parts.Write(buffered[:n]); err != nil {
			return err
		}
		u.from.Discard(n) //nolint:errcheck // they are buffered
		if moved.length += int64(n); n == 0 || n < len(buffered) {
			break
		}
	}
	if moved.length == 0 {
		return nil
	}
	u.html = base64.StdEncoding.AppendEncode(u.html, u.addMoved(moved))
	return nil
}

// addMoved adds data that was written to parts. It returns the mark that stands for it after its head.
func (u *Upload) addMoved(moved movedData) (mark []byte) {
	mark = binary.BigEndian.AppendUint64(bytes.Clone(u.secret), uint64(len(u.moved))<<16)[:markBytes+6]
	u.moved, u.written = append(u.moved, moved), u.written+moved.length
	return mark
}

// isBase64 reports whether b is a digit of base64, or its padding.
func isBase64(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '+' || b == '/' || b == '='
}

// Clean writes the page as Clean returns it, with the images and fonts complete. Errors are those of Clean,
// and of writing.
func (u *Upload) Clean(to io.Writer) error {
	cleaned, err := cleanFile(u.HTML, 2*MaxUploadHTML, u.zip)
	if err == nil && u.zip != nil {
		err = u.zip.err
	}
	if err != nil {
		return err
	}
	mark := base64.StdEncoding.EncodeToString(u.secret) // before the number of an element of moved
	for {
		before, rest, found := strings.Cut(cleaned, mark)
		if !found || len(rest) < markSize-len(mark) {
			_, err := io.WriteString(to, cleaned)
			return err
		}
		number, after := rest[:markSize-len(mark)], rest[markSize-len(mark):]
		if _, err := io.WriteString(to, before); err != nil {
			return err
		}
		if moved, ok := u.movedAfter(before, number); ok {
			if _, err := io.Copy(to, io.NewSectionReader(u.parts, moved.offset, moved.length)); err != nil {
				return err
			}
		}
		cleaned = after
	}
}

// movedAfter returns the data with an encoded number, if the text before its mark ends with the beginning of
// an image or font. Other data was not cleaned. It has no other characters than digits of base64.
func (u *Upload) movedAfter(before, number string) (movedData, bool) {
	if len(before) < headSize {
		return movedData{}, false
	}
	start := before[:len(before)-headSize]
	for _, kind := range resourceTypes {
		if !strings.HasSuffix(start, "data:"+kind+";base64,") {
			continue
		}
		decoded, err := base64.StdEncoding.DecodeString(number)
		if err != nil {
			return movedData{}, false
		}
		n := binary.BigEndian.Uint64(append([]byte{0, 0}, decoded...))
		if n >= uint64(len(u.moved)) {
			return movedData{}, false
		}
		return u.moved[n], true
	}
	return movedData{}, false
}
