// Package singlefile converts a page to one HTML file with its style sheets, images and fonts, but
// without scripts and other elements that run code or make requests. Responses with such a file must
// have Policy as their Content-Security-Policy.
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

// MaxBytes is the maximum in bytes for Options.Bytes, and for the limit of Clean.
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
	Time          time.Duration // maximum time for all downloads
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
	downloading, cancel := context.WithTimeout(ctx, m.options.Time)
	l := newLoader(downloading, m.client, m.options)
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
	return clean(render(document), m.options.Bytes, nil)
}

// Clean removes from a file what Make removes, without making requests. It does not change a file that
// Make has returned. limit is the maximum size of the file in bytes; above MaxBytes it is MaxBytes.
// Errors wrap ErrTooLarge or ErrNoPage.
func Clean(file string, limit int64) (string, error) { return cleanFile(file, limit, nil) }

// cleanFile is Clean for a page whose resources may be in a ZIP file.
func cleanFile(file string, limit int64, zip *zippedFiles) (cleaned string, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			cleaned, err = "", fmt.Errorf("%w (%v)", ErrNoPage, failure)
		}
	}()
	return clean(strings.ToValidUTF8(file, "\uFFFD"), limit, zip)
}

// maxRounds is the maximum number of times that clean parses, its own result included.
const maxRounds = 6

// clean removes forbidden content until the file no longer changes. Once is not enough, because
// parsing a file that was rendered from elements can give other elements.
func clean(file string, limit int64, zip *zippedFiles) (string, error) {
	for range maxRounds {
		if int64(len(file)) > min(limit, MaxBytes) {
			return "", ErrTooLarge
		}
		document, err := parse(file)
		if err != nil {
			return "", err
		}
		d := newDocument(document, &url.URL{}, nil)
		left := int64(MaxBytes)
		if zip != nil {
			d.zip, left = zip, limit
		}
		d.inline(left)
		cleaned := render(document)
		if cleaned == file {
			return cleaned, nil
		}
		file = cleaned
	}
	return "", fmt.Errorf("%w: each time it is parsed, it has other elements", ErrNoPage)
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
