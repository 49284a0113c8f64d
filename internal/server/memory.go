package server

import (
	"context"
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// machineMemory returns the memory of the machine, or of the container, in bytes. It
// returns 2 GiB if the system does not tell.
func machineMemory() int64 {
	bytes, err := memlimit.FromSystem()
	if container, containerErr := memlimit.FromCgroup(); containerErr == nil && (err != nil || container < bytes) {
		bytes, err = container, nil
	}
	if err != nil || bytes > math.MaxInt64 {
		return 2 << 30
	}
	return int64(bytes)
}

// refreshSearchIndex builds the search index or applies the latest changes to it. Then it
// limits the memory that the garbage collector lets grow: by default that is as much again
// as is in use, which would be twice the index.
func (s *server) refreshSearchIndex(ctx context.Context) error {
	err := s.store.RefreshSearchIndex(ctx)
	debug.SetGCPercent(gcPercent(s.store.SearchIndexBytes()))
	return err
}

// garbageLimit is the memory that may become garbage before it is collected, in bytes,
// beside what Go's default of 100 % would allow without an index.
const garbageLimit = 40 << 20

// gcPercent returns the value for debug.SetGCPercent with an index of that size.
func gcPercent(index int64) int {
	return int(max(10, 100*garbageLimit/(garbageLimit+index)))
}
