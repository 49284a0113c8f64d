package database

import (
	"database/sql"

	"github.com/prometheus/client_golang/prometheus"
)

// Stats are figures about an open database. Counters start at zero in Open.
type Stats struct {
	// Pools are the connection pools, by name: "read", and on SQLite "write".
	Pools map[string]sql.DBStats
	// WriteQueue is how many transactions wait for the writer of SQLite, 0 on PostgreSQL.
	WriteQueue int
	// Commits measures the duration of each commit.
	Commits prometheus.Metric
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

// newCommitDurations returns the metric for the durations of commits, from a disk with a write cache to
// an overloaded one.
func newCommitDurations() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "waymark_db_commit_duration_seconds",
		Help:    "Duration of each commit.",
		Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	})
}
