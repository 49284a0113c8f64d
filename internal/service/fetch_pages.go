package service

import (
	"context"
	"errors"
	"time"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// claimTime is added to the time limits of all requests for a page to get the duration of its claim.
const claimTime = time.Minute

// maxPageRequests is the number of requests for a page, its image and its icon.
const maxPageRequests = 3

// ErrNoPages means that this server does not fetch pages.
var ErrNoPages = errors.New("this server does not fetch pages")

// PageState says what became of a page that was to be fetched.
type PageState struct {
	Waiting bool   // it is fetched in the background, for its texts
	Failure string // why it could not be fetched, "" if it was; see fetch.Reason
}

// FetchNew fetches the page of a link that user has just added, if the link lacks texts. It returns the
// link as it is after that, or after PageOptions.Wait. Errors are logged, because the link is saved.
func (s *Service) FetchNew(ctx context.Context, user waymark.User, link waymark.Link) waymark.Link {
	if s.Pages == nil || !s.PageParts.Has(waymark.TextParts) || !link.LacksTexts() {
		return link
	}
	_, err := s.fetchNow(ctx, link.ID)
	fetched := link
	if err == nil {
		fetched, err = s.store.Link(ctx, user.ID, link.ID)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, waymark.ErrNotFound) {
		s.Log.Error("page of a new link not fetched", "link", link.ID, "error", err)
	}
	if err != nil {
		return link
	}
	return fetched
}

// FetchAgain fetches the page of a user's own link again, for its texts that were not typed and
// those that are empty. It returns the link as it is after that, or after PageOptions.Wait. It returns
// ErrNoPages if pages are not fetched.
func (s *Service) FetchAgain(ctx context.Context, user waymark.User, id waymark.LinkID) (link waymark.Link, state PageState, err error) {
	if link, state, err = s.FetchLater(ctx, user, id); err != nil || !state.Waiting || !s.PageParts.Has(waymark.TextParts) {
		return link, state, err
	}
	if state, err = s.fetchNow(ctx, id); err == nil {
		link, err = s.store.Link(ctx, user.ID, id)
	}
	return link, state, err
}

// FetchLater is FetchAgain, but in the background: it returns the link as it is now.
func (s *Service) FetchLater(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, PageState, error) {
	link, err := s.ownLink(ctx, user, id)
	if err != nil {
		return link, PageState{}, err
	}
	requested, err := s.RequestPages(ctx, user, []int64{int64(id)})
	return link, PageState{Waiting: len(requested) > 0}, err
}

// fetchNow runs the job of fetchPages for one link, and waits until the link has the texts of its page,
// at most for PageOptions.Wait. The job goes on after that, so that nobody waits for pictures.
func (s *Service) fetchNow(ctx context.Context, link waymark.LinkID) (PageState, error) {
	p, waiting := s.Pages, PageState{Waiting: true}
	limited, cancel := context.WithTimeout(ctx, p.options.Wait)
	defer cancel()
	if !p.acquire(limited) {
		return waiting, ctx.Err()
	}
	claimed, err := s.store.ClaimPageOfLink(ctx, link, s.claimEnd())
	if err != nil {
		p.release()
		if errors.Is(err, waymark.ErrNotFound) { // another server fetches it, or its owner wants nothing of it
			err = nil
		}
		return waiting, err
	}
	states := make(chan PageState, 2)
	p.running.Go(func() {
		defer p.release()
		err := s.fetchClaimed(p.ctx, claimed, func(state PageState) { states <- state })
		if err != nil && p.ctx.Err() == nil {
			s.Log.Error("page not fetched", "link", link, "error", err)
		}
		states <- waiting
	})
	if !claimed.Wants.Has(waymark.TextParts) { // its owner wants no texts
		return waiting, nil
	}
	select {
	case state := <-states:
		return state, nil
	case <-limited.Done():
		return waiting, ctx.Err()
	}
}

// FetchPages fetches the pages of links that are due, one after the other, until there are none.
// Several goroutines can call it at the same time, up to PageOptions.Parallel.
func (s *Service) FetchPages(ctx context.Context) error {
	return s.fetchPages(ctx, s.store.ClaimPage)
}

// FetchPagesOf is FetchPages for the links of one user.
func (s *Service) FetchPagesOf(ctx context.Context, user waymark.UserID) error {
	return s.fetchPages(ctx, func(ctx context.Context, until waymark.Time) (store.ClaimedPage, error) {
		return s.store.ClaimPageOf(ctx, user, until)
	})
}

// fetchPages fetches the pages that claimPage claims, until it returns waymark.ErrNotFound.
func (s *Service) fetchPages(ctx context.Context, claimPage func(ctx context.Context, until waymark.Time) (store.ClaimedPage, error)) error {
	fetchNext := func() error {
		defer s.Pages.release()
		claimed, err := claim(&s.Pages.poll, s.Now, func() (store.ClaimedPage, error) { return claimPage(ctx, s.claimEnd()) })
		if err != nil {
			return err
		}
		return s.fetchClaimed(ctx, claimed, func(PageState) {})
	}
	for s.Pages.acquire(ctx) {
		switch err := fetchNext(); {
		case errors.Is(err, waymark.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// claimEnd returns when a claim of a page ends that begins now: after the longest time that the page and
// all that is made of it can take.
func (s *Service) claimEnd() waymark.Time {
	o := s.Pages.options
	return s.Now().Add(maxPageRequests*o.Timeout + s.Pages.files.MaxTime(o.Parallel) + claimTime)
}

// fetchClaimed fetches a claimed page, and gives its link all that is wanted of it. It reports the state
// of the texts once, unless the page is postponed.
func (s *Service) fetchClaimed(ctx context.Context, claimed store.ClaimedPage, report func(PageState)) error {
	p := s.Pages
	// An import by a command, or an earlier start of the server, may have had other settings.
	claimed.Wants &= s.PageParts
	if claimed.Wants == 0 || claimed.Attempts >= p.options.Tries { // of no use, or a server was killed while it fetched the page
		return s.store.FinishPage(ctx, claimed)
	}
	host, hosts := waymark.Host(claimed.URL), s.hosts(p)
	if began, err := hosts.begin(ctx, host); err != nil {
		return err
	} else if !began {
		return s.store.PostponePage(ctx, claimed, waymark.PageFetch{DueAt: hosts.planNext(host), Attempts: claimed.Attempts, Wants: claimed.Wants})
	}
	found, err := p.fetch(ctx, claimed.URL, claimed.Wants, s.Now())
	// What was fetched is stored, and a claim is given back, also when the server stops.
	storeCtx := context.WithoutCancel(ctx)
	if ctx.Err() != nil && err != nil {
		return s.store.PostponePage(storeCtx, claimed, waymark.PageFetch{DueAt: s.Now(), Attempts: claimed.Attempts, Wants: claimed.Wants})
	}
	p.count(err)
	if err := hosts.obeyRetryAfter(storeCtx, host, err); err != nil {
		return err
	}
	return s.takeParts(ctx, claimed, found, err, report)
}

// takeParts gives the link of a claimed page all that is wanted of it. failed is why the page could not be
// read to its end, nil if it was.
func (s *Service) takeParts(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error, report func(PageState)) error {
	var wants waymark.PageParts // what is still wanted
	var last error
	take := func(part waymark.PageParts, takePart func(context.Context, store.ClaimedPage, fetchedPage, error) error) {
		if !claimed.Wants.Has(part) {
			return
		}
		err := takePart(ctx, claimed, found, failed)
		if err != nil {
			wants |= part
			last = err
		}
		if ctx.Err() == nil { // else the server stops
			s.Pages.countPart(part, err)
		}
	}
	take(waymark.TextParts, s.takeTexts) // before the thumbnail, whose image it sets
	state := s.textState(last, claimed)
	if claimed.Wants == waymark.TextParts {
		defer report(state)
	} else { // the other parts take longer
		report(state)
	}
	take(waymark.ThumbnailPart, s.takeThumbnail)
	take(waymark.IconPart, s.takeIcon)
	take(waymark.TextSnapshotPart, s.takeSnapshot)
	take(waymark.FullSnapshotPart, s.takeFullSnapshot)

	next := s.Pages.next(wants, last, claimed.Attempts+1, s.Now())
	if ctx.Err() != nil && wants != 0 {
		next = &waymark.PageFetch{DueAt: s.Now(), Attempts: claimed.Attempts, Wants: wants}
	}
	storeCtx := context.WithoutCancel(ctx) // what is still wanted is stored also when the server stops
	if next != nil {
		return s.store.PostponePage(storeCtx, claimed, *next)
	}
	return s.store.FinishPage(storeCtx, claimed)
}

// textState returns the state of the texts of a claimed page that ended with err.
func (s *Service) textState(err error, claimed store.ClaimedPage) PageState {
	if err == nil {
		return PageState{}
	}
	next := s.Pages.next(waymark.TextParts, err, claimed.Attempts+1, s.Now())
	return PageState{Waiting: next != nil, Failure: failureReason(err)}
}

// takeTexts gives a link the texts of its page. If the page could not be read to its end, a title is
// enough.
func (s *Service) takeTexts(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil && found.texts.Title == "" {
		return failed
	}
	return s.store.SetPageTexts(context.WithoutCancel(ctx), claimed, found.texts)
}
