package page

import (
	"cmp"
	"errors"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxToken is the maximum size of a tag, text or script in bytes. Reading ends at a larger one.
const maxToken = 1 << 20

// head is the metadata in the head of a page, the first value of each that is not empty.
type head struct {
	titles, siteNames         []string          // of <title>, og:title and so on; og:site_name and so on
	headings                  [2]string         // the first <h1> and <h2>
	description, refresh      string            // of <meta name=description> and <meta http-equiv=refresh>
	properties                map[string]string // of the other <meta> elements, by name in lower case
	base, image               string            // of <base> and <link rel=image_src>
	linkedTitle, linkedDetail string            // of JSON-LD
	linkedImage               string
	icon                      string // of the best <link> element, see picture.BetterIconSide
	iconSide                  int
}

// readHTML reads the head of an HTML page.
func readHTML(from io.Reader, contentType string, pageURL *url.URL) (Metadata, error) {
	h := head{titles: make([]string, 1)} // the first is of <title>
	err := h.read(UTF8(from, contentType), pageURL)
	base := pageURL
	if h.base != "" {
		if u, err := pageURL.Parse(strings.TrimSpace(h.base)); err == nil {
			base = u
		}
	}
	found := Metadata{
		Title: h.bestTitle(pageURL),
		Description: cmp.Or(h.properties["og:description"], h.description, h.properties["twitter:description"], h.linkedDetail,
			h.properties["dc.description"], h.properties["dc:description"], h.properties["dcterms.description"], h.properties["dcterms:description"]),
	}
	found.Title, found.Description = text(found.Title, maxTitle), text(found.Description, maxDescription)
	for _, reference := range []string{
		h.properties["og:image:secure_url"], h.properties["og:image"], h.properties["og:image:url"],
		h.properties["twitter:image"], h.properties["twitter:image:src"], h.linkedImage, h.image,
	} {
		if found.Image = absolute(base, reference); found.Image != "" {
			break
		}
	}
	found.Icon, found.Refresh = absolute(base, h.icon), Refresh(base, h.refresh)
	return found, err
}

// read reads the head, and the body unless the head has a title and a description or an image: some pages
// send their metadata there. An error in the body does not matter after a title.
func (h *head) read(from io.Reader, pageURL *url.URL) error {
	h.properties = map[string]string{}
	z := html.NewTokenizer(from)
	z.SetMaxBuf(maxToken)
	inBody := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) && !errors.Is(err, html.ErrBufferExceeded) && (!inBody || !h.named(pageURL)) {
				return err
			}
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if atom.Lookup(name) == atom.Body {
				inBody = true
				if h.named(pageURL) && cmp.Or(h.description, h.properties["og:description"], h.properties["og:image"]) != "" {
					return nil
				}
			}
			h.element(z, atom.Lookup(name), more)
		}
	}
}

// element reads an element after its start tag.
func (h *head) element(z *html.Tokenizer, name atom.Atom, more bool) {
	switch name {
	case atom.Title:
		title := strings.TrimSuffix(strings.TrimPrefix(textUntil(z, "title"), "<![CDATA["), "]]>") // of XHTML
		set(&h.titles[0], title)
	case atom.H1:
		set(&h.headings[0], textUntil(z, "h1"))
	case atom.H2:
		set(&h.headings[1], textUntil(z, "h2"))
	case atom.Meta:
		h.meta(attributes(z, more))
	case atom.Base:
		set(&h.base, attributes(z, more)["href"])
	case atom.Link:
		h.link(attributes(z, more))
	case atom.Script:
		if a := attributes(z, more); strings.EqualFold(strings.TrimSpace(a["type"]), "application/ld+json") && z.Next() == html.TextToken {
			h.linkedData(z.Text())
		}
	case atom.Svg, atom.Template, atom.Noscript: // they have titles of their own
		if z.Token().Type == html.StartTagToken {
			textUntil(z, name.String())
		}
	}
}

// notTitles are the elements whose texts do not belong to the heading around them, such as the title of an icon.
var notTitles = map[string]bool{"svg": true, "template": true, "noscript": true, "script": true, "style": true}

// textUntil reads until the end tag of an element that has begun, and returns the text in it.
func textUntil(z *html.Tokenizer, name string) string {
	var b strings.Builder
	for depth := 1; ; {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken:
			tag, _ := z.TagName()
			switch {
			case kind == html.StartTagToken && string(tag) != name && notTitles[string(tag)]:
				textUntil(z, string(tag))
			case string(tag) != name:
				b.WriteByte(' ')
			case kind == html.StartTagToken:
				depth++
			default:
				if depth--; depth == 0 {
					return b.String()
				}
			}
		}
	}
}

// meta reads a <meta> element.
func (h *head) meta(a map[string]string) {
	if strings.TrimSpace(a["content"]) == "" {
		return
	}
	if strings.EqualFold(strings.TrimSpace(a["http-equiv"]), "refresh") {
		set(&h.refresh, a["content"])
	}
	for _, name := range []string{a["property"], a["name"], a["itemprop"]} {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case name == "":
		case name == "description":
			set(&h.description, a["content"])
		case name == "og:title":
			h.titles = append(h.titles, a["content"])
		case name == "og:site_name" || name == "application-name" || name == "apple-mobile-web-app-title":
			h.siteNames = append(h.siteNames, a["content"])
		case strings.HasSuffix(name, "title") || strings.HasSuffix(name, "description") || name == "headline" || strings.HasPrefix(name, "og:") || strings.HasPrefix(name, "twitter:"):
			if h.properties[name] == "" {
				h.properties[name] = a["content"]
			}
		}
	}
}

// attributes returns the attributes of the current tag, the first of each name.
func attributes(z *html.Tokenizer, more bool) map[string]string {
	all := map[string]string{}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if _, known := all[string(key)]; !known {
			all[string(key)] = string(value)
		}
	}
	return all
}

// set sets a field that is empty, unless value is blank.
func set(field *string, value string) {
	if *field == "" && strings.TrimSpace(value) != "" {
		*field = value
	}
}
