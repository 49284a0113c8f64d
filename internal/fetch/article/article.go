// Package article extracts the readable text of a page, without menus, comments and advertisements,
// as HTML with few kinds of elements and as plain text. It makes no requests.
package article

import (
	"bufio"
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

// Article is the readable text of a page. All its fields are valid UTF-8.
type Article struct {
	Title     string // in one line, at most maxLine bytes; "" if the page has none
	Byline    string // the author, in the form of Title
	Language  string // a language tag such as "en" or "pt-BR"; "" if the page declares none
	Direction string // "ltr" or "rtl"; "" if the page does not say
	HTML      string // as Sanitize returns it, at most MaxHTML bytes
	Text      string // the same content as plain text
}

// ErrNoText means that a page is neither HTML nor plain text, or has no readable text.
var ErrNoText = errors.New("the page has no text to read")

// Limits of pages and articles.
const (
	maxPage   = 8 << 20 // bytes of a page; the rest is not read
	maxTokens = 60_000  // tags, texts and comments of an HTML page
	// maxSnapshotTokens is the maximum number of tags and texts in the HTML of an article. The
	// parser adds tags that the page does not have.
	maxSnapshotTokens = 5 * maxTokens
	maxLine           = 500 // bytes of a title or a byline
	// MaxHTML is the maximum size of the HTML of an article in bytes.
	MaxHTML = 2 << 20
)

// Read returns the article of the page at a URL. contentType is the header of the response.
// Errors wrap ErrNoText or page.ErrTooLarge, or are errors of reading from.
func Read(from io.Reader, contentType string, pageURL *url.URL) (Article, error) {
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
		return fromPlainText(content)
	}
	return readHTML(content, pageURL)
}

// fromPlainText returns a page of plain text as an article.
func fromPlainText(content []byte) (Article, error) {
	var a Article
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	if a.HTML, a.Text = Sanitize("<pre>\n" + html.EscapeString(text) + "</pre>"); a.Text == "" {
		return Article{}, ErrNoText
	}
	return a, nil
}

// readHTML returns the article of an HTML page.
func readHTML(content []byte, pageURL *url.URL) (a Article, err error) {
	// A page that causes a panic in a parser must not stop the server.
	defer func() {
		if failure := recover(); failure != nil {
			a, err = Article{}, fmt.Errorf("%w (%v)", ErrNoText, failure)
		}
	}()
	reader, err := page.ForParser(string(content), maxTokens)
	if err != nil {
		return a, page.ErrTooLarge
	}
	document, err := html.Parse(reader)
	if err != nil { // the elements are nested too deeply, or parsing takes too long
		return a, page.ErrTooLarge
	}
	if nesting(document) > maxNested {
		return a, page.ErrTooLarge
	}
	base, whole := pageURL, ""
	for node := range document.Descendants() {
		switch {
		case node.Type != html.ElementNode:
		case node.DataAtom == atom.Base && base == pageURL:
			if u, err := pageURL.Parse(strings.TrimSpace(attribute(node, "href"))); err == nil && attribute(node, "href") != "" {
				base = u
			}
		case node.DataAtom == atom.Title && node.FirstChild != nil && whole == "":
			whole = line(node.FirstChild.Data)
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
	// The parser removes the name of the site, and takes a hyphen or slash in a word for its end.
	if removed, ok := strings.CutSuffix(whole, a.Title); ok && removed != "" && !strings.HasSuffix(removed, " ") {
		a.Title = whole
	}
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

// maxNested is the maximum of nesting. The extraction of such a page takes about 2 seconds.
const maxNested = 50_000_000

// nesting estimates how long the extraction takes, which reads the text of every element. Each node adds
// its depth, multiplied by its length and a constant.
func nesting(document *html.Node) int {
	const perNode = 20 // the time for a node is about that for so many bytes
	sum, depth := 0, 0
	for node := document.FirstChild; node != nil && sum <= maxNested; {
		sum += depth * perNode
		if node.Type == html.TextNode {
			sum += depth * len(node.Data)
		}
		if node.FirstChild != nil {
			node, depth = node.FirstChild, depth+1
			continue
		}
		for node != nil && node.NextSibling == nil {
			node, depth = node.Parent, depth-1
		}
		if node != nil {
			node = node.NextSibling
		}
	}
	return sum
}

// attribute returns the value of an attribute, "" if the node does not have it.
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

// language returns s without white space around it, or "" if that is not a language tag.
func language(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 2 || len(s) > waymark.MaxLanguage || strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return ""
	}
	return s
}
