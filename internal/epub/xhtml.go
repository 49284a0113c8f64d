package epub

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/idna"
)

// Parsers of HTML accept elements where the standard forbids them; readers of e-books need not
// (https://html.spec.whatwg.org/multipage/dom.html#content-models).

// place says which elements may stand at a place.
type place struct {
	phrasing bool // only elements of a line
	anchor   bool // in a link, which has no other links
}

// lines are the elements with only phrasing content, and what they become. A <dfn> may not stand in another one, and a
// <time> may contain only dates.
var lines = map[atom.Atom]string{
	atom.Abbr: "abbr", atom.B: "b", atom.Bdi: "bdi", atom.Cite: "cite", atom.Code: "code", atom.Dfn: "i", atom.Em: "em", atom.I: "i",
	atom.Kbd: "kbd", atom.Mark: "mark", atom.Q: "q", atom.S: "s", atom.Samp: "samp", atom.Small: "small", atom.Span: "span",
	atom.Strong: "strong", atom.Sub: "sub", atom.Sup: "sup", atom.Time: "span", atom.U: "u", atom.Var: "var",
}

// headings are the blocks with only phrasing content.
var headings = set(atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Pre)

// transparent are the elements that may contain what their parent may.
var transparent = set(atom.A, atom.Del, atom.Ins)

func set(all ...atom.Atom) map[atom.Atom]bool {
	m := map[atom.Atom]bool{}
	for _, a := range all {
		m[a] = true
	}
	return m
}

// xhtml returns the HTML of an article as the content of the <body> of an XHTML file. Elements that may not stand at
// their place become others with the same content, and alternative texts the pictures with these names.
func xhtml(content string, pictures map[string]string) string {
	nodes, err := html.ParseFragment(strings.NewReader(printable(content)), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return ""
	}
	w := xhtmlWriter{pictures: pictures}
	for _, node := range nodes {
		w.node(node, place{})
	}
	return w.String()
}

type xhtmlWriter struct {
	strings.Builder
	pictures map[string]string
}

// node writes a node.
func (w *xhtmlWriter) node(node *html.Node, in place) {
	if node.Type == html.TextNode {
		w.WriteString(escape(printable(node.Data)))
		return
	}
	if node.Type != html.ElementNode || node.Namespace != "" {
		return
	}
	switch name := node.DataAtom; {
	case name == atom.Span && attribute(node, "class") == "picture" && w.pictures[textOf(node)] != "":
		fmt.Fprintf(w, `<img src="%s" alt="%s"/>`, w.pictures[textOf(node)], escape(textOf(node)))
	case name == atom.Br || name == atom.Wbr:
		w.WriteString("<" + node.Data + "/>")
	case name == atom.Hr && in.phrasing:
		w.WriteString("<br/>")
	case name == atom.Hr:
		w.WriteString("<hr/>")
	case name == atom.A && (in.anchor || address(attribute(node, "href")) == ""):
		w.children(node, in)
	case transparent[name]:
		in.anchor = in.anchor || name == atom.A
		w.element(node.Data, node, in)
	case lines[name] != "":
		in.phrasing = true
		w.element(lines[name], node, in)
	case name == atom.Bdo && attribute(node, "dir") != "":
		in.phrasing = true
		w.element("bdo", node, in)
	case name == atom.Ruby:
		w.ruby(node, in)
	case in.phrasing: // a block
		if node.PrevSibling != nil {
			w.WriteString("<br/>")
		}
		w.element("span", node, in)
	case headings[name]:
		in.phrasing = true
		w.element(node.Data, node, in)
	case name == atom.Ul || name == atom.Ol:
		w.list(node, in)
	case name == atom.Table:
		w.table(node, in)
	case name == atom.Blockquote || name == atom.Dd: // a definition is indented
		w.element("blockquote", node, in)
	default:
		w.element("div", node, in)
	}
}

// element writes an element with the name, and with the attributes and children of a node.
func (w *xhtmlWriter) element(name string, node *html.Node, in place) {
	w.start(name, node)
	w.children(node, in)
	w.WriteString("</" + name + ">")
}

func (w *xhtmlWriter) children(node *html.Node, in place) {
	for child := range node.ChildNodes() {
		w.node(child, in)
	}
}

// start writes a start tag with those attributes of a node that an element with this name may have.
func (w *xhtmlWriter) start(name string, node *html.Node) {
	w.WriteString("<" + name)
	for _, a := range node.Attr {
		value := strings.TrimSpace(printable(a.Val))
		switch {
		case a.Key == "lang" && tag(value) != "":
			w.attribute("lang", tag(value))
			w.attribute("xml:lang", tag(value))
		case a.Key == "dir" && (value == "ltr" || value == "rtl" || value == "auto" && name != "bdo"),
			a.Key == "title" && name == "abbr",
			a.Key == "start" && name == "ol",
			(a.Key == "colspan" || a.Key == "rowspan") && (name == "td" || name == "th"):
			w.attribute(a.Key, value)
		case a.Key == "href" && name == "a":
			w.attribute("href", address(value))
		}
	}
	w.WriteString(">")
}

func (w *xhtmlWriter) attribute(name, value string) {
	w.WriteString(" " + name + `="` + escape(value) + `"`)
}

// list writes a <ul> or <ol>. Children that are no items become items.
func (w *xhtmlWriter) list(node *html.Node, in place) {
	w.start(node.Data, node)
	for child := range node.ChildNodes() {
		switch {
		case isOne(child, atom.Li):
			w.element("li", child, in)
		case !isSpace(child):
			w.WriteString("<li>")
			w.node(child, in)
			w.WriteString("</li>")
		}
	}
	w.WriteString("</" + node.Data + ">")
}

// table writes a <table>: a caption, at most one head, bodies. Without rows it is a <div>.
func (w *xhtmlWriter) table(node *html.Node, in place) {
	var caption, head *html.Node
	var bodies []*html.Node
	for child := range node.ChildNodes() {
		switch {
		case isOne(child, atom.Caption) && caption == nil:
			caption = child
		case isOne(child, atom.Thead) && head == nil && len(bodies) == 0 && hasRows(child):
			head = child
		case isOne(child, atom.Thead, atom.Tbody, atom.Tfoot) && hasRows(child):
			bodies = append(bodies, child)
		}
	}
	if head == nil && len(bodies) == 0 {
		w.element("div", node, in)
		return
	}
	w.start("table", node)
	if caption != nil {
		w.element("caption", caption, place{true, in.anchor})
	}
	if head != nil {
		w.rows("thead", head, in)
	}
	for _, body := range bodies {
		w.rows("tbody", body, in)
	}
	w.WriteString("</table>")
}

func (w *xhtmlWriter) rows(name string, section *html.Node, in place) {
	w.start(name, section)
	for row := range section.ChildNodes() {
		if !isOne(row, atom.Tr) {
			continue
		}
		w.start("tr", row)
		for cell := range row.ChildNodes() {
			if isOne(cell, atom.Td, atom.Th) {
				w.element(cell.Data, cell, place{in.phrasing || cell.DataAtom == atom.Th, in.anchor})
			}
		}
		w.WriteString("</tr>")
	}
	w.WriteString("</" + name + ">")
}

// hasRows reports whether a part of a table has a row.
func hasRows(section *html.Node) bool {
	for row := range section.ChildNodes() {
		if isOne(row, atom.Tr) {
			return true
		}
	}
	return false
}

// ruby writes a <ruby>: texts, each with its annotation.
func (w *xhtmlWriter) ruby(node *html.Node, in place) {
	in.phrasing = true
	w.start("ruby", node)
	based := false // there is a text for the next annotation
	last := false  // the last child was an annotation
	for child := range node.ChildNodes() {
		switch {
		case isOne(child, atom.Rp):
		case isOne(child, atom.Rt):
			if !based {
				w.WriteString("<span></span>")
			}
			w.element("rt", child, in)
			based, last = false, true
		case !isSpace(child):
			w.node(child, in)
			based, last = true, false
		}
	}
	if !last {
		w.WriteString("<rt></rt>")
	}
	w.WriteString("</ruby>")
}

// textOf returns the text of an element, which can have marks.
func textOf(node *html.Node) string {
	text := ""
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			text += child.Data
		}
	}
	return text
}

// isOne reports whether a node is an element with one of the names.
func isOne(node *html.Node, names ...atom.Atom) bool {
	for _, name := range names {
		if node.Type == html.ElementNode && node.DataAtom == name {
			return true
		}
	}
	return false
}

// isSpace reports whether a node is a text of white space.
func isSpace(node *html.Node) bool {
	return node.Type == html.TextNode && strings.TrimSpace(node.Data) == ""
}

// attribute returns the value of an attribute, "" if the node does not have it.
func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// address returns a URL in the form of RFC 3986, "" if it is none that a book may link to.
func address(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.User != nil {
		return ""
	}
	switch {
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
	case u.Scheme == "mailto":
	default:
		return ""
	}
	if u.Host != "" {
		host, err := idna.Lookup.ToASCII(u.Hostname())
		if err != nil && net.ParseIP(u.Hostname()) == nil {
			return ""
		}
		if err == nil {
			u.Host = strings.Replace(u.Host, u.Hostname(), host, 1)
		}
	}
	u.RawPath = "" // it is escaped again
	u.RawQuery, u.Opaque = escapeURL(u.RawQuery), escapeURL(u.Opaque)
	return u.String()
}

// escapeURL escapes what may not stand in a URL.
func escapeURL(s string) string {
	var b strings.Builder
	for i := range len(s) {
		_, err := url.PathUnescape(s[i:min(i+3, len(s))])
		if c := s[i]; c > ' ' && c < 0x7f && !strings.ContainsRune("\"<>[]\\^`{|}", rune(c)) && (c != '%' || err == nil) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
