package docs

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	markdowntext "github.com/yuin/goldmark/text"
)

// Page is a document as HTML.
type Page struct {
	Title    string        // the heading of the first level
	Summary  string        // the first paragraph, as text
	HTML     template.HTML // without the title
	Sections []Section
}

// Section is the text under one heading, for a search.
type Section struct {
	ID    string // of the heading, "" before the first one
	Level int    // of the heading, 1 before the first one
	Title string
	Text  string // with one space between words
}

// Parse makes HTML of a document. Headings have the ids that GitHub gives them. resolve returns the URL for the
// destination of a link or an image, or "" if the link is to become text; its errors are returned together.
// Documents are ours: HTML in them is left out, but nothing else protects a page from their contents.
func Parse(source []byte, resolve func(destination string) (string, error)) (Page, error) {
	markdown := goldmark.New(
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithExtensions(extension.Strikethrough, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
	)
	ids := parser.WithContext(parser.NewContext(parser.WithIDs(headingIDs{})))
	document := markdown.Parser().Parse(markdowntext.NewReader(source), ids)
	title, ok := document.FirstChild().(*ast.Heading)
	if !ok || title.Level != 1 {
		return Page{}, errors.New("the document does not begin with a title")
	}
	page := Page{Title: plain(title, source)}
	document.RemoveChild(document, title)
	if first := document.FirstChild(); first != nil && first.Kind() == ast.KindParagraph {
		page.Summary = plain(first, source)
	}
	page.Sections = sections(page.Title, document, source)
	if err := resolveLinks(document, resolve); err != nil {
		return Page{}, err
	}
	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, source, document); err != nil {
		return Page{}, err
	}
	text := strings.ReplaceAll(html.String(), "<th></th>", "<td></td>") // a heading without text confuses screen readers
	text = strings.ReplaceAll(text, "<table>", `<table tabindex="0">`)  // it scrolls on a phone: also with the arrow keys
	text = strings.ReplaceAll(text, "<pre>", `<pre tabindex="0">`)      // as above
	page.HTML = template.HTML(text)                                     //nolint:gosec // the text is ours, and goldmark leaves out its HTML
	return page, nil
}

// sections returns the texts of a document under its headings.
func sections(title string, document ast.Node, source []byte) []Section {
	all := []Section{{Level: 1, Title: title}}
	for block := document.FirstChild(); block != nil; block = block.NextSibling() {
		if heading, ok := block.(*ast.Heading); ok {
			id, _ := heading.AttributeString("id")
			all = append(all, Section{ID: fmt.Sprintf("%s", id), Level: heading.Level, Title: plain(heading, source)})
			continue
		}
		last := &all[len(all)-1]
		last.Text = strings.TrimSpace(last.Text + " " + plain(block, source))
	}
	return all
}

// resolveLinks changes the destinations of all links and images.
func resolveLinks(document ast.Node, resolve func(destination string) (string, error)) error {
	var problems []error
	var texts []ast.Node
	change := func(destination []byte) []byte {
		url, err := resolve(string(destination))
		problems = append(problems, err)
		return []byte(url)
	}
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch node := node.(type) {
		case *ast.Link:
			if entering {
				if node.Destination = change(node.Destination); len(node.Destination) == 0 {
					texts = append(texts, node)
				}
			}
		case *ast.Image:
			if entering {
				node.Destination = change(node.Destination)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, link := range texts {
		parent := link.Parent()
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			parent.InsertBefore(parent, link, child)
		}
		parent.RemoveChild(parent, link)
	}
	return errors.Join(problems...)
}

// plain returns the text of a node and of all nodes below it in one line.
func plain(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if node.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Text:
			b.Write(node.Value(source))
			if node.SoftLineBreak() || node.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(node.Value)
		case *ast.AutoLink:
			b.Write(node.Label(source))
		case *ast.CodeBlock:
			b.Write(node.Lines().Value(source))
		case *ast.FencedCodeBlock:
			b.Write(node.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// headingIDs makes the ids of headings as GitHub does, so that links work in both places.
type headingIDs map[string]bool

func (ids headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	base := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	id := base
	for n := 1; ids[id]; n++ {
		id = fmt.Sprint(base, "-", n)
	}
	ids[id] = true
	return []byte(id)
}

func (ids headingIDs) Put(value []byte) { ids[string(value)] = true }
