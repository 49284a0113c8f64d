package crawl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"waymark/internal/fetch"
	"waymark/internal/fetch/check"
	"waymark/internal/fetch/page"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/permits"
	"waymark/internal/waymark"
)

// pageFetcher fetches the pages of links for their texts, pictures and snapshots.
type pageFetcher struct {
	client  *fetch.Client
	options Options
	queue   poll              // of all pages
	byHand  poll              // of those of links that were saved by hand
	now     *permits.Limit    // of pages for which a user waits
	files   *singlefile.Maker // of whole pages
	reading chan struct{}     // holds a value while the readable text of a page is extracted

	// What fetchNow has begun ends with ctx.
	ctx     context.Context //nolint:containedctx // of the goroutines, see Crawler.Close
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func newPageFetcher(o Options) *pageFetcher {
	ctx, cancel := context.WithCancel(context.Background())
	return &pageFetcher{
		client:  o.Client,
		options: o,
		now:     permits.New(permits.Options{All: int64(o.Parallel), Wait: maxHostWait, Refused: errNoPermit}),
		files:   singlefile.New(o.Client, o.FullSnapshots),
		reading: make(chan struct{}, 1),
		ctx:     ctx,
		cancel:  cancel,
	}
}

var errNoPermit = errors.New("too many pages are fetched")

// pausesAfter are the times after each failure before the next fetch. The last one is repeated.
var pausesAfter = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 12 * time.Hour}

// maxRetryAfter is the maximum time that a server can set with the header Retry-After.
const maxRetryAfter = 24 * time.Hour

// pageError means that the server of a page responded with another status than 200.
type pageError struct {
	status     int
	retryAfter time.Duration
}

func (e *pageError) Error() string { return e.reason() }

// reason returns the class of the status. There are few classes.
func (e *pageError) reason() string {
	if e.status >= http.StatusInternalServerError {
		return "status_5xx"
	}
	if e.status == http.StatusTooManyRequests {
		return "status_429"
	}
	return "status_4xx"
}

// temporary reports whether the request can succeed later.
func (e *pageError) temporary() bool {
	return e.status >= http.StatusInternalServerError || e.status == http.StatusTooManyRequests
}

// errChallenge means that the server wants visitors to prove that they are human, to sign in or to consent. The
// response is not the page of the link, and another request would get the same.
var errChallenge = errors.New("the server asks visitors to prove that they are human, to sign in or to consent")

// fetchedPage is a page that was fetched, with all that its parts are made of.
type fetchedPage struct {
	texts       waymark.PageTexts
	icon        string   // the URL of the icon of the site, which need not be there; "" for none
	url         *url.URL // after redirects
	contentType string
	content     []byte // of the full snapshot, if it is wanted
}

// fetch fetches a page for the parts that are wanted of it. With an error it returns what was read
// before. pause waits until another request to a host may begin.
func (p *pageFetcher) fetch(ctx context.Context, rawURL string, wants waymark.PageParts, now waymark.Time, pause func(ctx context.Context, host string) error) (fetchedPage, error) {
	response, err := p.client.Get(ctx, rawURL)
	if err != nil {
		return fetchedPage{}, err
	}
	defer response.Body.Close()
	if check.IsWall(rawURL, response.URL) {
		return fetchedPage{}, errChallenge
	}
	fetched, refresh, err := readPage(response, wants, now)
	if refresh == "" {
		return fetched, err
	}
	response.Body.Close()
	if err := pause(ctx, waymark.Host(refresh)); err != nil {
		return fetchedPage{}, err
	}
	if response, err = p.client.Follow(ctx, response, refresh); err != nil {
		return fetchedPage{}, err
	}
	defer response.Body.Close()
	if check.IsWall(rawURL, response.URL) {
		return fetchedPage{}, errChallenge
	}
	fetched, _, err = readPage(response, wants, now) // of several refreshes, only one is followed
	return fetched, err
}

// readPage reads a page as fetch does. It returns the URL to which the page refers, "" if it is the page itself.
func readPage(response *fetch.Response, wants waymark.PageParts, now waymark.Time) (_ fetchedPage, refresh string, _ error) {
	if response.Status != http.StatusOK {
		return fetchedPage{}, "", &pageError{status: response.Status, retryAfter: fetch.RetryAfter(response.Header, now.Time(), maxRetryAfter)}
	}
	fetched := fetchedPage{url: response.URL, contentType: response.Header.Get("Content-Type")}
	body, failed := io.Reader(response.Body), error(nil)
	if wants.Has(waymark.TextSnapshotPart | waymark.FullSnapshotPart) {
		fetched.content, failed = io.ReadAll(body)
		body = bytes.NewReader(fetched.content)
	}
	var text bytes.Buffer // the client limits its size
	found, err := page.Read(io.TeeReader(body, &text), fetched.contentType, response.URL)
	if check.IsChallenge(response.Header, text.Bytes()) {
		return fetchedPage{}, "", errChallenge
	}
	refresh = cmp.Or(page.Refresh(response.URL, response.Header.Get("Refresh")), found.Refresh)
	fetched.texts = waymark.PageTexts{Title: found.Title, Description: found.Description, Image: found.Image}
	fetched.icon = cmp.Or(found.Icon, response.URL.ResolveReference(&url.URL{Path: "/favicon.ico"}).String())
	return fetched, refresh, cmp.Or(failed, err)
}

// next returns when a page is to be fetched again for the parts that are still wanted. err is the
// error of the last attempt. It returns nil if that is not necessary, or of no use.
func (p *pageFetcher) next(wants waymark.PageParts, err error, attempts int, now waymark.Time) *waymark.PageFetch {
	var failed *fetch.Error
	var status *pageError
	pause := pausesAfter[min(attempts, len(pausesAfter))-1]
	switch {
	case wants == 0 || attempts >= p.options.Tries || errors.Is(err, errChallenge):
		return nil
	case errors.As(err, &status):
		if !status.temporary() {
			return nil
		}
		pause = max(pause, status.retryAfter)
	case errors.As(err, &failed) && !failed.Temporary():
		return nil
	}
	return &waymark.PageFetch{DueAt: now.Add(pause), Attempts: attempts, Wants: wants}
}

// pollInterval is the time between two queries of an empty queue.
const pollInterval = time.Second

// poll limits the queries of an empty queue to one in pollInterval for all callers.
type poll struct {
	mu    sync.Mutex
	until waymark.Time // the queue is not queried before
}

// claim calls next, which returns waymark.ErrNotFound if the queue is empty. It returns that error
// without a call if the queue was empty a short time ago.
func claim[T any](p *poll, now func() waymark.Time, next func() (T, error)) (T, error) {
	p.mu.Lock()
	wait := now() < p.until
	p.mu.Unlock()
	if wait {
		var none T
		return none, waymark.ErrNotFound
	}
	claimed, err := next()
	if errors.Is(err, waymark.ErrNotFound) {
		p.mu.Lock()
		p.until = now().Add(pollInterval)
		p.mu.Unlock()
	}
	return claimed, err
}
