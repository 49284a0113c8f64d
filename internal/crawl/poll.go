package crawl

import (
	"errors"
	"sync"
	"time"

	"waymark/internal/waymark"
)

// pollInterval is the time between two queries of an empty queue.
const pollInterval = time.Second

// poll limits the queries of a queue in the database: while the queue is empty, there is one query in
// pollInterval for all callers.
type poll struct {
	mu    sync.Mutex
	until waymark.Time // the queue is not queried before
}

// claim calls next, which returns waymark.ErrNotFound if the queue is empty. It returns that error
// without a call if the queue was empty a short time ago.
func claim[T any](p *poll, now func() waymark.Time, next func() (T, error)) (T, error) {
	p.mu.Lock()
	wait := now() < p.until
	p.mu.Unlock()
	if wait {
		var none T
		return none, waymark.ErrNotFound
	}
	claimed, err := next()
	if errors.Is(err, waymark.ErrNotFound) {
		p.mu.Lock()
		p.until = now().Add(pollInterval)
		p.mu.Unlock()
	}
	return claimed, err
}
