package service

import (
	"context"
	"errors"
	"slices"

	"waymark/internal/waymark"
)

// ErrNoChecks means that this server checks no links.
var ErrNoChecks = errors.New("this server does not check links")

// ErrNotChecked means that a link is not to be checked.
var ErrNotChecked = errors.New("the link is not checked: its check_disabled is set")

// ErrChecksOff means that the links of a user are not to be checked.
var ErrChecksOff = errors.New("links are not checked: the user has turned it off in the settings")

// CheckNow checks a user's own link. The background job checks it as soon as it can if wait is false,
// if that takes longer than CheckOptions.Wait, or if too many links are being checked. The errors are
// those of Store.Link, ErrNoChecks, ErrNotChecked and ErrChecksOff.
func (s *Service) CheckNow(ctx context.Context, user waymark.User, id waymark.LinkID, wait bool) error {
	link, err := s.ownLink(ctx, user, id)
	if err != nil {
		return err
	}
	if err := s.checksLinks(ctx, user); err != nil {
		return err
	}
	if link.CheckDisabled {
		return ErrNotChecked
	}
	checked := false
	if wait {
		checked, err = s.checkNow(ctx, link)
	}
	if err == nil && !checked {
		_, err = s.RequestChecks(ctx, user, []int64{int64(id)})
	}
	return err
}

// checksLinks returns ErrNoChecks or ErrChecksOff if the links of a user are not to be checked.
func (s *Service) checksLinks(ctx context.Context, user waymark.User) error {
	if s.Checks == nil {
		return ErrNoChecks
	}
	settings, err := s.store.Settings(ctx, user.ID)
	if err == nil && settings.NoChecks {
		err = ErrChecksOff
	}
	return err
}

// checkNow checks a link. It returns false if the check cannot begin now. One that takes too long is
// left to the background job.
func (s *Service) checkNow(ctx context.Context, link waymark.Link) (bool, error) {
	c := s.Checks
	if c.options.Wait == 0 {
		return false, nil
	}
	limited, cancel := context.WithTimeout(ctx, c.options.Wait)
	defer cancel()
	switch err := s.hosts(c.pages).wait(limited, waymark.Host(link.URL)); {
	case errors.Is(err, errHostBusy) || limited.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, err
	}
	select {
	case c.permits <- struct{}{}:
		defer func() { <-c.permits }()
	default:
		return false, nil
	}
	claimed, err := s.store.ClaimLinkCheck(ctx, link.ID, s.checkClaimEnd())
	if err != nil {
		return false, err
	}
	claimed.DueAt = s.Now() // if it takes too long
	_, err = s.check(limited, claimed)
	return true, err
}

// RequestChecks lets the background job check a user's own links as soon as it can. It returns the
// ids of those that are to be checked, sorted.
func (s *Service) RequestChecks(ctx context.Context, user waymark.User, ids []int64) ([]int64, error) {
	if err := s.checksLinks(ctx, user); err != nil {
		return nil, err
	}
	return requestInBatches(ctx, ids, func(ctx context.Context, ids []int64) ([]int64, error) {
		return s.store.RequestChecks(ctx, user.ID, ids, ownerOnly(user))
	})
}

// RequestPages lets the pages of a user's own links be fetched again in the background. It returns
// the ids of those that have such a page, sorted.
func (s *Service) RequestPages(ctx context.Context, user waymark.User, ids []int64) ([]int64, error) {
	if s.Pages == nil {
		return nil, ErrNoPages
	}
	return requestInBatches(ctx, ids, func(ctx context.Context, ids []int64) ([]int64, error) {
		return s.store.RequestPages(ctx, ids, s.PageParts, ownerOnly(user))
	})
}

// requestBatch is the number of links that one transaction requests, so that other writes do not
// wait long.
const requestBatch = 1000

// requestInBatches calls request with some of the ids at a time, and returns what it returns, sorted.
func requestInBatches(ctx context.Context, ids []int64, request func(context.Context, []int64) ([]int64, error)) ([]int64, error) {
	var requested []int64
	for batch := range slices.Chunk(ids, requestBatch) {
		some, err := request(ctx, batch)
		if err != nil {
			return nil, err
		}
		requested = append(requested, some...)
	}
	slices.Sort(requested)
	return requested, nil
}

// ConfirmLink records that the page of a link is there, although checks did not find it: the link
// is not broken, and the days on which its page was gone are forgotten.
func (s *Service) ConfirmLink(ctx context.Context, user waymark.User, id waymark.LinkID) error {
	return s.store.ChangeChecks(ctx, user.ID, id, ownerOnly(user), func(link *waymark.Link, checks *waymark.LinkChecks) {
		link.Status = waymark.StatusOK
		checks.Confirm(s.Now())
	})
}

// ErrNotMoved means that no new address of a link is known.
var ErrNotMoved = errors.New("no check has found a new address of the link")

// AcceptMove gives a user's own link the address to which its page has moved. The errors are those
// of EditLink and ErrNotMoved.
func (s *Service) AcceptMove(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, error) {
	link, err := s.ownLink(ctx, user, id)
	if err != nil {
		return link, err
	}
	checks, err := s.store.LinkChecks(ctx, user.ID, id)
	if err != nil {
		return link, err
	}
	if checks.NewURL == "" {
		return link, ErrNotMoved
	}
	return s.EditLink(ctx, user, id, waymark.LinkInput{URL: checks.NewURL})
}

// ownLink returns an active link of the user's own.
func (s *Service) ownLink(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, error) {
	link, err := s.store.Link(ctx, user.ID, id)
	if err != nil {
		return link, err
	}
	return link, ownerOnly(user)(link.Owner)
}
