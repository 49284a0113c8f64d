package store

import (
	"database/sql"
	"sync"
)

// Stats are the numbers that a running store has for those who watch it. Whatever
// counts does so from Open on.
type Stats struct {
	Pools   map[string]sql.DBStats // by what the connections are for
	Waiting int                    // changes that wait for the writer
	Groups  Histogram              // how many changes each commit carried
	Commits Histogram              // how long each commit took, in seconds
	Streams int                    // long answers that hold a snapshot now
	GaveWay int64                  // those that were broken off for the sake of others

	// The files of SQLite, in bytes; 0 for other databases.
	DatabaseBytes, WALBytes int64
	Checkpoints             map[string]int64 // how many copied the whole WAL, a part, or failed
}

// Stats asks nothing of the database, so that it can be called at any time.
func (s *Store) Stats() Stats {
	stats := Stats{
		Pools:   map[string]sql.DBStats{"read": s.read.Stats()},
		Streams: len(s.streams.turns),
		GaveWay: s.streams.gaveWay.Load(),
	}
	if s.write != nil {
		stats.Pools["write"] = s.write.Stats()
	}
	s.writer.stats(&stats)
	return stats
}

// Histogram tells how many values there were, and of which size.
type Histogram struct {
	Upto  []float64 // in order; the last count is of what is larger than all
	Count []uint64  // one more than Upto: values up to each, and not up to the one before
	Sum   float64
}

// meter fills a Histogram.
type meter struct {
	mu   sync.Mutex
	seen Histogram
}

func newMeter(upto ...float64) *meter {
	return &meter{seen: Histogram{Upto: upto, Count: make([]uint64, len(upto)+1)}}
}

// newCommitMeter measures in seconds, from a disk that only notes what it is told to
// one that is overwhelmed.
func newCommitMeter() *meter {
	return newMeter(.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10)
}

func (m *meter) note(value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := 0
	for i < len(m.seen.Upto) && value > m.seen.Upto[i] {
		i++
	}
	m.seen.Count[i]++
	m.seen.Sum += value
}

func (m *meter) histogram() Histogram {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.seen
	h.Count = append([]uint64(nil), h.Count...)
	return h
}
