package database

import (
	"database/sql"
	"slices"
	"sync"
)

// Stats are figures about an open database. Counters start at zero in Open.
type Stats struct {
	// Pools are the connection pools, by name: "read", and on SQLite "write".
	Pools map[string]sql.DBStats
	// WriteQueue is how many transactions wait for the writer of SQLite, 0 on PostgreSQL.
	WriteQueue int
	// Commits measures the duration of each commit, in seconds.
	Commits Histogram
	// LongReads is the number of exports and backups that run now.
	LongReads int64

	// DatabaseBytes and WALBytes are the sizes of SQLite's database file and of its
	// write-ahead log, in bytes. They are 0 on PostgreSQL.
	DatabaseBytes, WALBytes int64
}

// Stats returns current figures. It runs no statement, so it never waits.
func (db *DB) Stats() Stats {
	stats := Stats{
		Pools:     map[string]sql.DBStats{"read": db.read.Stats()},
		LongReads: db.limits.longReadsRunning.Load(),
	}
	if db.write != nil {
		stats.Pools["write"] = db.write.Stats()
	}
	db.writer.addStats(&stats)
	return stats
}

// Histogram counts observed values by size.
type Histogram struct {
	// Bounds are the upper bounds of the buckets, inclusive and in ascending order.
	Bounds []float64
	// Count is the number of values in each bucket, not cumulative. It has one element
	// more than Bounds: the last one counts the values above all bounds.
	Count []uint64
	// Sum is the sum of all observed values.
	Sum float64
}

// histogram is a Histogram that is safe for concurrent use.
type histogram struct {
	mu     sync.Mutex
	counts Histogram
}

// newCommitHistogram returns a histogram for durations of commits in seconds, from a
// disk with a write cache to an overloaded one.
func newCommitHistogram() *histogram {
	bounds := []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	return &histogram{counts: Histogram{Bounds: bounds, Count: make([]uint64, len(bounds)+1)}}
}

func (h *histogram) observe(value float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	bucket, _ := slices.BinarySearch(h.counts.Bounds, value)
	h.counts.Count[bucket]++
	h.counts.Sum += value
}

func (h *histogram) snapshot() Histogram {
	h.mu.Lock()
	defer h.mu.Unlock()
	counts := h.counts
	counts.Count = slices.Clone(counts.Count)
	return counts
}
