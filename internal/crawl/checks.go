package crawl

import (
	"context"
	"errors"
	"sync"

	"waymark/internal/fetch/check"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// checker checks the URLs of links. It shares the pauses between requests to a host with pageFetcher.
type checker struct {
	permits chan struct{} // holds a value for each check of CheckNow

	planning sync.Mutex     // held by the one goroutine that plans checks
	planned  waymark.LinkID // the last link that PlanChecks has looked at

	poll poll
}

// maxPlanned is how many batches of links one call of PlanChecks plans.
const maxPlanned = 10

// PlanChecks plans the first checks of up to 20,000 links. The next call continues after them.
func (c *Crawler) PlanChecks(ctx context.Context) error {
	checks := c.checks
	checks.planning.Lock()
	defer checks.planning.Unlock()
	for range maxPlanned {
		last, err := c.store.Queue.PlanChecks(ctx, checks.planned)
		if err != nil {
			return err
		}
		checks.planned = last
		if last == 0 {
			return nil
		}
	}
	return nil
}

// CheckLinks checks due links one after the other. Several goroutines can call it at once.
func (c *Crawler) CheckLinks(ctx context.Context) error {
	for ctx.Err() == nil {
		claimed, err := claim(&c.checks.poll, c.store.Now, func() (queue.ClaimedCheck, error) { return c.store.Queue.ClaimCheck(ctx, c.checkClaimEnd()) })
		if errors.Is(err, waymark.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		host := waymark.Host(claimed.URL)
		began, err := c.hosts.begin(ctx, host)
		switch {
		case began:
			err = c.check(ctx, claimed)
		case err == nil:
			err = c.store.Queue.PostponeCheck(ctx, claimed.Link, c.hosts.postpone(plan{host: host}))
		}
		if err != nil && !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
	}
	return nil
}

// checkClaimEnd returns when a claim ends that begins now.
func (c *Crawler) checkClaimEnd() waymark.Time {
	return c.store.Now().Add(c.options.Timeout + claimTime)
}

// check checks a claimed link and stores the result. It returns waymark.ErrNotFound if the link was
// deleted or got another URL.
func (c *Crawler) check(ctx context.Context, claimed queue.ClaimedCheck) error {
	host, hosts := waymark.Host(claimed.URL), c.hosts
	hosts.hold(host, c.store.Now().Add(hosts.pause))
	found := check.URL(ctx, c.options.Client, claimed.URL, c.store.Now)
	// What was found is stored, and a claim is given back, also when the server stops.
	storeCtx := context.WithoutCancel(ctx)
	if found.Result == waymark.CheckNone {
		return c.store.Queue.PostponeCheck(storeCtx, claimed.Link, claimed.DueAt)
	}
	hosts.hold(host, c.store.Now().Add(hosts.pause))
	if found.RetryAfter > 0 {
		if err := hosts.holdForAll(storeCtx, host, c.store.Now().Add(found.RetryAfter)); err != nil {
			return err
		}
	}
	c.counts.add(func(s *Stats) { s.Checks[CountedResult{found.Result, found.Reason}]++ })
	return c.store.Queue.AddCheck(storeCtx, claimed, found)
}
