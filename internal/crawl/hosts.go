package crawl

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// hosts says when requests to hosts may begin. All servers and commands on a database share the times. What this
// process knows saves statements: a host that it has just requested is not looked up.
type hosts struct {
	store *store.Store
	pause time.Duration // between the beginnings of two requests to a host

	mu      sync.Mutex
	next    map[string]waymark.Time // before which no request to the host may begin
	planned map[plan]waymark.Time   // when the last request that was postponed is due
}

// plan names the requests to a host that are postponed, one after the other.
type plan struct {
	host   string
	byHand bool // they are not behind the others
}

// maxHosts is the number of hosts above which begin forgets those that can be requested again.
const maxHosts = 1000

// begin reports whether a request to a host may begin now. If it may, begin records that one begins.
func (h *hosts) begin(ctx context.Context, host string) (bool, error) {
	now := h.store.Now()
	if !h.beginHere(host, now) {
		return false, nil
	}
	busyUntil, err := h.store.Queue.ClaimHost(ctx, host, now, now.Add(h.pause))
	if busyUntil > 0 {
		h.hold(host, busyUntil)
	}
	return busyUntil == 0 && err == nil, err
}

// beginHere is begin as far as this process knows.
func (h *hosts) beginHere(host string, now waymark.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now < h.next[host] {
		return false
	}
	if len(h.next) >= maxHosts {
		maps.DeleteFunc(h.next, func(_ string, next waymark.Time) bool { return now >= next })
		maps.DeleteFunc(h.planned, func(_ plan, planned waymark.Time) bool { return now >= planned })
	}
	h.next[host] = now.Add(h.pause)
	return true
}

// hold lets this process begin no request to a host before a time.
func (h *hosts) hold(host string, until waymark.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next[host] = max(h.next[host], until)
}

// busyUntil returns the time before which no request to a host may begin.
func (h *hosts) busyUntil(host string) waymark.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.next[host]
}

// maxPostponed is how far ahead postpone postpones a request.
const maxPostponed = 30 * 24 * time.Hour

// postpone postpones a request that may not begin now, and returns its new time. The times of several
// such requests of a plan are a pause apart, unless they would be more than maxPostponed ahead.
func (h *hosts) postpone(p plan) waymark.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.store.Now()
	h.planned[p] = min(max(h.planned[p].Add(h.pause), h.next[p.host], now), now.Add(maxPostponed))
	return h.planned[p]
}

// holdForAll lets no server request a host before a time.
func (h *hosts) holdForAll(ctx context.Context, host string, until waymark.Time) error {
	h.hold(host, until)
	return h.store.Queue.HoldHost(ctx, host, until)
}

// obeyRetryAfter lets no server request a host before the time that its response to a request asks
// for. err is the error of that request.
func (h *hosts) obeyRetryAfter(ctx context.Context, host string, err error) error {
	status, ok := errors.AsType[*pageError](err)
	if !ok || status.retryAfter <= 0 {
		return nil
	}
	return h.holdForAll(ctx, host, h.store.Now().Add(status.retryAfter))
}

// waitUntilFree waits until a request to a host may begin. It returns false at once if that takes longer than
// wait, and if ctx ends before.
func (h *hosts) waitUntilFree(ctx context.Context, host string, wait time.Duration) bool {
	busy := h.busyUntil(host).Time().Sub(h.store.Now().Time())
	switch {
	case busy <= 0:
		return true
	case busy > wait:
		return false
	}
	select {
	case <-time.After(busy):
		return true
	case <-ctx.Done():
		return false
	}
}

// maxHostWait is the longest time that wait waits.
const maxHostWait = time.Minute

// errHostBusy means that a host may not be requested for longer than maxHostWait.
var errHostBusy = errors.New("the host may not be requested yet")

// wait waits until a request to a host may begin, and records that it begins. It returns errHostBusy
// if that takes too long, and the error of ctx if that ends before.
func (h *hosts) wait(ctx context.Context, host string) error {
	end := h.store.Now().Add(maxHostWait)
	for {
		if began, err := h.begin(ctx, host); began || err != nil {
			return err
		}
		if h.busyUntil(host) > end {
			return errHostBusy
		}
		select {
		case <-time.After(h.busyUntil(host).Time().Sub(h.store.Now().Time())):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
