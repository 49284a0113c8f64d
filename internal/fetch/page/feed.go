package page

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"
)

// readFeed reads the title, the description and the image of an RSS, Atom or RDF feed, up to its first
// entry. Of other or invalid XML it returns what it has found, without an error.
func readFeed(from io.Reader, pageURL *url.URL) (found Metadata, err error) {
	d := xml.NewDecoder(from)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = charset.NewReaderLabel
	var parents []string
	var content []byte // of the element, up to here: a comment or CDATA divides it into several tokens
	flush := func() {
		found.feedText(strings.Join(parents, "/"), string(content), pageURL)
		content = content[:0]
	}
	for {
		token, err := d.Token()
		var syntax *xml.SyntaxError
		switch {
		case errors.Is(err, io.EOF), errors.As(err, &syntax):
			flush()
			return found, nil
		case err != nil:
			return found, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			flush()
			name := strings.ToLower(token.Name.Local)
			if len(parents) == 0 && name != "rss" && name != "feed" && name != "rdf" || name == "item" || name == "entry" {
				return found, nil
			}
			if len(parents) < maxFeedDepth {
				parents = append(parents, name)
			} else if err := d.Skip(); err != nil {
				return found, nil //nolint:nilerr // invalid XML
			}
		case xml.EndElement:
			flush()
			if len(parents) > 0 {
				parents = parents[:len(parents)-1]
			}
		case xml.CharData:
			content = append(content, token...)
		}
	}
}

// maxFeedDepth is the maximum depth of the elements of a feed that are read.
const maxFeedDepth = 8

// feedText sets the field for an element with a content. path has the names from the root to it.
func (m *Metadata) feedText(path, content string, pageURL *url.URL) {
	switch path {
	case "rss/channel/title", "rdf/channel/title", "feed/title":
		set(&m.Title, text(content, maxTitle))
	case "rss/channel/description", "rdf/channel/description", "feed/subtitle":
		set(&m.Description, text(content, maxDescription))
	case "rss/channel/image/url", "rdf/image/url", "feed/logo":
		set(&m.Image, absolute(pageURL, content))
	}
}
