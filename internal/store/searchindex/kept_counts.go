package searchindex

import (
	"sync"

	"waymark/internal/store/linkindex"
)

// maxKeptCounts limits the memory for counts. A user has a hundred saved searches at most.
const maxKeptCounts = 10_000

// keptCounts are the numbers of links that satisfied queries.
type keptCounts struct {
	mu      sync.Mutex
	of      *linkindex.Index
	byQuery map[string]keptCount
}

// keptCount is a number of links, and Index.Changes when they were counted.
type keptCount struct {
	changes uint64
	links   int
}

// get returns the number for a query if nothing has changed since it was counted.
func (c *keptCounts) get(of *linkindex.Index, query string, changes uint64) (links int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.byQuery[query]
	return kept.links, ok && c.of == of && kept.changes == changes
}

func (c *keptCounts) put(of *linkindex.Index, query string, changes uint64, links int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != of || len(c.byQuery) >= maxKeptCounts {
		c.of, c.byQuery = of, map[string]keptCount{}
	}
	c.byQuery[query] = keptCount{changes, links}
}
