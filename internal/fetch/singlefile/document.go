package singlefile

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// document is a page that is being converted to a file. newDocument removes what the policy forbids and
// collects the references to resources; inline replaces the references by the resources.
type document struct {
	url    *url.URL // of the page
	base   *url.URL // to which references are relative
	loader *loader
	left   int64 // the remaining bytes for resources
	tokens int   // the remaining tokens of CSS

	sheets []sheet
	images []image
	icon   bool // the page has an icon

	picture       *html.Node // the last <picture>
	pictureSource string     // see startPicture
}

// sheet is CSS from a <style>, a file, or an attribute.
type sheet struct {
	node      *html.Node
	attribute int    // the index of the attribute in node.Attr, -1 for an element
	css       string // as written in the page, "" for a file
	file      string // the reference to a file, "" for CSS in the page
}

// image is an attribute with the URL of an image.
type image struct {
	node      *html.Node
	attribute html.Attribute // without its value; inline adds it to node
	reference string
}

// dropped are elements that are removed with their content, in lower case.
var dropped = []string{
	"applet", "audio", "base", "embed", "fencedframe", "frame", "frameset", "iframe", "noembed", "noframes", "object", "param", "plaintext",
	"portal", "script", "source", "template", "track", "xmp",
	"discard", "handler", "listener", // of SVG
}

// urlAttributes are attributes with URLs that browsers request or open, and other attributes for
// scripts and requests. They are removed, unless the method element adds them again.
var urlAttributes = []string{
	"action", "archive", "attributionsrc", "autofocus", "autoplay", "background", "cite", "classid", "code", "codebase", "content", "crossorigin", "data",
	"download", "dynsrc", "formaction", "formmethod", "formtarget", "fetchpriority", "href", "http-equiv", "icon", "imagesizes", "imagesrcset", "integrity",
	"is", "itemid", "itemtype", "longdesc", "lowsrc", "manifest", "method", "nonce", "ping", "popovertarget", "poster", "profile", "referrerpolicy", "sizes", "src",
	"srcdoc", "srcset", "target", "usemap", "loading", "decoding",
}

// metaNames are the names of the <meta> elements that are kept.
var metaNames = []string{"viewport", "color-scheme", "theme-color", "description", "author"}

// newDocument returns the document of an HTML page at a URL.
func newDocument(root *html.Node, pageURL *url.URL, l *loader) *document {
	d := &document{url: pageURL, base: pageURL, loader: l, tokens: maxCSSTokens}
	var noscripts []*html.Node
	for node := range root.Descendants() {
		switch {
		case node.Type != html.ElementNode:
		case node.DataAtom == atom.Base && d.base == pageURL:
			if u := resolve(pageURL, attributeOf(node.Attr, "href")); u != nil {
				d.base = u
			}
		case node.DataAtom == atom.Noscript:
			noscripts = append(noscripts, node)
		}
	}
	for _, node := range noscripts {
		// In the head, a <noscript> has the style sheets that a script would load: keep its content.
		// Others have copies of images, images that count visitors, and requests to enable scripts.
		for child := node.FirstChild; child != nil && node.Parent.DataAtom == atom.Head; child = node.FirstChild {
			node.RemoveChild(child)
			node.Parent.InsertBefore(child, node)
		}
		node.Parent.RemoveChild(node)
	}
	d.children(root)
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && node.DataAtom == atom.Head {
			charset := &html.Node{Type: html.ElementNode, Data: "meta", DataAtom: atom.Meta, Attr: []html.Attribute{{Key: "charset", Val: "utf-8"}}}
			node.InsertBefore(charset, node.FirstChild)
			break
		}
	}
	return d
}

// children removes forbidden content below a node.
func (d *document) children(parent *html.Node) {
	for child := parent.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.Type == html.ElementNode && d.element(child):
			d.children(child)
		case child.Type == html.ElementNode || child.Type == html.CommentNode:
			parent.RemoveChild(child)
		}
		child = next
	}
}

// element removes forbidden attributes, collects references, and reports whether it is allowed.
func (d *document) element(node *html.Node) bool {
	name := strings.ToLower(node.Data)
	if slices.Contains(dropped, name) {
		return false
	}
	before := node.Attr
	value := func(key string) string { return attributeOf(before, key) }
	node.Attr = nil
	switch node.DataAtom {
	case atom.Meta:
		if name = strings.ToLower(value("name")); !slices.Contains(metaNames, name) {
			return false
		}
		node.Attr = []html.Attribute{{Key: "name", Val: name}, {Key: "content", Val: value("content")}}
		return true
	case atom.Link:
		return d.linkElement(node, before)
	}
	for _, a := range before {
		d.addAttribute(node, a)
	}
	switch {
	case node.Namespace == "svg":
		return d.svg(node, name, before)
	case node.Namespace != "":
		return true
	case node.DataAtom == atom.A || node.DataAtom == atom.Area:
		d.link(node, "", value("href"))
	case node.DataAtom == atom.Style:
		d.style(node)
	case node.DataAtom == atom.Picture:
		d.startPicture(node)
	case node.DataAtom == atom.Img:
		if width, height := value("width"), value("height"); (width == "1" || width == "0") && (height == "1" || height == "0") {
			return false // an image that counts visitors
		}
		reference := cmp.Or(d.source(before), value("src")) // a data URL
		if node.Parent == d.picture && !d.usable(reference) && d.pictureSource != "" {
			reference = d.pictureSource
		}
		d.image(node, html.Attribute{Key: "src"}, reference)
	case node.DataAtom == atom.Input:
		if strings.EqualFold(value("type"), "image") {
			d.image(node, html.Attribute{Key: "src"}, value("src"))
		}
	case node.DataAtom == atom.Video:
		d.image(node, html.Attribute{Key: "poster"}, value("poster"))
	case node.DataAtom == atom.Body || node.DataAtom == atom.Table || node.DataAtom == atom.Td || node.DataAtom == atom.Th:
		d.image(node, html.Attribute{Key: "background"}, value("background"))
	}
	return true
}

// addAttribute adds an attribute to an element, if it is allowed for every element.
func (d *document) addAttribute(node *html.Node, a html.Attribute) {
	key := strings.ToLower(a.Key)
	if a.Namespace != "" || strings.HasPrefix(key, "on") || strings.Contains(key, ":") && key != "xml:lang" || strings.ContainsAny(key, "\"'<>&/=") || slices.Contains(urlAttributes, key) ||
		slices.Contains(imageSources, key) {
		return
	}
	node.Attr = append(node.Attr, a)
	if key == "style" || node.Namespace == "svg" && strings.Contains(strings.ToLower(a.Val), "(") {
		d.sheets = append(d.sheets, sheet{node: node, attribute: len(node.Attr) - 1, css: a.Val})
	}
}

// link adds the attribute href to a link, if its URL has the scheme http, https or mailto, or is a
// fragment. Links to other pages have a target.
func (d *document) link(node *html.Node, namespace, reference string) {
	reference = strings.TrimSpace(reference)
	if strings.HasPrefix(reference, "#") {
		node.Attr = append(node.Attr, html.Attribute{Namespace: namespace, Key: "href", Val: reference})
		return
	}
	u := resolve(d.base, reference)
	if u == nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" || u.Scheme != "mailto" && u.Host == "" {
		return
	}
	text := u.String()
	if u.Fragment != "" && withoutFragment(u) == withoutFragment(d.url) {
		text = "#" + u.EscapedFragment() // on the same page
	}
	node.Attr = append(node.Attr, html.Attribute{Namespace: namespace, Key: "href", Val: text})
	if u.Scheme != "mailto" && text[0] != '#' {
		node.Attr = append(node.Attr, html.Attribute{Key: "target", Val: "_top"}) // not in the frame in which pages show the file
	}
}

// linkElement converts a <link> to a style sheet to a <style>, and collects the <link> to the icon of
// the page. It reports whether the element is one of these.
func (d *document) linkElement(node *html.Node, before []html.Attribute) bool {
	value := func(key string) string { return attributeOf(before, key) }
	rel, href := strings.Fields(strings.ToLower(value("rel"))), strings.TrimSpace(value("href"))
	script := strings.ToLower(value("onload")) // can change rel and media of a style sheet that is loaded late
	switch {
	case href == "" || slices.Contains(rel, "alternate"):
		return false
	case slices.Contains(rel, "stylesheet"), slices.Contains(rel, "preload") && strings.Contains(script, "stylesheet"):
		node.Data, node.DataAtom = "style", atom.Style
		if media := value("media"); media != "" && !strings.Contains(script, "media") {
			node.Attr = []html.Attribute{{Key: "media", Val: media}}
		}
		d.sheets = append(d.sheets, sheet{node: node, attribute: -1, file: href})
		return true
	case slices.Contains(rel, "icon") && !d.icon:
		d.icon = true
		node.Attr = []html.Attribute{{Key: "rel", Val: "icon"}}
		d.image(node, html.Attribute{Key: "href"}, href)
		return true
	}
	return false
}

// style collects the CSS of a <style> and removes it from the element.
func (d *document) style(node *html.Node) {
	var css strings.Builder
	for child := range node.ChildNodes() {
		if child.Type == html.TextNode {
			css.WriteString(child.Data)
		}
	}
	for node.FirstChild != nil {
		node.RemoveChild(node.FirstChild)
	}
	d.sheets = append(d.sheets, sheet{node: node, attribute: -1, css: css.String()})
}

// svg does for an SVG element what element does.
func (d *document) svg(node *html.Node, name string, before []html.Attribute) bool {
	reference, namespace := "", ""
	for _, a := range before {
		if strings.EqualFold(a.Key, "href") || strings.EqualFold(a.Key, "xlink:href") {
			reference, namespace = strings.TrimSpace(a.Val), a.Namespace
		}
	}
	switch name {
	case "style":
		d.style(node)
		return true
	case "animate", "set", "animatetransform", "animatemotion": // they can change the URL of a link
		return !strings.Contains(strings.ToLower(attributeOf(before, "attributeName")), "href")
	case "a":
		d.link(node, namespace, reference)
		return true
	case "image", "feimage":
		d.image(node, html.Attribute{Namespace: namespace, Key: "href"}, reference)
		return true
	}
	if strings.HasPrefix(reference, "#") {
		node.Attr = append(node.Attr, html.Attribute{Namespace: namespace, Key: "href", Val: reference})
	}
	return true
}

// image collects the reference of an attribute to an image.
func (d *document) image(node *html.Node, a html.Attribute, reference string) {
	if strings.TrimSpace(reference) != "" {
		d.images = append(d.images, image{node, a, reference})
	}
}

// resolve returns the absolute URL of a reference without credentials, nil if it is invalid.
func resolve(base *url.URL, reference string) *url.URL {
	reference = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.TrimSpace(reference))
	if reference == "" {
		return nil
	}
	u, err := base.Parse(reference)
	if err != nil {
		return nil
	}
	if u.Scheme != "mailto" {
		u.User = nil
	}
	return u
}

// attributeOf returns the value of an attribute, "" if the element does not have it.
func attributeOf(all []html.Attribute, key string) string {
	for _, a := range all {
		if a.Namespace == "" && strings.EqualFold(a.Key, key) {
			return a.Val
		}
	}
	return ""
}
