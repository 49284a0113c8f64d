// Package article extracts the readable text of a page, without menus, comments and advertisements,
// as HTML with few kinds of elements and as plain text. It makes no requests.
package article

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"waymark/internal/fetch/page"
	"waymark/internal/waymark"
)

// Article is the readable text of a page. Its texts are valid UTF-8.
type Article struct {
	Title     string // in one line, at most maxLine bytes; "" if the page has none
	Byline    string // who has written it, as Title
	Language  string // a language tag such as "en" or "pt-BR"; "" if the page declares none
	Direction string // "ltr" or "rtl"; "" if the page does not say
	HTML      string // as Sanitize returns it, at most MaxHTML bytes
	Text      string // the same as plain text
}

// ErrNoText means that a page has no text to read: it is not HTML or plain text, or has none.
var ErrNoText = errors.New("the page has no text to read")

// ErrTooLarge means that a page has too many elements, or that they are nested too deeply.
var ErrTooLarge = errors.New("the page has too many elements")

// Limits of a page.
const (
	maxPage     = 8 << 20 // bytes; what follows is not read
	maxElements = 30_000  // of the page, also counting its texts
	maxLine     = 500     // bytes of a title or a byline
	// MaxHTML is the maximum size of the HTML of an article in bytes.
	MaxHTML = 2 << 20
)

// Read reads the page at an address. contentType is the header of the response. Errors are
// ErrNoText, ErrTooLarge, or errors of reading from.
func Read(from io.Reader, contentType string, address *url.URL) (Article, error) {
	reader := bufio.NewReaderSize(io.LimitReader(from, maxPage), page.SniffBytes)
	beginning, err := reader.Peek(page.SniffBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return Article{}, err
	}
	kind := page.MediaType(contentType, beginning)
	if kind != "text/html" && kind != "text/plain" {
		return Article{}, ErrNoText
	}
	content, err := io.ReadAll(page.UTF8(reader, contentType))
	if err != nil {
		return Article{}, err
	}
	if kind == "text/plain" {
		return plain(content)
	}
	return readHTML(content, address)
}

// plain returns a page of plain text.
func plain(content []byte) (Article, error) {
	var a Article
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	if a.HTML, a.Text = Sanitize("<pre>\n" + html.EscapeString(text) + "</pre>"); a.Text == "" {
		return Article{}, ErrNoText
	}
	return a, nil
}

// readHTML returns the article of an HTML page.
func readHTML(content []byte, address *url.URL) (a Article, err error) {
	// The page is untrusted, and the parser is third-party code. A panic in it must not stop the
	// server.
	defer func() {
		if failure := recover(); failure != nil {
			a, err = Article{}, fmt.Errorf("%w (%v)", ErrNoText, failure)
		}
	}()
	if err := checkSize(content); err != nil {
		return a, err
	}
	document, err := html.Parse(bytes.NewReader(content))
	if err != nil { // nested too deeply: content has no other errors
		return a, ErrTooLarge
	}
	base := address
	for node := range document.Descendants() {
		switch {
		case node.Type != html.ElementNode:
		case node.DataAtom == atom.Base && base == address:
			if u, err := address.Parse(strings.TrimSpace(attribute(node, "href"))); err == nil && attribute(node, "href") != "" {
				base = u
			}
		case node.DataAtom == atom.Html || node.DataAtom == atom.Body:
			if direction := strings.ToLower(attribute(node, "dir")); direction == "ltr" || direction == "rtl" {
				a.Direction = direction
			}
		}
	}
	parser := readability.NewParser()
	found, err := parser.ParseAndMutate(document, base)
	if err != nil || found.Node == nil {
		return Article{}, ErrNoText
	}
	a.Title, a.Byline = line(found.Title()), line(found.Byline())
	a.Language = language(found.Language())
	var cleaned strings.Builder
	if err := html.Render(&cleaned, found.Node); err != nil {
		return Article{}, ErrNoText
	}
	if a.HTML, a.Text = Sanitize(cleaned.String()); a.Text == "" {
		return Article{}, ErrNoText
	}
	return a, nil
}

// checkSize returns ErrTooLarge if a page has too many elements and texts. They are counted before
// the page is parsed, which takes a hundred times their size in memory.
func checkSize(content []byte) error {
	z := html.NewTokenizer(bytes.NewReader(content))
	for n := 0; z.Next() != html.ErrorToken; n++ {
		if n > 2*maxElements { // an element has two tags
			return ErrTooLarge
		}
	}
	return nil
}

// attribute returns the value of an attribute, "" if node does not have it.
func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

// line returns s in one line of at most maxLine bytes.
func line(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if len(s) <= maxLine {
		return s
	}
	return strings.TrimSpace(strings.ToValidUTF8(s[:maxLine], ""))
}

// language returns a language tag, or "" if s is not one.
func language(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 2 || len(s) > waymark.MaxLanguage || strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return ""
	}
	return s
}
