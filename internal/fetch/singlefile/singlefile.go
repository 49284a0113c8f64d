// Package singlefile converts a page to one HTML file with its style sheets, images and fonts. It leaves out
// scripts and other elements that run code or make requests, because Policy forbids them: responses with such a
// file, and with one that a browser has made, must have it as their Content-Security-Policy.
package singlefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"

	"waymark/internal/fetch"
	"waymark/internal/fetch/page"
)

// Policy is the Content-Security-Policy of a file. It gives the file a unique origin, so the file
// cannot read cookies, and forbids scripts and requests to any server.
const Policy = "sandbox allow-top-navigation-by-user-activation; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; media-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

// MaxBytes is the maximum in bytes for Options.Bytes.
const MaxBytes = 64 << 20

// maxTokens is the maximum number of tags, texts and comments of a page.
const maxTokens = 120_000

var (
	// ErrNoPage means that a page is not HTML, or cannot be converted.
	ErrNoPage = errors.New("the page is not HTML")
	// ErrTooLarge means that a page has too many elements, elements that are nested too deeply, or
	// is too large even without its resources.
	ErrTooLarge = errors.New("the page is too large for one file")
)

// Options are the limits of the files of a Maker.
type Options struct {
	Bytes         int64         // maximum size of a file; no download starts after that many bytes
	ResourceBytes int64         // maximum size of a style sheet, an image or a font; a larger one is left out
	Resources     int           // maximum number of style sheets, images and fonts
	Time          time.Duration // maximum time for all downloads and their conversion
}

const (
	// hostConnections is the maximum number of concurrent downloads from a host.
	hostConnections = 2
	// pageConnections is the maximum number of concurrent downloads for a page.
	pageConnections = 4
	// maxMaking is the maximum number of concurrent calls of Make, each ten times Options.Bytes.
	maxMaking = 2
)

// Maker makes files. Its methods may be called from many goroutines.
type Maker struct {
	client  *fetch.Client
	options Options
	making  chan struct{} // a semaphore of maxMaking
}

// New returns a Maker that downloads resources with a client.
func New(client *fetch.Client, o Options) *Maker {
	return &Maker{
		client:  client.WithBytes(o.ResourceBytes + 1).WithConnections(hostConnections), // one byte more shows that a resource is too large
		options: o,
		making:  make(chan struct{}, maxMaking),
	}
}

// MaxTime returns the maximum time that Make waits and downloads, for that many concurrent callers.
func (m *Maker) MaxTime(callers int) time.Duration {
	return time.Duration((callers+maxMaking-1)/maxMaking) * m.options.Time
}

// Make returns the page at a URL as one file in UTF-8 of at most Options.Bytes. content is the
// page, contentType the header of its response. Resources that cannot be downloaded or are too large
// are left out. Errors wrap ErrNoPage or ErrTooLarge, or are the error of ctx.
func (m *Maker) Make(ctx context.Context, content []byte, contentType string, pageURL *url.URL) (file string, err error) {
	select {
	case m.making <- struct{}{}:
		defer func() { <-m.making }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	// A page that causes a panic in a parser must not stop the server.
	defer func() {
		if failure := recover(); failure != nil {
			file, err = "", fmt.Errorf("%w (%v)", ErrNoPage, failure)
		}
	}()
	if page.MediaType(contentType, content[:min(len(content), page.SniffBytes)]) != "text/html" {
		return "", ErrNoPage
	}
	text, err := io.ReadAll(page.UTF8(bytes.NewReader(content), contentType))
	if err != nil {
		return "", err
	}
	document, err := parse(string(text))
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, m.options.Time)
	l := newLoader(limited, m.client, m.options)
	defer l.stop()
	defer cancel()
	d := newDocument(document, pageURL, l)
	left := m.options.Bytes - int64(len(render(document))) - d.sheetSize()
	if left < 0 {
		return "", ErrTooLarge
	}
	d.inline(left)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if file = render(document); int64(len(file)) > m.options.Bytes {
		return "", ErrTooLarge
	}
	return file, nil
}

// parse parses a page like a browser with scripts disabled. It removes control characters.
func parse(text string) (*html.Node, error) {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\f' && r != '\r' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	reader, err := page.ForParser(text, maxTokens)
	if err != nil {
		return nil, ErrTooLarge
	}
	document, err := html.ParseWithOptions(reader, html.ParseOptionEnableScripting(false))
	if err != nil { // the elements are nested too deeply, or parsing takes too long
		return nil, ErrTooLarge
	}
	return document, nil
}

// render returns a document as HTML.
func render(document *html.Node) string {
	var b strings.Builder
	if err := html.Render(&b, document); err != nil {
		return ""
	}
	return b.String()
}
