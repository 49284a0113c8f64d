package searchindex

import (
	"sync"

	"waymark/internal/store/linkindex"
)

// maxKeptResults limits the memory for results of each kind. A user has a hundred saved
// searches at most.
const maxKeptResults = 10_000

// keptResults are results of queries.
type keptResults[T any] struct {
	mu      sync.Mutex
	of      *linkindex.Index
	byQuery map[string]keptResult[T]
}

// keptResult is a result, and Index.Changes when it was found.
type keptResult[T any] struct {
	changes uint64
	result  T
}

// find returns the cached result of a query. It calls search if there is none, or if something has
// changed since the result was cached.
func (k *keptResults[T]) find(of *linkindex.Index, query string, changes uint64, search func() T) T {
	if result, ok := k.kept(of, query, changes); ok {
		return result
	}
	result := search()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of != of || len(k.byQuery) >= maxKeptResults {
		k.of, k.byQuery = of, map[string]keptResult[T]{}
	}
	k.byQuery[query] = keptResult[T]{changes, result}
	return result
}

// kept returns the cached result of a query. ok is false if there is none, or if something has
// changed since it was cached.
func (k *keptResults[T]) kept(of *linkindex.Index, query string, changes uint64) (result T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, ok := k.byQuery[query]
	return kept.result, ok && k.of == of && kept.changes == changes
}
