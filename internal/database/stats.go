package database

import (
	"database/sql"
	"sync"
)

// Stats are the numbers that a running store has for those who watch it. Whatever
// counts does so from Open on.
type Stats struct {
	Pools      map[string]sql.DBStats // by what the connections are for
	WriteQueue int                    // changes that wait for the writer
	Batches    Histogram              // how many changes each commit carried
	Commits    Histogram              // how long each commit took, in seconds
	Streams    int                    // long answers that hold a snapshot now
	Preempted  int64                  // those that were broken off for the sake of others

	// The files of SQLite, in bytes; 0 for other databases.
	DatabaseBytes, WALBytes int64
	Checkpoints             map[string]int64 // how many copied the whole WAL, a part, or failed
}

// Stats asks nothing of the database, so that it can be called at any time.
func (db *DB) Stats() Stats {
	stats := Stats{
		Pools:     map[string]sql.DBStats{"read": db.read.Stats()},
		Streams:   len(db.streams.slots),
		Preempted: db.streams.preempted.Load(),
	}
	if db.write != nil {
		stats.Pools["write"] = db.write.Stats()
	}
	db.writer.stats(&stats)
	return stats
}

// Histogram tells how many values there were, and of which size.
type Histogram struct {
	Bounds []float64 // in order; the last count is of what is larger than all
	Count  []uint64  // one more than Upto: values up to each, and not up to the one before
	Sum    float64
}

// histogram fills a Histogram.
type histogram struct {
	mu      sync.Mutex
	counted Histogram
}

func newHistogram(upto ...float64) *histogram {
	return &histogram{counted: Histogram{Bounds: upto, Count: make([]uint64, len(upto)+1)}}
}

// newCommitHistogram measures in seconds, from a disk that only notes what it is told to
// one that is overwhelmed.
func newCommitHistogram() *histogram {
	return newHistogram(.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10)
}

func (m *histogram) observe(value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := 0
	for i < len(m.counted.Bounds) && value > m.counted.Bounds[i] {
		i++
	}
	m.counted.Count[i]++
	m.counted.Sum += value
}

func (m *histogram) snapshot() Histogram {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.counted
	h.Count = append([]uint64(nil), h.Count...)
	return h
}
