package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"waymark/internal/fetch"
	"waymark/internal/fetch/check"
	"waymark/internal/fetch/page"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// PageOptions say how pages are fetched.
type PageOptions struct {
	Wait      time.Duration // how long saving one link waits for its page
	Tries     int           // the maximum number of times to fetch a page
	Timeout   time.Duration // the maximum time of one of them
	Parallel  int           // the maximum number of pages that are fetched at the same time
	HostPause time.Duration // between two pages of a host
	Pictures  PictureOptions

	SavedPages singlefile.Options
}

// Pages fetches the pages of links, to learn their texts. It is shared by all parts of a Service.
type Pages struct {
	client  *fetch.Client
	options PageOptions
	slots   chan struct{} // holds a value for each page that is being fetched
	hosts   hostTimes
	images  images
	poll    poll
	files   *singlefile.Maker // of whole pages
	kept    keptPages

	mu     sync.Mutex
	done   int
	failed map[string]int
	parts  map[waymark.PageParts]PartStats
}

// NewPages returns Pages that use a client.
func NewPages(client *fetch.Client, o PageOptions) *Pages {
	return &Pages{
		client:  client,
		options: o,
		slots:   make(chan struct{}, o.Parallel),
		hosts:   newHostTimes(o.HostPause),
		images:  newImages(client, o.Pictures),
		files:   singlefile.New(client, o.SavedPages),
		kept:    keptPages{limit: o.Parallel, pages: map[string]keptPage{}},
		failed:  map[string]int{},
		parts:   map[waymark.PageParts]PartStats{},
	}
}

// PageStats counts the pages that were fetched since the start.
type PageStats struct {
	Done   int
	Failed map[string]int // by reason
	Parts  map[waymark.PageParts]PartStats
}

// PartStats counts what became of one part of pages since the start.
type PartStats struct {
	Done   int            // the links have it, or their pages have none
	Failed map[string]int // by reason
}

// Reasons returns the reasons of failures, sorted.
func (s PageStats) Reasons() []string { return slices.Sorted(maps.Keys(s.Failed)) }

// Stats returns the counts.
func (p *Pages) Stats() PageStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	parts := map[waymark.PageParts]PartStats{}
	for part, stats := range p.parts {
		parts[part] = PartStats{Done: stats.Done, Failed: maps.Clone(stats.Failed)}
	}
	return PageStats{Done: p.done, Failed: maps.Clone(p.failed), Parts: parts}
}

// claimTime is added to the time limits of all requests for a page to get the duration of its claim.
const claimTime = time.Minute

// maxPageRequests is the number of requests for a page, its image and its icon.
const maxPageRequests = 3

// pausesAfter are the times after each failure before a page is fetched again. The last one is
// repeated.
var pausesAfter = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 12 * time.Hour}

// maxRetryAfter is the longest time for which a server can ask.
const maxRetryAfter = 24 * time.Hour

// pageError is a page without texts: its server responded with another status than 200.
type pageError struct {
	status     int
	retryAfter time.Duration
}

func (e *pageError) Error() string { return e.reason() }

// reason returns the class of the status, of which there are few.
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

// errChallenge means that the page wants a proof that a person visits it. It is not the page of the
// link, and another visit would get the same.
var errChallenge = errors.New("the page wants a proof that a person visits it")

// fetchedPage is a page that was fetched, with all that its parts are made of.
type fetchedPage struct {
	texts       waymark.PageTexts
	icon        string   // the URL of the icon of the site, which need not be there; "" for none
	url         *url.URL // after redirects
	contentType string
	content     []byte // of the whole page, if it is wanted
}

// fetch fetches a page for the parts that are wanted of it. With an error it returns what was read
// before.
func (p *Pages) fetch(ctx context.Context, address string, wants waymark.PageParts, now waymark.Time) (fetchedPage, error) {
	response, err := p.client.Get(ctx, address)
	if err != nil {
		return fetchedPage{}, err
	}
	defer response.Body.Close()
	if response.Status != http.StatusOK {
		return fetchedPage{}, &pageError{status: response.Status, retryAfter: fetch.RetryAfter(response.Header, now.Time(), maxRetryAfter)}
	}
	fetched := fetchedPage{url: response.URL, contentType: response.Header.Get("Content-Type")}
	body, failed := io.Reader(response.Body), error(nil)
	if wants.Has(waymark.CopyPart | waymark.SavedPagePart) {
		fetched.content, failed = io.ReadAll(body)
		body = bytes.NewReader(fetched.content)
	}
	var read bytes.Buffer // of which there is not more than the client reads
	found, err := page.Read(io.TeeReader(body, &read), fetched.contentType, response.URL)
	if check.IsChallenge(response.Header, read.Bytes()) {
		return fetchedPage{}, errChallenge
	}
	fetched.texts = waymark.PageTexts{Title: found.Title, Description: found.Description, Image: found.Image}
	fetched.icon = cmp.Or(found.Icon, response.URL.ResolveReference(&url.URL{Path: "/favicon.ico"}).String())
	return fetched, cmp.Or(failed, err)
}

// count counts a fetched page.
func (p *Pages) count(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.done++
		return
	}
	p.failed[failureReason(err)]++
}

// countPart counts a part of a page.
func (p *Pages) countPart(part waymark.PageParts, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stats := p.parts[part]
	if err == nil {
		stats.Done++
	} else {
		if stats.Failed == nil {
			stats.Failed = map[string]int{}
		}
		stats.Failed[failureReason(err)]++
	}
	p.parts[part] = stats
}

func failureReason(err error) string {
	var failed *fetch.Error
	var status *pageError
	switch {
	case errors.As(err, &status):
		return status.reason()
	case errors.As(err, &failed):
		return string(failed.Reason)
	case errors.Is(err, errImageTooLarge):
		return "too_large"
	case errors.Is(err, errChallenge):
		return check.Challenge
	}
	return "other"
}

// next returns when a page is to be fetched again for the parts of it that are still wanted after
// attempts, of which the last one ended with err. It returns nil if that is not necessary, or of no
// use.
func (p *Pages) next(wants waymark.PageParts, err error, attempts int, now waymark.Time) *waymark.PageFetch {
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

// FetchPage fetches the page of a link that owner is about to save, if it lacks a title or a
// description, and sets in.Page. It waits no longer than PageOptions.Wait; what is not known by then
// is fetched in the background. Errors are not reported: the link is saved without these texts.
func (s *Service) FetchPage(ctx context.Context, owner waymark.User, in *waymark.LinkInput) {
	if s.Pages == nil || s.Pages.options.Wait == 0 {
		return
	}
	link, err := waymark.NewLink(owner, *in)
	if err != nil || !s.wants(link).Has(waymark.TextParts) {
		return // it will not be saved, or needs no texts
	}
	if duplicates, err := s.store.DuplicateURLs(ctx, owner.ID, []string{in.URL}, 0); err != nil || len(duplicates) > 0 {
		return
	}
	settings, err := s.store.Settings(ctx, owner.ID)
	if err != nil || settings.NoMetadata {
		return
	}
	texts, next, _ := s.fetchNow(ctx, in.URL, settings.PageParts(link, s.wants(link)))
	in.Page = &waymark.FetchedPage{PageTexts: texts, Fetch: next}
}

// wants returns what a link is to get from its page.
func (s *Service) wants(link waymark.Link) waymark.PageParts {
	if !waymark.HasPage(link.URL) || link.DeletedAt != 0 {
		return 0
	}
	wants := s.PageParts
	if !link.LacksTexts() {
		wants &^= waymark.TextParts
	}
	return wants
}

// fetchNow fetches a page for its texts, and keeps it for the rest of what is wanted, unless too many
// pages, or one of the same host, are being fetched. next says when the rest is to be taken, nil if
// nothing more is wanted. The error is that of a page that was fetched.
func (s *Service) fetchNow(ctx context.Context, address string, wants waymark.PageParts) (texts waymark.PageTexts, next *waymark.PageFetch, err error) {
	p := s.Pages
	later := &waymark.PageFetch{DueAt: s.Now(), Wants: wants}
	ctx, cancel := context.WithTimeout(ctx, p.options.Wait)
	defer cancel()
	if began, err := s.hosts(p).begin(ctx, waymark.Host(address)); err != nil || !began {
		return texts, later, nil
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return texts, later, nil
	}
	found, err := p.fetch(ctx, address, wants|waymark.TextParts, s.Now())
	switch {
	case ctx.Err() != nil && err != nil: // the page is slow
		return found.texts, later, nil
	case err == nil || found.texts.Title != "":
		if later.Wants &^= waymark.TextParts; later.Wants != 0 {
			next = later
		}
		if next != nil && err == nil {
			p.kept.keep(address, found, next.Wants, s.Now())
		}
	default:
		next = p.next(wants, err, 1, s.Now())
	}
	p.count(err)
	return found.texts, next, err
}

// ErrNoPages means that links learn nothing from their pages on this server.
var ErrNoPages = errors.New("this server does not fetch pages: its administrator has set --metadata=off and --pictures=off")

// PageState says what became of a page that was to be fetched.
type PageState struct {
	Waiting bool   // it is fetched in the background, for its texts
	Failure string // why it could not be fetched, "" if it was; see fetch.Reason
}

// FetchAgain fetches the page of a user's own link again, for its texts that were not typed and
// those that are empty. It returns the link as it is after that, or after PageOptions.Wait. It does
// not wait if wait is false. It returns ErrNoPages if pages are not fetched.
func (s *Service) FetchAgain(ctx context.Context, user waymark.User, id waymark.LinkID, wait bool) (link waymark.Link, state PageState, err error) {
	if link, err = s.store.Link(ctx, user.ID, id); err != nil {
		return link, state, err
	}
	if err := ownerOnly(user)(link.Owner); err != nil {
		return link, state, err
	}
	if s.Pages == nil {
		return link, state, ErrNoPages
	}
	dueAt := s.Now()
	if wait = wait && s.PageParts.Has(waymark.TextParts) && s.Pages.options.Wait > 0; wait {
		dueAt = dueAt.Add(s.Pages.options.Wait + claimTime) // until then no server fetches it
	}
	requested, err := s.store.RequestPages(ctx, []int64{int64(id)}, dueAt, s.PageParts, ownerOnly(user))
	if err != nil || len(requested) == 0 || !wait {
		return link, PageState{Waiting: len(requested) > 0}, err
	}
	texts, next, failure := s.fetchNow(ctx, link.URL, requested[0].Wants)
	if failure != nil {
		state.Failure = failureReason(failure)
	}
	if err := s.store.LearnPage(ctx, requested[0], texts); err != nil {
		return link, state, err
	}
	state.Waiting = next != nil && next.Wants.Has(waymark.TextParts)
	if next != nil {
		err = s.store.PostponePage(ctx, id, *next)
	} else {
		err = s.store.FinishPage(ctx, requested[0])
	}
	if err == nil {
		link, err = s.store.Link(ctx, user.ID, id)
	}
	return link, state, err
}

// pageFetch returns when the page of a new link is to be fetched, or nil. known is what is known of
// the page, nil if nothing is.
func (s *Service) pageFetch(link waymark.Link, known *waymark.FetchedPage) *waymark.PageFetch {
	if known != nil {
		return known.Fetch
	}
	if wants := s.wants(link); wants != 0 {
		return &waymark.PageFetch{DueAt: s.Now(), Wants: wants}
	}
	return nil
}

// changedPage returns when the page of a link is to be fetched after a change, or nil: for all that a
// new link gets if it has another URL, and for a copy if copies are now made of it.
func (s *Service) changedPage(before, after waymark.Link) *waymark.PageFetch {
	switch {
	case before.URL != after.URL:
		return s.pageFetch(after, nil)
	case before.Copies != after.Copies:
		if wants := s.wants(after) & (waymark.CopyPart | waymark.SavedPagePart); wants != 0 {
			return &waymark.PageFetch{DueAt: s.Now(), Wants: wants}
		}
	}
	return nil
}

// FetchPages fetches the pages of links that are due, one after the other, until there are none.
// Several goroutines can call it at the same time, up to PageOptions.Parallel.
func (s *Service) FetchPages(ctx context.Context) error {
	for ctx.Err() == nil {
		claimed, err := s.claimPage(ctx)
		if errors.Is(err, waymark.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = s.fetchClaimed(ctx, claimed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claimPage claims a page, or returns waymark.ErrNotFound.
func (s *Service) claimPage(ctx context.Context) (store.ClaimedPage, error) {
	return claim(&s.Pages.poll, s.Now, func() (store.ClaimedPage, error) {
		return s.store.ClaimPage(ctx, s.Now().Add(maxPageRequests*s.Pages.options.Timeout+s.Pages.files.MaxTime(s.Pages.options.Parallel)+claimTime))
	})
}

// fetchClaimed fetches a claimed page, and gives its link all that is wanted of it.
func (s *Service) fetchClaimed(ctx context.Context, claimed store.ClaimedPage) error {
	p := s.Pages
	// An import by a command, or an earlier start of the server, may have had other settings.
	claimed.Wants &= s.PageParts
	if claimed.Wants == 0 || claimed.Attempts >= p.options.Tries { // of no use, or a server was killed while it fetched the page
		return s.store.FinishPage(ctx, claimed)
	}
	if found, ok := p.kept.take(claimed.URL, claimed.Wants, s.Now()); ok {
		return s.finishClaimed(ctx, claimed, found, nil)
	}
	host, hosts := waymark.Host(claimed.URL), s.hosts(p)
	if began, err := hosts.begin(ctx, host); err != nil {
		return err
	} else if !began {
		return s.store.PostponePage(ctx, claimed.Link, waymark.PageFetch{DueAt: hosts.planNext(host), Attempts: claimed.Attempts, Wants: claimed.Wants})
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
	}
	found, err := p.fetch(ctx, claimed.URL, claimed.Wants, s.Now())
	// What was learned is stored, and a claim is given back, also when the server stops.
	storeCtx := context.WithoutCancel(ctx)
	if ctx.Err() != nil && err != nil {
		return s.store.PostponePage(storeCtx, claimed.Link, waymark.PageFetch{DueAt: s.Now(), Attempts: claimed.Attempts, Wants: claimed.Wants})
	}
	p.count(err)
	var status *pageError
	if errors.As(err, &status) && status.retryAfter > 0 {
		if err := hosts.holdForAll(storeCtx, host, s.Now().Add(status.retryAfter)); err != nil {
			return err
		}
	}
	return s.finishClaimed(ctx, claimed, found, err)
}

// finishClaimed gives the link of a claimed page all that is wanted of it. err is why the page could
// not be read to its end, nil if it was.
func (s *Service) finishClaimed(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, err error) error {
	wants, err := s.takeParts(ctx, claimed, found, err)
	storeCtx := context.WithoutCancel(ctx) // what is still wanted is stored also when the server stops
	if ctx.Err() != nil && wants != 0 {
		return s.store.PostponePage(storeCtx, claimed.Link, waymark.PageFetch{DueAt: s.Now(), Attempts: claimed.Attempts, Wants: wants})
	}
	if next := s.Pages.next(wants, err, claimed.Attempts+1, s.Now()); next != nil {
		return s.store.PostponePage(storeCtx, claimed.Link, *next)
	}
	return s.store.FinishPage(storeCtx, claimed)
}

// pagePart is a part of a page, and what gives it to the link. failed is why the page could not be
// read to its end, nil if it was. An error of take means that the part is still wanted.
type pagePart struct {
	part waymark.PageParts
	take func(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error) error
}

// takeParts gives a link what is wanted of its page. It returns what is still wanted after that, and
// the last error.
func (s *Service) takeParts(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error) (wants waymark.PageParts, last error) {
	for _, p := range []pagePart{
		{waymark.TextParts, s.takeTexts}, // says which image the next one takes
		{waymark.ThumbnailPart, s.takeThumbnail},
		{waymark.IconPart, s.takeIcon},
		{waymark.CopyPart, s.takeCopy},
		{waymark.SavedPagePart, s.takeSavedPage},
	} {
		if !claimed.Wants.Has(p.part) {
			continue
		}
		err := p.take(ctx, claimed, found, failed)
		if err != nil {
			wants |= p.part
			last = err
		}
		if ctx.Err() == nil { // else the server stops
			s.Pages.countPart(p.part, err)
		}
	}
	return wants, last
}

// takeTexts gives a link the texts of its page. A title is enough of a page that could not be read to
// its end.
func (s *Service) takeTexts(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil && found.texts.Title == "" {
		return failed
	}
	return s.store.LearnPage(context.WithoutCancel(ctx), claimed, found.texts)
}
