package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText returns the text of a node. Blocks are separated by an empty line, items of lists and rows
// of tables by a line break.
func plainText(root *html.Node) string {
	var t textWriter
	t.node(root, false)
	return strings.TrimSpace(t.b.String())
}

// textWriter writes the text of nodes.
type textWriter struct {
	b       strings.Builder
	newline int // the number of line breaks to write before the next text
}

func (t *textWriter) node(node *html.Node, pre bool) {
	switch node.Type {
	case html.TextNode:
		t.text(node.Data, pre)
		return
	case html.ElementNode:
	default:
		return
	}
	lines := 0
	switch name := node.DataAtom; {
	case name == atom.Br || name == atom.Li || name == atom.Tr || name == atom.Dt || name == atom.Dd:
		lines = 1
	case name == atom.Td || name == atom.Th:
		t.text(" ", false)
	case isBlock(node):
		lines = 2
	}
	t.newline = max(t.newline, lines)
	for child := range node.ChildNodes() {
		t.node(child, pre || node.DataAtom == atom.Pre)
	}
	t.newline = max(t.newline, lines)
}

func (t *textWriter) text(s string, pre bool) {
	if t.newline > 0 && !pre {
		s = strings.TrimLeft(s, " \n\t")
	}
	if s == "" {
		return
	}
	if t.newline > 0 && t.b.Len() > 0 {
		t.b.WriteString(strings.Repeat("\n", t.newline))
	}
	t.newline = 0
	t.b.WriteString(s)
}
