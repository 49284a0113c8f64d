package article

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"waymark/internal/fetch/page"
	"waymark/internal/waymark"
)

// blocks are elements that begin on a new line. In plain text, an empty line stands between them.
var blocks = atoms(atom.Blockquote, atom.Caption, atom.Dd, atom.Div, atom.Dl, atom.Dt, atom.Figcaption, atom.Figure, atom.H2, atom.H3,
	atom.H4, atom.H5, atom.H6, atom.Hr, atom.Li, atom.Ol, atom.P, atom.Pre, atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr, atom.Ul)

// inline are the other elements that Sanitize keeps. It keeps <a> only with an attribute.
var inline = atoms(atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Br, atom.Cite, atom.Code, atom.Del, atom.Dfn, atom.Em, atom.I, atom.Ins,
	atom.Kbd, atom.Mark, atom.Q, atom.Rp, atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup,
	atom.Td, atom.Th, atom.Time, atom.U, atom.Var, atom.Wbr)

// dropped are elements that are removed with their content.
var dropped = atoms(atom.Applet, atom.Audio, atom.Button, atom.Canvas, atom.Dialog, atom.Embed, atom.Frame, atom.Frameset, atom.Head,
	atom.Iframe, atom.Input, atom.Link, atom.Meta, atom.Noembed, atom.Noframes, atom.Noscript, atom.Object, atom.Plaintext, atom.Script,
	atom.Select, atom.Style, atom.Svg, atom.Template, atom.Textarea, atom.Title, atom.Video)

// renamed are elements that become others. An h1 becomes an h2: the page has an h1.
var renamed = map[atom.Atom]atom.Atom{
	atom.H1: atom.H2, atom.Strike: atom.S, atom.Tt: atom.Code, atom.Xmp: atom.Pre, atom.Listing: atom.Pre,
	atom.Article: atom.Div, atom.Section: atom.Div, atom.Main: atom.Div, atom.Header: atom.Div, atom.Footer: atom.Div, atom.Aside: atom.Div,
	atom.Details: atom.Div, atom.Summary: atom.Div, atom.Address: atom.Div, atom.Center: atom.Div, atom.Hgroup: atom.Div, atom.Nav: atom.Div,
	atom.Menu: atom.Ul,
}

func atoms(all ...atom.Atom) map[atom.Atom]bool {
	set := map[atom.Atom]bool{}
	for _, a := range all {
		set[a] = true
	}
	return set
}

// pictureClass is the class of the <span> with the alternative text of a picture.
const pictureClass = "picture"

// policy decides what stays in the HTML of an article.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	for _, set := range []map[atom.Atom]bool{blocks, inline} {
		for a := range set {
			p.AllowElements(a.String())
		}
	}
	tag := regexp.MustCompile(fmt.Sprintf(`^[a-zA-Z0-9-]{2,%d}$`, waymark.MaxLanguage))
	p.AllowAttrs("lang").Matching(tag).Globally()
	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()
	p.AllowAttrs("class").Matching(regexp.MustCompile("^" + pictureClass + "$")).OnElements("span")
	p.AllowAttrs("title").OnElements("abbr")
	p.AllowAttrs("datetime").Matching(bluemonday.ISO8601).OnElements("time")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^-?[0-9]{1,4}$`)).OnElements("ol")
	p.AllowAttrs("colspan", "rowspan").Matching(regexp.MustCompile(`^[1-9][0-9]?$`)).OnElements("td", "th")

	p.AllowAttrs("href").OnElements("a")
	p.RequireParseableURLs(true)
	p.AllowURLSchemes("mailto")
	for _, scheme := range []string{"http", "https"} {
		p.AllowURLSchemeWithCustomPolicy(scheme, func(u *url.URL) bool { return u.Host != "" && u.User == nil })
	}
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

// Sanitize returns HTML with few kinds of elements and attributes, and the same content as plain
// text. The HTML runs no scripts and makes no requests: scripts, styles and forms are removed,
// pictures are replaced by their alternative text, and links have only the schemes http, https and
// mailto. Sanitize returns "" for HTML beyond a limit: maxSnapshotTokens, MaxHTML, and those of page.ForParser.
func Sanitize(content string) (cleaned, text string) {
	reader, err := page.ForParser(clean(content), maxSnapshotTokens)
	if err != nil {
		return "", ""
	}
	nodes, err := html.ParseFragment(reader, &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil { // the elements are nested too deeply, or parsing takes too long
		return "", ""
	}
	var b strings.Builder
	for _, node := range nodes {
		simplify(node, false)
		if err := html.Render(&b, node); err != nil {
			return "", ""
		}
	}
	if cleaned = strings.TrimSpace(policy.Sanitize(b.String())); len(cleaned) > MaxHTML {
		return "", ""
	}
	return cleaned, Text(cleaned)
}

// simplify replaces pictures and formulas by their texts, renames elements, and folds white space.
func simplify(node *html.Node, pre bool) {
	switch {
	case node.Type == html.TextNode:
		node.Data = clean(node.Data) // the parser has replaced character references
		if !pre {
			node.Data = foldSpace(node.Data)
		}
		return
	case node.Type != html.ElementNode:
		return
	case node.Namespace == "math":
		become(node, atom.Code, foldSpace(clean(attribute(node, "alttext"))))
		return
	case node.Namespace != "" || dropped[node.DataAtom]:
		become(node, atom.Span, "")
		return
	case node.DataAtom == atom.Img:
		become(node, atom.Span, pictureText(attribute(node, "alt")))
		node.Attr = []html.Attribute{{Key: "class", Val: pictureClass}}
		return
	}
	if other, ok := renamed[node.DataAtom]; ok {
		node.DataAtom, node.Data = other, other.String()
	}
	for child := range node.ChildNodes() {
		simplify(child, pre || node.DataAtom == atom.Pre)
	}
}

// become makes a node an element that has only a text. With an empty text it becomes an empty text.
func become(node *html.Node, name atom.Atom, text string) {
	for node.FirstChild != nil {
		node.RemoveChild(node.FirstChild)
	}
	node.Namespace, node.Attr = "", nil
	if strings.TrimSpace(text) == "" {
		node.Type, node.Data, node.DataAtom = html.TextNode, "", 0
		return
	}
	node.Data, node.DataAtom = name.String(), name
	node.AppendChild(&html.Node{Type: html.TextNode, Data: text})
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
