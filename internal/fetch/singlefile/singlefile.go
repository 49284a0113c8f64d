// Package singlefile stores a page as one HTML file with its style sheets, images and fonts, but
// without scripts and other elements that run code or make requests. Responses with such a file
// must have Policy as their Content-Security-Policy.
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
const Policy = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; media-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// MaxBytes is the maximum size of a file in bytes that Clean reads, and that Options can allow.
const MaxBytes = 64 << 20

// maxElements is the maximum number of elements of a page.
const maxElements = 60_000

var (
	// ErrNoPage means that a page is not HTML.
	ErrNoPage = errors.New("the page is not HTML")
	// ErrTooLarge means that a page has too many elements, or is too large even without its
	// resources.
	ErrTooLarge = errors.New("the page is too large for one file")
)

// Options are the limits of the files of a Maker.
type Options struct {
	Bytes         int64         // maximum size of a file, and of all that is downloaded for it
	ResourceBytes int64         // maximum size of a style sheet, an image or a font; a larger one is left out
	Resources     int           // maximum number of them
	Time          time.Duration // to download all of them
}

const (
	// hostConnections is how many resources of one host are downloaded at the same time, for all
	// pages together.
	hostConnections = 2
	// pageConnections is how many resources of one page are downloaded at the same time.
	pageConnections = 4
	// maxMaking is the number of files that are made at the same time. One can need ten times
	// Options.Bytes of memory.
	maxMaking = 2
)

// Maker makes files. Its methods may be called from many goroutines.
type Maker struct {
	client  *fetch.Client
	options Options
	making  chan struct{} // holds a value for each file that is being made
}

// New returns a Maker that downloads resources with a client.
func New(client *fetch.Client, o Options) *Maker {
	return &Maker{
		client:  client.WithBytes(o.ResourceBytes + 1).WithConnections(hostConnections), // one more tells that it is too large
		options: o,
		making:  make(chan struct{}, maxMaking),
	}
}

// MaxTime returns the longest time that Make needs if callers call it at the same time.
func (m *Maker) MaxTime(callers int) time.Duration {
	return time.Duration((callers+maxMaking-1)/maxMaking) * m.options.Time
}

// Make returns the page at an address as one file in UTF-8. contentType is the header of its
// response. Resources that cannot be downloaded or are too large are omitted. Errors are ErrNoPage,
// ErrTooLarge, or the error of ctx.
func (m *Maker) Make(ctx context.Context, content []byte, contentType string, address *url.URL) (file string, err error) {
	select {
	case m.making <- struct{}{}:
		defer func() { <-m.making }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	// The page is untrusted. A panic in the code that reads it must not stop the server.
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
	d := newDocument(document, address, l)
	left := m.options.Bytes - int64(len(render(document))) - d.sheetSize()
	if left < 0 {
		return "", ErrTooLarge
	}
	d.inline(left)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return clean(render(document), m.options.Bytes)
}

// Clean removes from a file everything that Make removes, and makes no requests. It does not change
// a file that Make returned. limit is the maximum size of the file, at most MaxBytes. Errors are
// ErrTooLarge and ErrNoPage.
func Clean(file string, limit int64) (cleaned string, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			cleaned, err = "", fmt.Errorf("%w (%v)", ErrNoPage, failure)
		}
	}()
	return clean(strings.ToValidUTF8(file, "\uFFFD"), limit)
}

// maxRounds is how often clean parses its own result.
const maxRounds = 6

// clean removes forbidden content until there is none left. Repeating is necessary because parsing
// the output of a parser can give different elements.
func clean(file string, limit int64) (string, error) {
	for range maxRounds {
		if int64(len(file)) > min(limit, MaxBytes) {
			return "", ErrTooLarge
		}
		document, err := parse(file)
		if err != nil {
			return "", err
		}
		newDocument(document, &url.URL{}, nil).inline(MaxBytes)
		cleaned := render(document)
		if cleaned == file {
			return cleaned, nil
		}
		file = cleaned
	}
	return "", fmt.Errorf("%w that is the same when it is read again", ErrNoPage)
}

// parse parses a page as browsers do that run no scripts.
func parse(text string) (*html.Node, error) {
	z := html.NewTokenizer(strings.NewReader(text))
	for n := 0; z.Next() != html.ErrorToken; n++ {
		if n > 2*maxElements { // an element has two tags
			return nil, ErrTooLarge
		}
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\f' && r != '\r' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	document, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil { // nested too deeply
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
