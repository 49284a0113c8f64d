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

// maxToken is the maximum size of a tag, text or script in bytes. Reading ends at a larger one,
// without an error.
const maxToken = 1 << 20

// head is the metadata in the head of an HTML page. Each field has the first value that is not
// empty.
type head struct {
	title, description        string            // of <title> and <meta name=description>
	properties                map[string]string // of the other <meta> elements, by name in lower case
	base, image               string            // of <base> and <link rel=image_src>
	linkedTitle, linkedDetail string            // of JSON-LD
	linkedImage               string
	icon                      string // of the best <link> element, see picture.BetterIconSide
	iconSide                  int
}

// readHTML reads the head of an HTML page.
func readHTML(from io.Reader, contentType string, pageURL *url.URL) (Metadata, error) {
	var h head
	err := h.read(UTF8(from, contentType))
	base := pageURL
	if h.base != "" {
		if u, err := pageURL.Parse(strings.TrimSpace(h.base)); err == nil {
			base = u
		}
	}
	found := Metadata{
		Title:       cmp.Or(h.title, h.property("og:title"), h.property("twitter:title"), h.linkedTitle),
		Description: cmp.Or(h.property("og:description"), h.description, h.property("twitter:description"), h.linkedDetail),
	}
	found.Title, found.Description = text(found.Title, maxTitle), text(found.Description, maxDescription)
	for _, reference := range []string{
		h.property("og:image:secure_url"), h.property("og:image"), h.property("og:image:url"),
		h.property("twitter:image"), h.property("twitter:image:src"), h.linkedImage, h.image,
	} {
		if found.Image = absolute(base, reference); found.Image != "" {
			break
		}
	}
	found.Icon = absolute(base, h.icon)
	return found, err
}

// property returns the content of the <meta> element with a name.
func (h *head) property(name string) string { return h.properties[name] }

// read reads the elements before <body>.
func (h *head) read(from io.Reader) error {
	h.properties = map[string]string{}
	z := html.NewTokenizer(from)
	z.SetMaxBuf(maxToken)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) && !errors.Is(err, html.ErrBufferExceeded) {
				return err
			}
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch atom.Lookup(name) {
			case atom.Body:
				return nil
			case atom.Title:
				if z.Next() == html.TextToken {
					set(&h.title, string(z.Text()))
				}
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
			case atom.Svg: // part of the body, with titles of its own
				return nil
			}
		}
	}
}

// meta reads a <meta> element.
func (h *head) meta(a map[string]string) {
	if strings.TrimSpace(a["content"]) == "" {
		return
	}
	for _, name := range []string{a["property"], a["name"], a["itemprop"]} {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case name == "":
		case name == "description":
			set(&h.description, a["content"])
		case strings.HasPrefix(name, "og:") || strings.HasPrefix(name, "twitter:"):
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
