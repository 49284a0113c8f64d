package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	markdowntext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"waymark/internal/waymark"
)

// Markdown returns the Markdown of a description or a note as HTML. HTML in it is text. It
// links only to URLs that pages may contain, and has no images: a page must not tell
// another site who reads it. All headings have the same level, which fits the page.
//
// A text that would take long is returned as it was entered.
func Markdown(source string, headingLevel int) template.HTML {
	if len(source) > maxMarkdown || nesting(source) > maxNesting || marks(source) > maxMarks {
		return BuiltHTML("plain-text", source)
	}
	var b strings.Builder
	if err := newMarkdown(headingLevel).Convert([]byte(source), &b); err != nil {
		return BuiltHTML("plain-text", source)
	}
	return template.HTML(b.String()) //nolint:gosec // goldmark escapes everything that it does not create
}

// newMarkdown returns what parses and renders Markdown. The alignment of cells would need the attribute style.
func newMarkdown(headingLevel int) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(markdownParser(headingLevel)),
		goldmark.WithRendererOptions(html.WithHardWraps()), // people mean the lines that they type
		goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
	)
}

// plainParser parses what PlainText converts.
var plainParser = newMarkdown(1).Parser()

// maxPlainText is how much of a Markdown text PlainText converts, in bytes: rows show less.
const maxPlainText = 1000

// PlainText returns the beginning of a Markdown text in one line, without markup, for rows. It is long enough
// for them. The numbers of list items are kept, because a sentence can begin with a year.
func PlainText(source string) string {
	if len(source) > maxPlainText {
		source = strings.ToValidUTF8(source[:maxPlainText], "")
	}
	if nesting(source) > maxNesting {
		return strings.Join(strings.Fields(source), " ")
	}
	text := []byte(source)
	var b strings.Builder
	_ = ast.Walk(plainParser.Parse(markdowntext.NewReader(text)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			b.WriteString(textOf(node, text))
		} else if node.Type() == ast.TypeBlock {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

func textOf(node ast.Node, source []byte) string {
	switch node := node.(type) {
	case *ast.Text:
		value := node.Value(source)
		if !node.IsRaw() {
			value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		}
		if node.SoftLineBreak() || node.HardLineBreak() {
			return string(value) + " "
		}
		return string(value)
	case *ast.String:
		return string(node.Value)
	case *ast.AutoLink:
		return string(node.Label(source))
	case *ast.CodeBlock:
		return string(node.Lines().Value(source))
	case *ast.FencedCodeBlock:
		return string(node.Lines().Value(source))
	case *ast.ListItem:
		list, ok := node.Parent().(*ast.List)
		if !ok || !list.IsOrdered() {
			return ""
		}
		number := list.Start
		for before := node.PreviousSibling(); before != nil; before = before.PreviousSibling() {
			number++
		}
		return fmt.Sprintf("%d%c ", number, list.Marker)
	}
	return ""
}

// The limits of a text whose Markdown is rendered. The time that it takes grows with the square
// of the number of marks.
const (
	maxMarkdown = 20_000 // bytes
	maxNesting  = 50     // marks at the beginning of a line, which open blocks in each other
	maxMarks    = 1000   // marks within lines
)

// marks returns the number of characters that can begin a link, emphasis or code.
func marks(source string) int {
	n := 0
	for i := range len(source) {
		if strings.IndexByte("[<*_~`", source[i]) >= 0 {
			n++
		}
	}
	return n
}

// nesting returns the largest number of characters at the beginning of a line that open
// blocks in each other: quotes and list items.
func nesting(source string) int {
	deepest := 0
	for line := range strings.Lines(source) {
		depth := 0
		for i := 0; i < len(line) && strings.IndexByte(" \t>-+*.)0123456789", line[i]) >= 0; i++ {
			if strings.IndexByte(">-+*.)", line[i]) >= 0 {
				depth++
			}
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

// markdownParser returns a parser that does not know HTML.
func markdownParser(headingLevel int) parser.Parser {
	without := func(html any, all []util.PrioritizedValue) []util.PrioritizedValue {
		return slices.DeleteFunc(all, func(p util.PrioritizedValue) bool { return p.Value == html })
	}
	return parser.NewParser(
		parser.WithBlockParsers(without(parser.NewHTMLBlockParser(), parser.DefaultBlockParsers())...),
		parser.WithInlineParsers(without(parser.NewRawHTMLParser(), parser.DefaultInlineParsers())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(safeTree{headingLevel}, 1000)),
	)
}

// safeTree changes the tree of a Markdown text as described at markdown.
type safeTree struct{ headingLevel int }

func (s safeTree) Transform(document *ast.Document, reader markdowntext.Reader, _ parser.Context) {
	var links []ast.Node
	var tasks []*extensionast.TaskCheckBox
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			node.Level = s.headingLevel
		case *ast.Link, *ast.Image, *ast.AutoLink:
			links = append(links, node)
		case *extensionast.TaskCheckBox:
			tasks = append(tasks, node)
		}
		return ast.WalkContinue, nil
	})
	for _, task := range tasks { // a box that nobody can tick is text
		box := "☐ "
		if task.IsChecked {
			box = "☑ "
		}
		task.Parent().ReplaceChild(task.Parent(), task, ast.NewString([]byte(box)))
	}
	for _, node := range links {
		destination := ""
		switch node := node.(type) {
		case *ast.Link:
			destination = string(node.Destination)
		case *ast.Image:
			destination = string(node.Destination)
		case *ast.AutoLink:
			destination = string(node.URL(reader.Source()))
		}
		replaceLink(node, destination, reader.Source())
	}
}

// replaceLink makes a link of an image, and text of a link that a page may not contain.
func replaceLink(node ast.Node, destination string, source []byte) {
	linkable, parent := waymark.Linkable(destination), node.Parent()
	auto, isAuto := node.(*ast.AutoLink)
	image, isImage := node.(*ast.Image)
	switch {
	case linkable && isImage:
		link := ast.NewLink()
		link.Destination = image.Destination
		for child := node.FirstChild(); child != nil; child = node.FirstChild() {
			link.AppendChild(link, child)
		}
		parent.ReplaceChild(parent, node, link)
		node = link
	case !linkable && isAuto:
		parent.ReplaceChild(parent, node, ast.NewString(auto.Label(source)))
	case !linkable:
		for child := node.FirstChild(); child != nil; child = node.FirstChild() {
			parent.InsertBefore(parent, node, child)
		}
		parent.RemoveChild(parent, node)
	}
	if linkable {
		node.SetAttributeString("rel", []byte("noreferrer nofollow"))
	}
}
