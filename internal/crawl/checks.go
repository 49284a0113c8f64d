package crawl

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"waymark/internal/fetch"
	"waymark/internal/fetch/check"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// checker checks the URLs of links. It shares the pauses between requests to a host with pageFetcher.
type checker struct {
	permits chan struct{} // holds a value for each check of CheckNow

	planning sync.Mutex     // held by the one goroutine that plans checks
	planned  waymark.LinkID // the last link that PlanChecks has looked at

	cut atomic.Bool // the last check found that this server cannot look up names

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
			_, err = c.check(ctx, claimed)
		case err == nil:
			err = c.store.Queue.PostponeCheck(ctx, claimed.Link, c.hosts.postpone(plan{host: host}))
		}
		if errors.Is(err, errCut) {
			return nil // the next call tries again
		}
		if err != nil && !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
	}
	return nil
}

// errCut means that a check says nothing about a page, because this server cannot look up names.
var errCut = errors.New("this server cannot look up names")

// Cut reports whether the last check found that this server cannot look up names. Then checks find nothing, and nothing
// is stored.
func (c *Crawler) Cut() bool { return c.checks.cut.Load() }

// isCut reports whether a check has failed because this server cannot look up names. A resolver without a way to
// others may say of every host that there is none.
func (c *Crawler) isCut(ctx context.Context, found waymark.LastCheck) bool {
	switch fetch.Reason(found.Reason) {
	case fetch.NoSuchHost, fetch.LookupFailed, fetch.Unreachable:
		return !c.options.Client.LooksUp(ctx)
	}
	return false
}

// checkClaimEnd returns when a claim ends that begins now.
func (c *Crawler) checkClaimEnd() waymark.Time {
	return c.store.Now().Add(c.options.Timeout + claimTime)
}

// check checks a claimed link and stores the result. It returns waymark.ErrNotFound if the link was
// deleted or got another URL, errCut if this server cannot look up names, and an empty CheckedLink if the check was
// given up.
func (c *Crawler) check(ctx context.Context, claimed queue.ClaimedCheck) (CheckedLink, error) {
	host, hosts := waymark.Host(claimed.URL), c.hosts
	hosts.hold(host, c.store.Now().Add(hosts.pause))
	found := check.URL(ctx, c.options.Client, claimed.URL, c.store.Now)
	// What was found is stored, and a claim is given back, also when the server stops.
	storeCtx := context.WithoutCancel(ctx)
	if found.Result == waymark.CheckNone {
		return CheckedLink{}, c.store.Queue.PostponeCheck(storeCtx, claimed.Link, claimed.DueAt)
	}
	cut := c.isCut(ctx, found)
	c.checks.cut.Store(cut)
	if cut {
		return CheckedLink{}, cmp.Or(c.store.Queue.PostponeCheck(storeCtx, claimed.Link, claimed.DueAt), errCut)
	}
	hosts.hold(host, c.store.Now().Add(hosts.pause))
	if found.RetryAfter > 0 {
		if err := hosts.holdForAll(storeCtx, host, c.store.Now().Add(found.RetryAfter)); err != nil {
			return CheckedLink{}, err
		}
	}
	c.counts.add(func(s *Stats) { s.Checks[CountedResult{found.Result, found.Reason}]++ })
	link, err := c.store.Queue.AddCheck(storeCtx, claimed, found)
	return CheckedLink{Link: link, Result: found}, err
}

// CheckedLink is a link that was checked.
type CheckedLink struct {
	Link   waymark.Link
	Result waymark.LastCheck
}

// CheckThese checks links whether they are due or not, and calls done after each, from one
// goroutine at a time. It skips links that were deleted or excluded since, and links of servers that want no request
// for more than a minute: done gets a zero CheckedLink for each.
func (c *Crawler) CheckThese(ctx context.Context, links []queue.CheckableLink, done func(CheckedLink) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan queue.CheckableLink)
	var running sync.WaitGroup
	var mu sync.Mutex
	for range c.options.Parallel {
		running.Go(func() {
			for link := range queue {
				checked, err := c.checkOne(ctx, link)
				if err == nil {
					mu.Lock()
					err = done(checked)
					mu.Unlock()
				}
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	skipped, err := c.queueLinks(ctx, links, queue)
	close(queue)
	running.Wait()
	for ; skipped > 0 && err == nil; skipped-- {
		err = done(CheckedLink{})
	}
	return cmp.Or(context.Cause(ctx), err)
}

func (c *Crawler) checkOne(ctx context.Context, link queue.CheckableLink) (CheckedLink, error) {
	claimed, err := c.store.Queue.ClaimLinkCheck(ctx, link.ID, c.checkClaimEnd())
	checked := CheckedLink{}
	if err == nil {
		checked, err = c.check(ctx, claimed)
	}
	if errors.Is(err, waymark.ErrNotFound) || errors.Is(err, errCut) {
		return CheckedLink{}, nil
	}
	return checked, err
}

// queueLinks sends links to ready, each when a request to its host may begin. It ends when all are sent, or ctx ends. It
// returns the number of those that were skipped, because their hosts may not be requested for more than maxHostWait.
func (c *Crawler) queueLinks(ctx context.Context, links []queue.CheckableLink, ready chan<- queue.CheckableLink) (skipped int, err error) {
	for _, link := range alternateHosts(links) {
		switch err := c.hosts.wait(ctx, waymark.Host(link.URL)); {
		case errors.Is(err, errHostBusy):
			skipped++
			continue
		case err != nil:
			return skipped, err
		}
		select {
		case ready <- link:
		case <-ctx.Done():
			return skipped, ctx.Err()
		}
	}
	return skipped, nil
}

// alternateHosts returns the first link of each host, then the second of each and so on: the pauses between requests to
// one host pass meanwhile.
func alternateHosts(links []queue.CheckableLink) []queue.CheckableLink {
	links, ofHost, turn := slices.Clone(links), map[string]int{}, map[waymark.LinkID]int{}
	for _, link := range links {
		host := waymark.Host(link.URL)
		turn[link.ID] = ofHost[host]
		ofHost[host]++
	}
	slices.SortStableFunc(links, func(a, b queue.CheckableLink) int { return turn[a.ID] - turn[b.ID] })
	return links
}
