package searchindex

import (
	"sync"

	"waymark/internal/store/linkindex"
)

// maxCachedResults limits the results of each kind. A user has up to a hundred saved searches.
const maxCachedResults = 10_000

// resultCache are results of queries.
type resultCache[T any] struct {
	mu      sync.Mutex
	of      *linkindex.Index
	byQuery map[string]cachedResult[T]
}

// cachedResult is a result, and Index.Changes when it was found.
type cachedResult[T any] struct {
	changes uint64
	result  T
}

// get returns the result of a query, if it is cached and nothing has changed since.
func (c *resultCache[T]) get(of *linkindex.Index, query string, changes uint64) (result T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, ok := c.byQuery[query]
	return cached.result, ok && c.of == of && cached.changes == changes
}

// set caches the result of a query. changes is Index.Changes before it was found.
func (c *resultCache[T]) set(of *linkindex.Index, query string, changes uint64, result T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != of || len(c.byQuery) >= maxCachedResults {
		c.of, c.byQuery = of, map[string]cachedResult[T]{}
	}
	c.byQuery[query] = cachedResult[T]{changes, result}
}
