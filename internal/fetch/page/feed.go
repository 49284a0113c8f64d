package page

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
)

// feed is an RSS, Atom or RDF feed. A name is that of elements in any namespace, so there can be several.
type feed struct {
	XMLName      xml.Name
	Titles       []string `xml:"channel>title"`
	AtomTitles   []string `xml:"title"`
	Descriptions []string `xml:"channel>description"`
	Subtitles    []string `xml:"subtitle"`
	Images       []string `xml:"channel>image>url"`
	RDFImages    []string `xml:"image>url"`
	Logos        []string `xml:"logo"`
}

// readFeed reads the title, the description and the image of a feed. Of other or invalid XML it returns what it has
// found, without an error.
func readFeed(from io.Reader, pageURL *url.URL) (found Metadata, err error) {
	d := xml.NewDecoder(from)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = charset.NewReaderLabel
	var f feed
	err = d.Decode(&f)
	var syntax *xml.SyntaxError
	if errors.Is(err, io.EOF) || errors.As(err, &syntax) {
		err = nil
	}
	if root := strings.ToLower(f.XMLName.Local); root != "rss" && root != "feed" && root != "rdf" {
		return found, err
	}
	for _, title := range slices.Concat(f.Titles, f.AtomTitles) {
		set(&found.Title, text(title, maxTitle))
	}
	for _, description := range slices.Concat(f.Descriptions, f.Subtitles) {
		set(&found.Description, text(description, maxDescription))
	}
	for _, image := range slices.Concat(f.Images, f.RDFImages, f.Logos) {
		set(&found.Image, absolute(pageURL, image))
	}
	return found, err
}
