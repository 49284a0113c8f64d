package crawl

import (
	"context"
	"errors"
	"time"

	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// claimTime is added to the time limits of all requests for a page to get the duration of its claim.
const claimTime = time.Minute

// maxPageRequests is the number of requests for a page, the page to which it refers, its image and its icon.
const maxPageRequests = 4

// ErrNoPages means that this server does not fetch pages.
var ErrNoPages = errors.New("this server does not fetch pages")

// PageState says what became of a page that was to be fetched.
type PageState struct {
	Waiting bool   // it is fetched in the background, for its texts
	Failure string // why it could not be fetched, "" if it was; see fetch.Reason
}

// FetchNew fetches the page of a link that user has just added, if the link lacks texts. It returns the
// link as it is after that, or after Options.Wait. Errors are logged, because the link is saved.
func (c *Crawler) FetchNew(ctx context.Context, user waymark.User, link waymark.Link) waymark.Link {
	if !c.options.Parts.Has(waymark.TextParts) || !link.LacksTexts() {
		return link
	}
	_, err := c.fetchNow(ctx, user.ID, link)
	fetched := link
	if err == nil {
		fetched, err = c.store.Link(ctx, user.ID, link.ID)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, waymark.ErrNotFound) {
		c.options.Log.Error("page of a new link not fetched", "link", link.ID, "error", err)
	}
	if err != nil {
		return link
	}
	return fetched
}

// FetchAgain fetches the page of a user's own link again, for texts that were not typed or are
// empty. It returns the link as it is after that, or after Options.Wait. It returns ErrNoPages if
// pages are not fetched.
func (c *Crawler) FetchAgain(ctx context.Context, user waymark.User, id waymark.LinkID) (link waymark.Link, state PageState, err error) {
	if link, state, err = c.FetchLater(ctx, user, id); err != nil || !state.Waiting || !c.options.Parts.Has(waymark.TextParts) {
		return link, state, err
	}
	if state, err = c.fetchNow(ctx, user.ID, link); err == nil {
		link, err = c.store.Link(ctx, user.ID, id)
	}
	return link, state, err
}

// FetchLater is FetchAgain, but in the background: it returns the link as it is now.
func (c *Crawler) FetchLater(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, PageState, error) {
	link, err := c.store.OwnLink(ctx, user, id)
	if err != nil {
		return link, PageState{}, err
	}
	requested, err := c.requestPages(ctx, user, []int64{int64(id)}, true)
	return link, PageState{Waiting: len(requested) > 0}, err
}

// fetchNow runs the job of fetchPages for one link, and waits until the link has the texts of its page, at most for
// Options.Wait. The job goes on after that, so that nobody waits for pictures. If the host may not be requested soon,
// the page waits for the background job.
func (c *Crawler) fetchNow(ctx context.Context, user waymark.UserID, link waymark.Link) (PageState, error) {
	limited, cancel := context.WithTimeout(ctx, c.options.Wait)
	defer cancel()
	p, waiting := c.pages, PageState{Waiting: true}
	if !c.hosts.waitUntilFree(limited, waymark.Host(link.URL), c.options.Wait/2) {
		return waiting, ctx.Err() // the job would only postpone the page
	}
	release, err := p.now.Acquire(limited, int64(user), 1)
	if err != nil {
		return waiting, ctx.Err()
	}
	claimed, err := c.store.Queue.ClaimPageOfLink(ctx, link.ID, c.claimEnd())
	if err != nil {
		release()
		if errors.Is(err, waymark.ErrNotFound) {
			return c.untilFetched(limited, user, link)
		}
		return waiting, err
	}
	states := make(chan PageState, 1)
	p.running.Go(func() {
		defer release()
		defer close(states)
		err := c.fetchClaimed(p.ctx, claimed, func(state PageState) { states <- state })
		if err != nil && p.ctx.Err() == nil {
			c.options.Log.Error("page not fetched", "link", link.ID, "error", err)
		}
	})
	if !claimed.Wants.Has(waymark.TextParts) { // its owner wants no texts
		return waiting, nil
	}
	select {
	case state, reported := <-states:
		if !reported {
			return waiting, nil
		}
		return state, nil
	case <-limited.Done():
		return waiting, ctx.Err()
	}
}

// fetchedPoll is how often untilFetched looks.
const fetchedPoll = 50 * time.Millisecond

// untilFetched waits until the background job, which has just claimed the page of a link, has set its texts.
func (c *Crawler) untilFetched(ctx context.Context, user waymark.UserID, link waymark.Link) (PageState, error) {
	for {
		now, err := c.store.Link(ctx, user, link.ID)
		if err != nil {
			return PageState{Waiting: true}, err
		}
		queued, err := c.store.Queue.QueuedPages(ctx, []waymark.LinkID{link.ID})
		if _, ok := queued[link.ID]; err != nil || !ok || now.Title != link.Title || now.Description != link.Description {
			return PageState{}, err
		}
		select {
		case <-ctx.Done():
			return PageState{Waiting: true}, nil
		case <-time.After(fetchedPoll):
		}
	}
}

// FetchPages fetches the pages of links that are due, one after the other, until there are none.
// Several goroutines can call it at the same time.
func (c *Crawler) FetchPages(ctx context.Context) error {
	return c.fetchPages(ctx, &c.pages.queue, c.store.Queue.ClaimPage)
}

// FetchPagesByHand is FetchPages for the links that were saved by hand, so that the pages of an import do not keep
// a new link waiting.
func (c *Crawler) FetchPagesByHand(ctx context.Context) error {
	return c.fetchPages(ctx, &c.pages.byHand, c.store.Queue.ClaimPageByHand)
}

// FetchPagesOf is FetchPages for the links of one user.
func (c *Crawler) FetchPagesOf(ctx context.Context, user waymark.UserID) error {
	return c.fetchPages(ctx, &c.pages.queue, func(ctx context.Context, until waymark.Time) (queue.ClaimedPage, error) {
		return c.store.Queue.ClaimPageOf(ctx, user, until)
	})
}

// fetchPages fetches what claimPage claims, until there is no more.
func (c *Crawler) fetchPages(ctx context.Context, p *poll, claimPage func(ctx context.Context, until waymark.Time) (queue.ClaimedPage, error)) error {
	for ctx.Err() == nil {
		claimed, err := claim(p, c.store.Now, func() (queue.ClaimedPage, error) { return claimPage(ctx, c.claimEnd()) })
		if errors.Is(err, waymark.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = c.fetchClaimed(ctx, claimed, func(PageState) {})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxTime returns the time limit of a page with all its parts.
func (c *Crawler) maxTime() time.Duration {
	o := c.pages.options
	return maxPageRequests*o.Timeout + c.pages.files.MaxTime(o.Parallel)
}

// claimEnd returns when a claim of a page ends that begins now: after its time limit.
func (c *Crawler) claimEnd() waymark.Time { return c.store.Now().Add(c.maxTime() + claimTime) }

// fetchClaimed fetches a claimed page, and gives its link all that is wanted of it. It reports the state
// of the texts once, unless the page is postponed.
func (c *Crawler) fetchClaimed(ctx context.Context, claimed queue.ClaimedPage, report func(PageState)) error {
	p := c.pages
	// An import by a command, or an earlier start of the server, may have had other settings.
	claimed.Wants &= c.options.Parts
	if claimed.Wants.Has(waymark.TextSnapshotPart | waymark.FullSnapshotPart) {
		uploaded, err := c.store.Snapshots.HasUploaded(ctx, claimed.Link)
		if err != nil {
			return err
		}
		if uploaded {
			claimed.Wants &^= waymark.TextSnapshotPart | waymark.FullSnapshotPart
		}
	}
	if claimed.Wants == 0 || claimed.Attempts >= p.options.Tries { // of no use, or a server was killed while it fetched the page
		return c.store.Queue.FinishPage(ctx, claimed)
	}
	host, hosts := waymark.Host(claimed.URL), c.hosts
	// What was fetched is stored, and a claim is given back, also when the server stops.
	storeCtx := context.WithoutCancel(ctx)
	if began, err := hosts.begin(storeCtx, host); err != nil {
		return err
	} else if !began {
		return c.store.Queue.PostponePage(storeCtx, claimed, waymark.PageFetch{DueAt: hosts.postpone(plan{host, claimed.ByHand}), Attempts: claimed.Attempts, Wants: claimed.Wants})
	}
	limited, cancel := context.WithTimeoutCause(ctx, c.maxTime(), errPageTime)
	defer cancel()
	found, err := p.fetch(limited, claimed.URL, claimed.Wants, c.store.Now(), hosts.wait)
	if ctx.Err() != nil && err != nil {
		return c.store.Queue.PostponePage(storeCtx, claimed, waymark.PageFetch{DueAt: c.store.Now(), Attempts: claimed.Attempts, Wants: claimed.Wants})
	}
	c.countPage(err)
	if err := hosts.obeyRetryAfter(storeCtx, host, err); err != nil {
		return err
	}
	return c.takeParts(limited, claimed, found, err, report)
}

// errPageTime is why the context of takeParts ends after the time limit of the page.
var errPageTime = errors.New("the page takes too long")

// takeParts gives the link of a claimed page all that is wanted of it. When ctx ends with errPageTime, the rest is given
// up; when the server stops, it is done later. failed is why the page could not be read to its
// end.
func (c *Crawler) takeParts(ctx context.Context, claimed queue.ClaimedPage, found fetchedPage, failed error, report func(PageState)) error {
	var wants waymark.PageParts // what is still wanted
	var last error
	stopped := func() bool { return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errPageTime) }
	take := func(part waymark.PageParts, takePart func(context.Context, queue.ClaimedPage, fetchedPage, error) error) {
		if !claimed.Wants.Has(part) {
			return
		}
		err := takePart(ctx, claimed, found, failed)
		if err != nil {
			wants |= part
			last = err
		}
		if !stopped() {
			c.countPart(part, err)
		}
	}
	take(waymark.TextParts, c.takeTexts) // before the thumbnail, whose image it sets
	state := c.textState(last, claimed)
	if claimed.Wants == waymark.TextParts {
		defer report(state)
	} else { // the other parts take longer
		report(state)
	}
	take(waymark.ThumbnailPart, c.takeThumbnail)
	take(waymark.IconPart, c.takeIcon)
	take(waymark.TextSnapshotPart, c.takeSnapshot)
	take(waymark.FullSnapshotPart, c.takeFullSnapshot)

	next := c.pages.next(wants, last, claimed.Attempts+1, c.store.Now())
	switch {
	case stopped() && wants != 0:
		next = &waymark.PageFetch{DueAt: c.store.Now(), Attempts: claimed.Attempts, Wants: wants}
	case ctx.Err() != nil: // another attempt would take as long
		next = nil
	}
	storeCtx := context.WithoutCancel(ctx) // what is still wanted is stored also when the server stops
	if next != nil {
		return c.store.Queue.PostponePage(storeCtx, claimed, *next)
	}
	return c.store.Queue.FinishPage(storeCtx, claimed)
}

// textState returns the state of the texts of a claimed page that ended with err.
func (c *Crawler) textState(err error, claimed queue.ClaimedPage) PageState {
	if err == nil {
		return PageState{}
	}
	next := c.pages.next(waymark.TextParts, err, claimed.Attempts+1, c.store.Now())
	return PageState{Waiting: next != nil, Failure: failureReason(err)}
}

// takeTexts gives a link the texts of its page. Of an incomplete page, a title is enough.
func (c *Crawler) takeTexts(ctx context.Context, claimed queue.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil && found.texts.Title == "" {
		return failed
	}
	return c.store.Queue.SetPageTexts(context.WithoutCancel(ctx), claimed, found.texts)
}
