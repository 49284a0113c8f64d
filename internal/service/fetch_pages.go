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
// nothing more is wanted. The error says why the page could not be read to its end; it is nil if the
// page was not requested, or not in time.
func (s *Service) fetchNow(ctx context.Context, address string, wants waymark.PageParts) (texts waymark.PageTexts, next *waymark.PageFetch, err error) {
	p := s.Pages
	later := &waymark.PageFetch{DueAt: s.Now(), Wants: wants}
	ctx, cancel := context.WithTimeout(ctx, p.options.Wait)
	defer cancel()
	host, hosts := waymark.Host(address), s.hosts(p)
	if began, err := hosts.begin(ctx, host); err != nil || !began {
		return texts, later, nil
	}
	select {
	case p.permits <- struct{}{}:
		defer func() { <-p.permits }()
	case <-ctx.Done():
		return texts, later, nil
	}
	found, err := p.fetch(ctx, address, wants|waymark.TextParts, s.Now())
	if hosts.obeyRetryAfter(context.WithoutCancel(ctx), host, err) != nil {
		return texts, later, nil
	}
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

// ErrNoPages means that this server does not fetch pages.
var ErrNoPages = errors.New("this server does not fetch pages")

// PageState says what became of a page that was to be fetched.
type PageState struct {
	Waiting bool   // it is fetched in the background, for its texts
	Failure string // why it could not be fetched, "" if it was; see fetch.Reason
}

// FetchAgain fetches the page of a user's own link again, for its texts that were not typed and
// those that are empty. It returns the link as it is after that, or after PageOptions.Wait. It returns
// ErrNoPages if pages are not fetched.
func (s *Service) FetchAgain(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, PageState, error) {
	return s.fetchAgain(ctx, user, id, true)
}

// FetchLater is FetchAgain, but in the background: it returns the link as it is now.
func (s *Service) FetchLater(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, PageState, error) {
	return s.fetchAgain(ctx, user, id, false)
}

func (s *Service) fetchAgain(ctx context.Context, user waymark.User, id waymark.LinkID, wait bool) (link waymark.Link, state PageState, err error) {
	if link, err = s.ownLink(ctx, user, id); err != nil {
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
	texts, next, failure := s.fetchNow(ctx, requested[0].URL, requested[0].Wants)
	if failure != nil {
		state.Failure = failureReason(failure)
	}
	if err := s.store.SetPageTexts(ctx, requested[0], texts); err != nil {
		return link, state, err
	}
	state.Waiting = next != nil && next.Wants.Has(waymark.TextParts)
	if next != nil {
		err = s.store.PostponePage(ctx, requested[0], *next)
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

// changedPage returns when the page of a link is to be fetched after a change, or nil. A link with
// another URL gets all that a new link gets, and one with another choice of copies gets copies.
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
	longest := maxPageRequests*s.Pages.options.Timeout + s.Pages.files.MaxTime(s.Pages.options.Parallel) + claimTime
	for ctx.Err() == nil {
		claimed, err := claim(&s.Pages.poll, s.Now, func() (store.ClaimedPage, error) {
			return claimPage(ctx, s.Now().Add(longest))
		})
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
		return s.store.PostponePage(ctx, claimed, waymark.PageFetch{DueAt: hosts.planNext(host), Attempts: claimed.Attempts, Wants: claimed.Wants})
	}
	select {
	case p.permits <- struct{}{}:
		defer func() { <-p.permits }()
	case <-ctx.Done(): // fetch returns its error
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
	return s.finishClaimed(ctx, claimed, found, err)
}

// finishClaimed gives the link of a claimed page all that is wanted of it. err is why the page could
// not be read to its end, nil if it was.
func (s *Service) finishClaimed(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, err error) error {
	wants, err := s.takeParts(ctx, claimed, found, err)
	storeCtx := context.WithoutCancel(ctx) // what is still wanted is stored also when the server stops
	if ctx.Err() != nil && wants != 0 {
		return s.store.PostponePage(storeCtx, claimed, waymark.PageFetch{DueAt: s.Now(), Attempts: claimed.Attempts, Wants: wants})
	}
	if next := s.Pages.next(wants, err, claimed.Attempts+1, s.Now()); next != nil {
		return s.store.PostponePage(storeCtx, claimed, *next)
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
		{waymark.TextParts, s.takeTexts}, // before the thumbnail, whose image it sets
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

// takeTexts gives a link the texts of its page. If the page could not be read to its end, a title is
// enough.
func (s *Service) takeTexts(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil && found.texts.Title == "" {
		return failed
	}
	return s.store.SetPageTexts(context.WithoutCancel(ctx), claimed, found.texts)
}
