package crawl

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

// CheckNow checks a user's own link. The background job checks it as soon as it can if wait is
// false, if that takes longer than Options.CheckWait, or if too many links are being checked. It
// returns the errors of Store.Link, ErrNoChecks, ErrNotChecked and ErrChecksOff.
func (c *Crawler) CheckNow(ctx context.Context, user waymark.User, id waymark.LinkID, wait bool) error {
	link, err := c.store.OwnLink(ctx, user, id)
	if err != nil {
		return err
	}
	if err := c.requireChecks(ctx, user); err != nil {
		return err
	}
	if link.CheckDisabled {
		return ErrNotChecked
	}
	checked := false
	if wait {
		checked, err = c.checkNow(ctx, link)
	}
	if err == nil && !checked {
		_, err = c.RequestChecks(ctx, user, []int64{int64(id)})
	}
	return err
}

// requireChecks returns ErrNoChecks or ErrChecksOff if the links of a user are not to be checked.
func (c *Crawler) requireChecks(ctx context.Context, user waymark.User) error {
	if !c.options.Checks {
		return ErrNoChecks
	}
	settings, err := c.store.Accounts.Settings(ctx, user.ID)
	if err == nil && settings.NoChecks {
		err = ErrChecksOff
	}
	return err
}

// checkNow checks a link, or returns false if it cannot begin now. A long check goes to the job.
func (c *Crawler) checkNow(ctx context.Context, link waymark.Link) (bool, error) {
	checks := c.checks
	if c.options.CheckWait == 0 {
		return false, nil
	}
	limited, cancel := context.WithTimeout(ctx, c.options.CheckWait)
	defer cancel()
	switch err := c.hosts.wait(limited, waymark.Host(link.URL)); {
	case errors.Is(err, errHostBusy) || limited.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, err
	}
	select {
	case checks.permits <- struct{}{}:
		defer func() { <-checks.permits }()
	default:
		return false, nil
	}
	claimed, err := c.store.Queue.ClaimLinkCheck(ctx, link.ID, c.checkClaimEnd())
	if err != nil {
		return false, err
	}
	claimed.DueAt = c.store.Now() // if it takes too long
	if _, err = c.check(limited, claimed); errors.Is(err, errCut) {
		err = nil // the job tries again
	}
	return true, err
}

// RequestChecks lets the background job check a user's own links as soon as it can. It returns the
// ids of those that are to be checked, sorted.
func (c *Crawler) RequestChecks(ctx context.Context, user waymark.User, ids []int64) ([]int64, error) {
	if err := c.requireChecks(ctx, user); err != nil {
		return nil, err
	}
	return requestInBatches(ctx, ids, func(ctx context.Context, ids []int64) ([]int64, error) {
		return c.store.Queue.RequestChecks(ctx, user.ID, ids)
	})
}

// RequestPages lets the pages of a user's own links be fetched again in the background. It returns
// the ids of those that have such a page, sorted.
func (c *Crawler) RequestPages(ctx context.Context, user waymark.User, ids []int64) ([]int64, error) {
	return c.requestPages(ctx, user, ids, false)
}

// requestPages is RequestPages; byHand says that a person waits for the page.
func (c *Crawler) requestPages(ctx context.Context, user waymark.User, ids []int64, byHand bool) ([]int64, error) {
	if c.options.Parts == 0 {
		return nil, ErrNoPages
	}
	return requestInBatches(ctx, ids, func(ctx context.Context, ids []int64) ([]int64, error) {
		return c.store.Queue.RequestPages(ctx, user.ID, ids, c.options.Parts, byHand)
	})
}

// requestBatch is the number of links of one transaction, so that other writes do not wait long.
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
func (c *Crawler) ConfirmLink(ctx context.Context, user waymark.User, id waymark.LinkID) error {
	return c.store.Queue.ChangeChecks(ctx, user, id, func(link *waymark.Link, checks *waymark.LinkChecks) {
		link.Status = waymark.StatusOK
		checks.Confirm(c.store.Now())
	})
}
