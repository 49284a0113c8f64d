package transfer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"

	"waymark/internal/fetch/article"
	"waymark/internal/fetch/page"
	"waymark/internal/httpx"
	"waymark/internal/store/snapshots"
	"waymark/internal/waymark"
)

var (
	// ErrNoPage means that a file is no HTML page.
	ErrNoPage = errors.New("the file is not an HTML page")
	// ErrZippedPage means that a file has one of the compressed formats of SingleFile.
	ErrZippedPage = errors.New("the file is a page in a ZIP file: choose the file format HTML in the options of SingleFile")
)

// Page is the page of a link as a browser has saved it, on the disk. The caller must call Close.
type Page struct {
	waymark.UploadedPage
	contentType string // text/html, with the character set if that is not UTF-8
	packed      snapshots.Packed
	file        *os.File
}

// Close deletes the page.
func (p *Page) Close() error { return discard(p.file) }

// packPage reads a page that a browser has saved, and packs it as pack does. It returns the page without its images
// and fonts, for its text. Errors are those of ReadPage.
func (t *Transfer) packPage(file io.Reader, contentType string) ([]byte, *Page, error) {
	content, err := decompressed(file)
	if err != nil {
		return nil, nil, err
	}
	beginning, err := content.Peek(page.SniffBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, compressionError(err)
	}
	declared, _, _ := mime.ParseMediaType(contentType)
	kind := http.DetectContentType(beginning)
	switch {
	case bytes.HasPrefix(beginning, zipHeader):
		return nil, nil, ErrZippedPage
	case len(beginning) == 0, !strings.HasPrefix(kind, "text/html") && (!strings.HasPrefix(kind, "text/") || declared != "text/html" && declared != "application/xhtml+xml"):
		return nil, nil, ErrNoPage
	}
	var html pageText
	packed, packedFile, err := t.pack(io.TeeReader(content, &html))
	if err != nil {
		return nil, nil, compressionError(err)
	}
	if bytes.Contains(html.text, zipHeader) { // it unpacks itself with a script
		return nil, nil, errors.Join(ErrZippedPage, discard(packedFile))
	}
	p := &Page{contentType: "text/html", packed: packed, file: packedFile}
	if charset := page.Charset(html.text, ""); charset != "utf-8" {
		p.contentType += "; charset=" + charset
	}
	return html.text, p, nil
}

// zipHeader begins each file in a ZIP file. HTML has none of its control characters.
var zipHeader = []byte("PK\x03\x04")

// decompressed returns the content of a file, which can be compressed with gzip.
func decompressed(file io.Reader) (*bufio.Reader, error) {
	content := bufio.NewReaderSize(file, page.SniffBytes)
	if begin, _ := content.Peek(2); !bytes.Equal(begin, []byte{0x1f, 0x8b}) {
		return content, nil
	}
	r, err := gzip.NewReader(content)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoPage, err)
	}
	return bufio.NewReaderSize(httpx.LimitReader(r, waymark.MaxUpload), page.SniffBytes), nil
}

// compressionError returns the error of a damaged gzip file as ErrNoPage.
func compressionError(err error) error {
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w (%w)", ErrNoPage, err)
	}
	return err
}

// maxPageText is how much of a page is read for its text, in bytes, without the data of images and fonts.
const maxPageText = 3 << 20

// pageText keeps the HTML that is written to it without the base64 of data URLs, which are nearly all of a page with
// photos.
type pageText struct {
	text   []byte
	inData bool
}

func (t *pageText) Write(p []byte) (int, error) {
	for _, b := range p {
		if len(t.text) == maxPageText {
			break
		}
		if t.inData = t.inData && isBase64(b); t.inData {
			continue
		}
		t.text = append(t.text, b)
		t.inData = b == ',' && bytes.HasSuffix(t.text, []byte(";base64,"))
	}
	return len(p), nil
}

// isBase64 reports whether b is a digit of base64, or its padding.
func isBase64(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '+' || b == '/' || b == '='
}

func readUploadedPage(html []byte, contentType, rawURL string) waymark.UploadedPage {
	at, err := url.Parse(rawURL)
	if err != nil {
		at = &url.URL{}
	}
	var p waymark.UploadedPage
	if found, err := page.Read(bytes.NewReader(html), contentType, at); err == nil {
		p.Texts = waymark.PageTexts{Title: found.Title, Description: found.Description, Image: found.Image}
	}
	if text, err := article.Read(bytes.NewReader(html), contentType, at); err == nil {
		p.Text = waymark.TextSnapshot{URL: rawURL, Title: text.Title, Byline: text.Byline, Language: text.Language, Direction: text.Direction}
		p.TextHTML = text.HTML
	}
	return p
}

// pageName is the name of the file of a page that a browser has saved.
const pageName = "page.html"
