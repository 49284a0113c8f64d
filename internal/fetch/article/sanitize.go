package article

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"waymark/internal/fetch/page"
)

// allowed are the elements that Sanitize keeps, with the attributes that it keeps in addition to lang
// and dir. In plain text, block elements begin on a new line.
var allowed = map[atom.Atom]struct {
	block      bool
	attributes []string
}{
	atom.A:    {attributes: []string{"href"}},
	atom.Abbr: {attributes: []string{"title"}}, atom.B: {}, atom.Bdi: {}, atom.Bdo: {}, atom.Br: {}, atom.Cite: {}, atom.Code: {}, atom.Del: {},
	atom.Dfn: {}, atom.Em: {}, atom.I: {}, atom.Ins: {}, atom.Kbd: {}, atom.Mark: {}, atom.Q: {}, atom.Rp: {}, atom.Rt: {}, atom.Ruby: {},
	atom.S: {}, atom.Samp: {}, atom.Small: {}, atom.Span: {attributes: []string{"class"}}, atom.Strong: {}, atom.Sub: {}, atom.Sup: {},
	atom.Time: {attributes: []string{"datetime"}}, atom.U: {}, atom.Var: {}, atom.Wbr: {},

	atom.Blockquote: {block: true}, atom.Caption: {block: true}, atom.Dd: {block: true}, atom.Div: {block: true}, atom.Dl: {block: true}, atom.Dt: {block: true},
	atom.Figcaption: {block: true}, atom.Figure: {block: true}, atom.H2: {block: true}, atom.H3: {block: true}, atom.H4: {block: true},
	atom.H5: {block: true}, atom.H6: {block: true}, atom.Hr: {block: true}, atom.Li: {block: true}, atom.P: {block: true}, atom.Pre: {block: true},
	atom.Ol: {block: true, attributes: []string{"start"}}, atom.Ul: {block: true},
	atom.Table: {block: true}, atom.Tbody: {block: true}, atom.Tfoot: {block: true}, atom.Thead: {block: true}, atom.Tr: {block: true},
	atom.Td: {attributes: []string{"colspan", "rowspan"}}, atom.Th: {attributes: []string{"colspan", "rowspan"}},
}

// renamed are elements that become other elements. An h1 becomes an h2, because the page that shows
// an article has an h1.
var renamed = map[atom.Atom]atom.Atom{
	atom.H1: atom.H2, atom.Strike: atom.S, atom.Tt: atom.Code, atom.Xmp: atom.Pre, atom.Listing: atom.Pre,
	atom.Article: atom.Div, atom.Section: atom.Div, atom.Main: atom.Div, atom.Header: atom.Div, atom.Footer: atom.Div, atom.Aside: atom.Div,
	atom.Details: atom.Div, atom.Summary: atom.Div, atom.Address: atom.Div, atom.Center: atom.Div, atom.Hgroup: atom.Div, atom.Nav: atom.Div,
	atom.Menu: atom.Ul,
}

// dropped are elements that are removed with their content.
var dropped = map[atom.Atom]bool{
	atom.Applet: true, atom.Audio: true, atom.Button: true, atom.Canvas: true, atom.Dialog: true, atom.Embed: true, atom.Frame: true,
	atom.Frameset: true, atom.Head: true, atom.Iframe: true, atom.Input: true, atom.Link: true, atom.Meta: true, atom.Noembed: true,
	atom.Noframes: true, atom.Noscript: true, atom.Object: true, atom.Plaintext: true, atom.Script: true, atom.Select: true, atom.Style: true,
	atom.Svg: true, atom.Template: true, atom.Textarea: true, atom.Title: true, atom.Video: true,
}

// pictureClass is the class of the <span> with the alternative text of a picture.
const pictureClass = "picture"

// maxNesting is the maximum depth of elements. Deeper ones are replaced by their content.
const maxNesting = 60

// maxRounds is the maximum number of times that Sanitize parses, its own result included.
const maxRounds = 5

// Sanitize returns HTML with few kinds of elements and attributes, and the same content as plain
// text. The HTML runs no scripts and makes no requests: scripts, styles and forms are removed,
// pictures are replaced by their alternative text, and links have only the schemes http, https and
// mailto. Sanitizing the HTML again does not change it. Sanitize returns "" if the HTML has more than
// maxSnapshotTokens tags and texts, if the elements are nested too deeply, if parsing takes too long, or if
// the HTML would be larger than MaxHTML.
func Sanitize(content string) (cleaned, text string) {
	content = clean(content)
	for range maxRounds {
		reader, err := page.ForParser(content, maxSnapshotTokens)
		if err != nil {
			return "", ""
		}
		nodes, err := html.ParseFragment(reader, &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
		if err != nil { // the elements are nested too deeply, or parsing takes too long
			return "", ""
		}
		s := sanitizer{merged: map[*html.Node]*strings.Builder{}}
		root := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		for _, node := range nodes {
			s.add(root, node, 0)
		}
		cleaned = render(root)
		if len(cleaned) > MaxHTML {
			return "", ""
		}
		text = Text(cleaned)
		if cleaned == content {
			return cleaned, text
		}
		content = cleaned
	}
	// The parser moves some elements each time, such as links in links. Keep only the text.
	if cleaned, text = paragraphs(text); len(cleaned) > MaxHTML {
		return "", ""
	}
	return cleaned, text
}

// paragraphs returns plain text as HTML with only <p> elements, and the plain text of that HTML.
func paragraphs(text string) (cleaned, plain string) {
	var all []string
	for part := range strings.SplitSeq(text, "\n\n") {
		if part = strings.TrimSpace(foldSpace(part)); part != "" {
			all = append(all, part)
		}
	}
	var b strings.Builder
	for _, part := range all {
		b.WriteString("<p>" + html.EscapeString(part) + "</p>")
	}
	return b.String(), strings.Join(all, "\n\n")
}

// render returns the children of a node as HTML.
func render(root *html.Node) string {
	var b strings.Builder
	for child := range root.ChildNodes() {
		if err := html.Render(&b, child); err != nil {
			return ""
		}
	}
	return strings.TrimSpace(b.String())
}

// sanitizer copies the allowed content of nodes.
type sanitizer struct {
	pre    bool                            // in an element whose white space is kept
	merged map[*html.Node]*strings.Builder // the texts of nodes to which text was added
}

// add appends the allowed content of a node to a parent at the given depth.
func (s *sanitizer) add(parent, node *html.Node, depth int) {
	switch node.Type {
	case html.TextNode:
		s.addText(parent, node.Data)
	case html.ElementNode:
		s.addElement(parent, node, depth)
	}
}

func (s *sanitizer) addText(parent *html.Node, text string) {
	text = clean(text) // the parser has replaced character references
	if !s.pre {
		text = foldSpace(text)
	}
	if last := parent.LastChild; last != nil && last.Type == html.TextNode { // merge them, as the parser does
		if !s.pre && strings.HasSuffix(last.Data, " ") {
			text = strings.TrimPrefix(text, " ")
		}
		if s.merged[last] == nil {
			s.merged[last] = new(strings.Builder)
			s.merged[last].WriteString(last.Data)
		}
		s.merged[last].WriteString(text)
		last.Data = s.merged[last].String() // not a copy: a text can have thousands of parts
		return
	}
	if text == "" || text == " " && !s.pre && (parent.LastChild == nil || isBlock(parent.LastChild)) {
		return
	}
	parent.AppendChild(&html.Node{Type: html.TextNode, Data: text})
}

func (s *sanitizer) addElement(parent, node *html.Node, depth int) {
	name := node.DataAtom
	switch {
	case node.Namespace == "math":
		addFormula(parent, node)
		return
	case node.Namespace == "" && name == atom.Img:
		addPicture(parent, node)
		return
	case node.Namespace != "" || dropped[name]:
		return
	}
	if other, ok := renamed[name]; ok {
		name = other
	}
	rules, ok := allowed[name]
	if !ok || depth >= maxNesting {
		s.addChildren(parent, node, depth)
		return
	}
	copied := element(name)
	copied.Attr = attributes(node, rules.attributes)
	if (name == atom.Span || name == atom.A) && len(copied.Attr) == 0 {
		s.addChildren(parent, node, depth)
		return
	}
	before := s.pre
	s.pre = s.pre || name == atom.Pre
	s.addChildren(copied, node, depth+1)
	s.pre = before
	switch {
	case name == atom.Br || name == atom.Hr || name == atom.Wbr || name == atom.Td || name == atom.Th:
	case copied.FirstChild == nil:
		return
	case name == atom.Div && len(copied.Attr) == 0 && copied.FirstChild == copied.LastChild && isBlock(copied.FirstChild):
		only := copied.FirstChild
		copied.RemoveChild(only)
		copied = only
	}
	if rules.block { // browsers do not show a space before a block
		if last := parent.LastChild; last != nil && last.Type == html.TextNode && !s.pre {
			if last.Data = strings.TrimRight(last.Data, " "); last.Data == "" {
				parent.RemoveChild(last)
			}
		}
	}
	parent.AppendChild(copied)
}

// addFormula appends the text of a MathML formula, which it has in an attribute.
func addFormula(parent, node *html.Node) {
	if formula := foldSpace(clean(attribute(node, "alttext"))); strings.TrimSpace(formula) != "" {
		code := element(atom.Code)
		code.AppendChild(&html.Node{Type: html.TextNode, Data: formula})
		parent.AppendChild(code)
	}
}

// addPicture appends the alternative text of a picture.
func addPicture(parent, node *html.Node) {
	if text := strings.Join(strings.Fields(clean(attribute(node, "alt"))), " "); text != "" {
		picture := element(atom.Span)
		picture.Attr = []html.Attribute{{Key: "class", Val: pictureClass}}
		picture.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		parent.AppendChild(picture)
	}
}

func (s *sanitizer) addChildren(parent, node *html.Node, depth int) {
	for child := range node.ChildNodes() {
		s.add(parent, child, depth)
	}
}

func element(name atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name.String(), DataAtom: name}
}

func isBlock(node *html.Node) bool {
	return node.Type == html.ElementNode && allowed[node.DataAtom].block
}

// maxSpan is the maximum number of rows or columns that a cell of a table spans.
const maxSpan = 100

// attributes returns the attributes of a node with one of the names, dir or lang, if their values are
// valid.
func attributes(node *html.Node, names []string) (kept []html.Attribute) {
	for _, name := range slices.Concat(names, []string{"dir", "lang"}) {
		value := attribute(node, name)
		switch name {
		case "href":
			value = target(value)
		case "dir":
			if value = strings.ToLower(value); value != "ltr" && value != "rtl" && value != "auto" {
				value = ""
			}
		case "lang":
			value = language(value)
		case "class":
			if value != pictureClass {
				value = ""
			}
		case "colspan", "rowspan":
			if n, err := strconv.Atoi(value); err != nil || n < 2 || n > maxSpan {
				value = ""
			}
		case "start":
			if n, err := strconv.Atoi(value); err != nil || n < -9999 || n > 9999 {
				value = ""
			}
		case "title", "datetime":
			value = line(value)
		}
		if value != "" {
			kept = append(kept, html.Attribute{Key: name, Val: value})
		}
	}
	if len(names) > 0 && names[0] == "href" && len(kept) > 0 && kept[0].Key == "href" {
		kept = append(kept, html.Attribute{Key: "rel", Val: "noreferrer nofollow"})
	}
	return kept
}

// maxTarget is the maximum length of the URL of a link in bytes.
const maxTarget = 2000

// target returns the URL of a link, or "" unless it is an absolute URL with the scheme http, https or
// mailto.
func target(rawURL string) string {
	u, err := url.Parse(strings.TrimSpace(rawURL))
	if err != nil || len(rawURL) > maxTarget {
		return ""
	}
	switch {
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil, u.Scheme == "mailto":
		if text := u.String(); len(text) <= maxTarget {
			return text
		}
	}
	return ""
}

// clean returns s as valid UTF-8 with line feeds, without control characters, soft hyphens, and
// characters that embed or override the direction of text.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r) || r == '\ufeff' || r == '\u00ad':
			return -1
		case r >= '\u202a' && r <= '\u202e': // these also affect text after their element; isolates do not
			return -1
		}
		return r
	}, s)
}

// foldSpace returns s with one space in place of each run of white space.
func foldSpace(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if r == ' ' || r == '\n' || r == '\t' || r == '\f' || r == '\r' {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}
