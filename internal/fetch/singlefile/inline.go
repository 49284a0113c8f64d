package singlefile

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// maxImports is the maximum depth of nested imports of style sheets.
const maxImports = 5

// sheetText is CSS with the URL to which its references are relative.
type sheetText struct {
	css  string
	base *url.URL
}

// text returns the CSS of a sheet. For a file it waits for the download; the CSS is empty if that
// failed or if there are not enough bytes left for it. A page can have thousands of links to one file.
func (d *document) text(s sheet) sheetText {
	if s.file == "" {
		return sheetText{s.css, d.base}
	}
	r := d.load(d.base, s.file)
	size := int64(len(r.data))
	if size > d.left {
		return sheetText{"", d.base}
	}
	css, ok := r.sheet()
	if !ok || !d.take(max(size, int64(len(css)))) {
		return sheetText{"", d.base}
	}
	return sheetText{css, r.url}
}

// start starts the download of the resource of a reference.
func (d *document) start(base *url.URL, reference string) {
	if u := resolve(base, reference); d.loader != nil && u != nil && (u.Scheme == "http" || u.Scheme == "https") {
		d.loader.start(u)
	}
}

// load waits for the resource of a reference and returns it. It returns an empty one if there is none.
func (d *document) load(base *url.URL, reference string) resource {
	if _, ok := cutPrefixFold(reference, "data:"); ok {
		r, _ := parseDataURL(reference)
		return r
	}
	u := resolve(base, reference)
	if d.zip != nil && u != nil && u.Scheme == "" && u.Host == "" {
		return d.zip.resource(u)
	}
	if d.loader == nil || u == nil || u.Scheme != "http" && u.Scheme != "https" {
		return resource{}
	}
	return d.loader.start(u).wait()
}

// inline adds the resources to the page, with at most left bytes in total: first the style sheets,
// then the images of the page, then the images and fonts of the style sheets.
func (d *document) inline(left int64) {
	d.left = left
	for _, s := range d.sheets {
		if s.file != "" {
			d.start(d.base, s.file)
		}
	}
	for _, i := range d.images {
		d.start(d.base, i.reference)
	}
	texts := make([]sheetText, len(d.sheets))
	for i, s := range d.sheets {
		texts[i] = d.text(s)
		d.startAll(texts[i], 0)
	}
	for _, i := range d.images {
		r := d.load(d.base, i.reference)
		if kind := r.imageType(); kind != "" && d.take(dataSize(r.data)) {
			i.attribute.Val = dataURL(kind, r.data)
			i.node.Attr = append(i.node.Attr, i.attribute)
		}
	}
	for i, s := range d.sheets {
		css := d.rewrite(texts[i], 0)
		switch {
		case s.attribute >= 0:
			s.node.Attr[s.attribute].Val = css
		case css == "":
			s.node.Parent.RemoveChild(s.node)
		default:
			s.node.AppendChild(&html.Node{Type: html.TextNode, Data: css})
		}
	}
}

// take subtracts n from the remaining bytes, or returns false if there are not enough.
func (d *document) take(n int64) bool {
	if n > d.left {
		return false
	}
	d.left -= n
	return true
}

// dataSize returns an upper limit of the size of a data URL with the data.
func dataSize(data []byte) int64 { return int64(len(data)+2)/3*4 + 40 }

// startAll starts the downloads of the resources to which CSS refers.
func (d *document) startAll(s sheetText, depth int) {
	if d.loader == nil {
		return
	}
	rewriteCSS(s.css, func(kind resourceKind, reference string) string {
		if kind != sheetResource || depth < maxImports {
			d.start(s.base, reference)
		}
		return missing
	})
}

// rewrite returns CSS with data URLs in place of its references. depth is the number of nested imports
// around the CSS; each one encodes the content once more, which makes it longer.
func (d *document) rewrite(s sheetText, depth int) string {
	return rewriteCSS(s.css, func(kind resourceKind, reference string) string {
		if kind == sheetResource {
			return d.imported(s.base, reference, depth+1)
		}
		r := d.load(s.base, reference)
		name := r.imageType()
		if kind == fontResource || name == "" { // not all fonts are in @font-face
			name = r.fontType()
		}
		if depth > 0 && d.zip != nil { // markOf would be encoded twice; SingleFile leaves no imports
			name = ""
		}
		if name == "" || !d.take(dataSize(r.data)<<depth) {
			return missing
		}
		return dataURL(name, r.data)
	})
}

// imported returns a data URL of a style sheet that another one imports, or missing.
func (d *document) imported(base *url.URL, reference string, depth int) string {
	if depth > maxImports {
		return missing
	}
	r := d.load(base, reference)
	if !d.take(dataSize(r.data) << depth) { // before rewriting, to limit that work
		return missing
	}
	css, ok := r.sheet()
	if !ok {
		return missing
	}
	s := sheetText{css, r.url}
	d.startAll(s, depth)
	return dataURL("text/css;charset=utf-8", []byte(d.rewrite(s, depth)))
}

// sheetSize returns the size of the CSS that style has removed from the page.
func (d *document) sheetSize() (n int64) {
	for _, s := range d.sheets {
		if s.attribute < 0 {
			n += int64(len(strings.TrimSpace(s.css)))
		}
	}
	return n
}
