package service

import (
	"maps"
	"sync"
	"time"

	"waymark/internal/waymark"
)

// keptPages are pages that were fetched while their links were saved, for the background job, which
// follows a moment later. Without them the job would request each page a second time. It still does
// if another server has claimed the page, or if there are too many pages.
type keptPages struct {
	limit int // maximum number of pages; each has at most the bytes that the client reads

	mu    sync.Mutex
	pages map[string]keptPage // by the URL that was requested
}

type keptPage struct {
	fetchedPage
	parts   waymark.PageParts // for which it was fetched
	expires waymark.Time
}

// keptPageAge is how long a page is kept. The job looks for new pages each second.
const keptPageAge = time.Minute

// keep keeps a page that was fetched for some parts.
func (k *keptPages) keep(address string, page fetchedPage, parts waymark.PageParts, now waymark.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire(now)
	if _, known := k.pages[address]; known || len(k.pages) < k.limit {
		k.pages[address] = keptPage{page, parts, now.Add(keptPageAge)}
	}
}

// take removes and returns a page that has all of some parts.
func (k *keptPages) take(address string, parts waymark.PageParts, now waymark.Time) (fetchedPage, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire(now)
	kept, ok := k.pages[address]
	delete(k.pages, address)
	return kept.fetchedPage, ok && parts&^kept.parts == 0
}

func (k *keptPages) expire(now waymark.Time) {
	maps.DeleteFunc(k.pages, func(_ string, kept keptPage) bool { return now >= kept.expires })
}
