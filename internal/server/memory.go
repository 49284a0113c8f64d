package server

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"waymark/internal/httpx"
)

// buildSearchIndex builds the search index before the server is ready: no search waits for it.
func (s *server) buildSearchIndex(ctx context.Context) (stop func() error, err error) {
	if err := s.refreshSearchIndex(ctx); err != nil {
		return nil, fmt.Errorf("read the links for the search index: %w", err)
	}
	return func() error { return nil }, nil
}

// refreshSearchIndex builds the search index or applies the latest changes to it.
func (s *server) refreshSearchIndex(ctx context.Context) error {
	err := s.store.RefreshSearchIndex(ctx)
	s.limitGarbage(s.store.SearchIndexBytes())
	return err
}

// limitGarbage limits the garbage if the search index has that size, in bytes. By default, the
// memory can grow to twice the memory in use before garbage is collected, so also to twice the
// index. So the larger the index is, the more often the collector runs. It also runs when requests
// use all of their memory.
func (s *server) limitGarbage(index int64) {
	debug.SetGCPercent(gcPercent(index))
	if os.Getenv("GOMEMLIMIT") == "" { // otherwise the operator has chosen the limit
		debug.SetMemoryLimit(memoryLimit(index, httpx.BodyMemory))
	}
}

// garbageLimit is about how many bytes may become garbage before they are collected.
const garbageLimit = 5 << 20

// baseMemory is the memory of the server without index and requests, with garbage, in bytes.
const baseMemory = 64 << 20

// memoryLimit returns the value for debug.SetMemoryLimit, beyond which garbage is collected
// as soon as it exists. Requests use up to about twice their memory for short times.
func memoryLimit(index, requests int64) int64 { return baseMemory + 2*index + 2*requests }

// gcPercent returns the value for debug.SetGCPercent with an index of that size.
func gcPercent(index int64) int {
	return int(max(10, 100*garbageLimit/(garbageLimit+index)))
}
