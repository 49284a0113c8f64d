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

// downloadable returns the URL of a reference, nil if it cannot be downloaded.
func (d *document) downloadable(base *url.URL, reference string) *url.URL {
	if u := resolve(base, reference); u != nil && (u.Scheme == "http" || u.Scheme == "https") {
		return u
	}
	return nil
}

// start starts the download of the resource of a reference.
func (d *document) start(base *url.URL, reference string) {
	if u := d.downloadable(base, reference); u != nil {
		d.loader.start(u)
	}
}

// load waits for the resource of a reference and returns it. It returns an empty one if there is none.
func (d *document) load(base *url.URL, reference string) resource {
	if rest, ok := cutPrefixFold(reference, "data:"); ok {
		return dataOf(rest)
	}
	if u := d.downloadable(base, reference); u != nil {
		return d.loader.start(u).wait()
	}
	return resource{}
}

// loadSheet waits for the style sheet of a reference and returns it. It is empty if there is none, or if there are
// not enough bytes left for it: a page can have thousands of references to one file.
func (d *document) loadSheet(base *url.URL, reference string) sheetText {
	r := d.load(base, reference)
	size := int64(len(r.data))
	if !d.take(size) { // before decoding, to limit that work
		return sheetText{base: base}
	}
	css, ok := r.sheet()
	if !ok || !d.take(max(0, int64(len(css))-size)) {
		return sheetText{base: base}
	}
	return sheetText{css, r.url}
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
		texts[i] = sheetText{s.css, d.base}
		if s.file != "" {
			texts[i] = d.loadSheet(d.base, s.file)
		}
		d.startAll(texts[i])
	}
	for _, i := range d.images {
		r := d.load(d.base, i.reference)
		if kind := r.mediaType(); strings.HasPrefix(kind, "image/") && d.take(dataSize(r.data)) {
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
func (d *document) startAll(s sheetText) {
	start := func(reference string) string {
		d.start(s.base, reference)
		return missing
	}
	r := cssRewriter{url: start, sheet: start, token: d.token}
	r.rewrite(s.css)
}

// token takes one of the remaining tokens of CSS. It returns false if there are none, or no time is left.
func (d *document) token() bool {
	d.tokens--
	return d.tokens >= 0 && (d.tokens%1024 != 0 || d.loader.ctx.Err() == nil)
}

// rewrite returns CSS with data URLs in place of its references, "" if it has too many tokens. depth is the
// number of nested imports around the CSS.
func (d *document) rewrite(s sheetText, depth int) string {
	r := cssRewriter{
		token: d.token,
		url: func(reference string) string {
			r := d.load(s.base, reference)
			kind := r.mediaType()
			if kind == "" || !d.take(dataSize(r.data)) {
				return missing
			}
			return dataURL(kind, r.data)
		},
		sheet: func(reference string) string {
			if depth == maxImports {
				return ""
			}
			imported := d.loadSheet(s.base, reference)
			d.startAll(imported)
			return d.rewrite(imported, depth+1)
		},
	}
	css, ok := r.rewrite(s.css)
	if !ok {
		return ""
	}
	if depth > 0 { // other rules follow
		css += r.closing()
	}
	return css
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
