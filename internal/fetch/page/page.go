// Package page reads the metadata of a page: its title, description, image and icon. It reads HTML
// pages up to the body, or to the end if the head says little, feeds up to the first entry, in any character set. Of a PDF file
// the title is the name of the file.
package page

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Metadata is the metadata of a page, "" for what is missing, in valid UTF-8 on one line.
type Metadata struct {
	Title       string // at most maxTitle characters
	Description string // at most maxDescription characters
	Image       string // an absolute http or https URL of at most maxImage bytes
	Icon        string // of the site, as Image; SVG icons are ignored
	Refresh     string // the page that browsers show instead, see Refresh; its <meta> in <noscript> is ignored
}

// The maximum lengths of metadata, in characters, or in bytes for the URL of the image.
const (
	maxTitle       = 1000
	maxDescription = 4000
	maxImage       = 2000
)

// SniffBytes is the number of bytes at the beginning of a page that MediaType needs.
const SniffBytes = 4 << 10

// Read reads the metadata of the page at a URL. contentType is the header of the response.
// Metadata of other media types is empty, without an error. If reading fails, Read returns the error
// and the metadata found before it.
func Read(from io.Reader, contentType string, pageURL *url.URL) (Metadata, error) {
	reader := bufio.NewReaderSize(from, SniffBytes)
	beginning, err := reader.Peek(SniffBytes)
	if len(beginning) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return Metadata{}, err
	}
	switch kind := MediaType(contentType, beginning); {
	case kind == "application/pdf":
		return Metadata{Title: fileName(pageURL)}, nil
	case kind == "text/html":
		return readHTML(reader, contentType, pageURL)
	case isXML(kind):
		return readFeed(reader, pageURL)
	}
	return Metadata{}, nil
}

// MediaType returns the media type of a page, such as text/plain, from the Content-Type header and the
// first bytes of the page. It returns text/html for XHTML, too.
func MediaType(contentType string, beginning []byte) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || unknownType.MatchString(kind) {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(beginning)) // always valid
	}
	if kind == "application/xhtml+xml" || isXML(kind) && bytes.Contains(bytes.ToLower(beginning), []byte("<html")) {
		return "text/html"
	}
	return kind
}

// unknownType are the types that say nothing about a page: servers send them for all files, or they are none.
var unknownType = regexp.MustCompile(`^(?:application/octet-stream|text/plain|(?:application|unknown)/unknown|\*/\*|[^/]*)$`)

func isXML(kind string) bool {
	return kind == "text/xml" || kind == "application/xml" || strings.HasSuffix(kind, "+xml")
}

// text returns s in one line of at most limit characters, without control characters.
func text(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff' || r == '\u00ad':
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	for i := range s {
		if limit == 0 {
			return strings.TrimSpace(s[:i])
		}
		limit--
	}
	return s
}

// absolute resolves reference on a page at base, "" if that cannot be the URL of an image.
func absolute(base *url.URL, reference string) string {
	reference = strings.TrimSpace(reference)
	if reference == "" {
		return ""
	}
	u, err := base.Parse(reference)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	if s := u.String(); len(s) <= maxImage {
		return s
	}
	return ""
}

// fileName returns the name of the file at a URL, without its extension.
func fileName(pageURL *url.URL) string {
	name := path.Base(pageURL.Path)
	if name == "/" || name == "." {
		return ""
	}
	return text(strings.TrimSuffix(name, path.Ext(name)), maxTitle)
}
