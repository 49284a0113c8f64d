// Package epub writes e-books in the format EPUB 3.2 (https://www.w3.org/TR/epub-32/) from texts of web pages. Equal
// contents are equal bytes.
package epub

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// MediaType is the media type of e-books.
const MediaType = "application/epub+zip"

// Book is what is said of a whole book. Texts can be empty, except for ID.
type Book struct {
	ID       string // an identifier that no other content has, such as a URL with a time
	Title    string
	Author   string
	Source   string // the URL of the page
	Language string // a language tag, as pages declare it
	// Modified is also the time of all files in the book.
	Modified time.Time
	Contents string // the title of the table of contents
}

// Chapter is a text of a book.
type Chapter struct {
	Title     string
	About     string // a line below the title: author, site, date
	URL       string // of the page
	Language  string // a language tag, as pages declare it
	Direction string // "ltr", "rtl", or "" if the page does not say
	HTML      string // as article.Sanitize returns it
	// Pictures are the names of pictures, as AddPicture has returned them, by their alternative text.
	Pictures map[string]string
}

// Writer writes a book while its chapters are read. It keeps their titles in memory.
type Writer struct {
	zip      *zip.Writer
	book     Book
	chapters []Chapter // without HTML
	pictures int
}

// NewWriter begins a book.
func NewWriter(to io.Writer, book Book) (*Writer, error) {
	for _, s := range []*string{&book.ID, &book.Title, &book.Author, &book.Source, &book.Contents} {
		*s = printable(*s)
	}
	book.Title = cmp.Or(strings.TrimSpace(book.Title), book.Source, book.ID)
	book.Modified = book.Modified.UTC().Truncate(2 * time.Second) // a ZIP file cannot say it more exactly
	w := &Writer{zip: zip.NewWriter(to), book: book}
	// The type of the file stands at a fixed place (https://www.w3.org/TR/epub-32/#sec-zip-container-mime).
	f, err := w.zip.CreateRaw(&zip.FileHeader{Name: "mimetype", CRC32: 0x2cab616f, CompressedSize64: 20, UncompressedSize64: 20})
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(f, MediaType); err != nil {
		return nil, err
	}
	return w, w.file("META-INF/container.xml", `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">`+
		`<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`)
}

// file writes a file of XML. It returns an error, and writes nothing, if that is not well-formed.
func (w *Writer) file(name, content string) error {
	d := xml.NewDecoder(strings.NewReader(content))
	for {
		_, err := d.RawToken()
		if err == io.EOF { //nolint:errorlint // RawToken returns it as it is
			break
		}
		if err != nil {
			return fmt.Errorf("%s is no XML: %w", name, err)
		}
	}
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.Modified = w.book.Modified
	f, err := w.zip.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, xml.Header+content)
	return err
}

// Add writes a chapter with the text of a page.
func (w *Writer) Add(c Chapter) error {
	body := xhtml(c.HTML, c.Pictures)
	c.HTML, c.Pictures = "", nil
	about := escape(printable(c.About))
	if href := address(c.URL); href != "" {
		about += `<br/><a href="` + escape(href) + `">` + escape(printable(c.URL)) + "</a>"
	}
	return w.add(c, "<p><small>"+about+"</small></p>\n"+body)
}

// add writes a chapter with a body below its title.
func (w *Writer) add(c Chapter, body string) error {
	c.Title = cmp.Or(strings.TrimSpace(printable(c.Title)), printable(c.URL), w.book.Title)
	w.chapters = append(w.chapters, c)
	return w.file(chapterName(len(w.chapters)), document(c.Title, tag(c.Language), c.Direction, "<h1>"+escape(c.Title)+"</h1>\n"+body))
}

func chapterName(n int) string { return fmt.Sprintf("chapter-%d.xhtml", n) }

// AddPicture writes a JPEG. It returns the name for chapters.
func (w *Writer) AddPicture(jpeg []byte) (name string, err error) {
	w.pictures++
	name = fmt.Sprintf("picture-%d.jpg", w.pictures)
	h := &zip.FileHeader{Name: name}
	h.Modified = w.book.Modified
	f, err := w.zip.CreateHeader(h)
	if err != nil {
		return "", err
	}
	_, err = f.Write(jpeg)
	return name, err
}

// Link is a link in a chapter that has only links.
type Link struct{ Title, URL string }

// AddLinks writes a chapter with links.
func (w *Writer) AddLinks(title string, links []Link) error {
	var items strings.Builder
	for _, link := range links {
		text := escape(printable(cmp.Or(link.Title, link.URL)))
		if href := address(link.URL); href != "" {
			text = `<a href="` + escape(href) + `">` + text + `</a>`
		}
		items.WriteString("<li>" + text + "</li>\n")
	}
	return w.add(Chapter{Title: title, Language: w.book.Language}, "<ul>"+items.String()+"</ul>")
}

// Close writes what stands at the end of a book: its table of contents and its description. A book has at least a chapter.
func (w *Writer) Close() error {
	var contents, manifest, spine strings.Builder
	for i, c := range w.chapters {
		name := chapterName(i + 1)
		fmt.Fprintf(&contents, `<li><a href="%s">%s</a></li>`, name, escape(c.Title))
		fmt.Fprintf(&manifest, `<item id="c%d" href="%s" media-type="application/xhtml+xml"/>`, i+1, name)
		fmt.Fprintf(&spine, `<itemref idref="c%d"/>`, i+1)
	}
	for i := range w.pictures {
		fmt.Fprintf(&manifest, `<item id="p%d" href="picture-%d.jpg" media-type="image/jpeg"/>`, i+1, i+1)
	}
	heading := cmp.Or(w.book.Contents, w.book.Title)
	err := w.file("contents.xhtml", document(heading, tag(w.book.Language), "",
		`<nav epub:type="toc"><h1>`+escape(heading)+`</h1><ol>`+contents.String()+`</ol></nav>`))
	if err != nil {
		return err
	}
	var about bytes.Buffer
	property := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&about, "<dc:%s>%s</dc:%s>", name, escape(value), name)
		}
	}
	property("title", w.book.Title)
	property("creator", w.book.Author)
	property("source", w.book.Source)
	property("language", cmp.Or(tag(w.book.Language), language.Und.String()))
	direction := "ltr"
	if len(w.chapters) == 1 && w.chapters[0].Direction == "rtl" {
		direction = "rtl"
	}
	err = w.file("book.opf", `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">`+
		`<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">`+escape(w.book.ID)+`</dc:identifier>`+about.String()+
		`<meta property="dcterms:modified">`+w.book.Modified.Format(time.RFC3339)+`</meta></metadata>`+
		`<manifest><item id="contents" href="contents.xhtml" media-type="application/xhtml+xml" properties="nav"/>`+manifest.String()+`</manifest>`+
		`<spine page-progression-direction="`+direction+`">`+spine.String()+`</spine></package>`)
	if err != nil {
		return err
	}
	return w.zip.Close()
}

// document returns a file of the book.
func document(title, lang, direction, body string) string {
	attributes := ""
	if lang != "" {
		attributes = fmt.Sprintf(` lang="%s" xml:lang="%s"`, lang, lang)
	}
	if direction == "ltr" || direction == "rtl" {
		attributes += ` dir="` + direction + `"`
	}
	return `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"` + attributes + `><head><title>` + escape(title) +
		"</title></head><body>\n" + body + "\n</body></html>"
}

// tag returns a language tag in its usual form, "" if it is none.
func tag(s string) string {
	t, err := language.Parse(s)
	if err != nil || t == language.Und {
		return ""
	}
	return t.String()
}

// printable returns s without the characters that XML does not allow (https://www.w3.org/TR/xml/#charsets).
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\ufffe' || r == '\uffff' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// escape returns a text for XML.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")
