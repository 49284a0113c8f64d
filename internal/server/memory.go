package server

import (
	"context"
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// MachineMemory returns the memory of the machine or container in bytes, 2 GiB if unknown.
func MachineMemory() int64 {
	bytes, err := memlimit.FromSystem()
	if container, containerErr := memlimit.FromCgroup(); containerErr == nil && (err != nil || container < bytes) {
		bytes, err = container, nil
	}
	if err != nil || bytes > math.MaxInt64 {
		return 2 << 30
	}
	return int64(bytes)
}

// refreshSearchIndex builds the search index or applies the latest changes to it.
func (s *server) refreshSearchIndex(ctx context.Context) error {
	before := s.store.SearchIndexBytes()
	err := s.store.RefreshSearchIndex(ctx)
	after := s.store.SearchIndexBytes()
	s.limitGarbage(after)
	if before == 0 && after > 0 {
		debug.FreeOSMemory() // releases what building it used
	}
	return err
}

// limitGarbage limits the garbage if the search index has that size, in bytes. By default, the
// memory can grow to twice the memory in use before garbage is collected, so also to twice the
// index. So the larger the index is, the more often the collector runs. It also runs when requests
// use all of their memory.
func (s *server) limitGarbage(index int64) {
	debug.SetGCPercent(gcPercent(index))
	if os.Getenv("GOMEMLIMIT") == "" { // otherwise the operator has chosen the limit
		debug.SetMemoryLimit(memoryLimit(index, s.settings.API.RequestMemory()))
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
