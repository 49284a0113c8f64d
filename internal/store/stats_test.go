package store_test

import (
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestStatsCountWhatIsCommitted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		before := s.Stats()
		ann := storetest.User(t, s, "ann")
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if _, err := s.CreateLinks(t.Context(), ann, []waymark.LinkDraft{storetest.Draft(i)}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		linksOf(t, s, ann)
		after := s.Stats()
		commits := total(after.Commits) - total(before.Commits)
		if commits < 2 || commits > 21 || after.Commits.Sum <= before.Commits.Sum {
			t.Errorf("got %d commits that took %v s more, want one for the user and up to 20", commits, after.Commits.Sum-before.Commits.Sum)
		}
		if after.WriteQueue != 0 || after.Streams != 0 {
			t.Errorf("got %d changes that wait and %d streams, want none", after.WriteQueue, after.Streams)
		}
		for name, pool := range after.Pools {
			if pool.OpenConnections == 0 || pool.MaxOpenConnections == 0 {
				t.Errorf("pool %s: got %+v, want an open connection, and a limit", name, pool)
			}
		}
	})
}

func TestSQLiteTellsItsGroupsAndFiles(t *testing.T) {
	s := storetest.Open(t)
	ann := storetest.User(t, s, "ann")
	storetest.Link(t, s, ann, "https://go.dev/", waymark.Private)
	stats := s.Stats()
	if stats.Batches.Sum != 2 || total(stats.Batches) != 2 || stats.Batches.Count[0] != 2 {
		t.Errorf("got groups %+v, want two of one change", stats.Batches)
	}
	if stats.DatabaseBytes == 0 || stats.WALBytes == 0 {
		t.Errorf("got %d and %d bytes, want a database and a WAL", stats.DatabaseBytes, stats.WALBytes)
	}
}

func total(h store.Histogram) (n uint64) {
	for _, count := range h.Count {
		n += count
	}
	return n
}
