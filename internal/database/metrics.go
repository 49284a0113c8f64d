package database

import (
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics returns the metrics of the database. They run no statement, so they never wait.
func (db *DB) Metrics() []prometheus.Collector {
	all := []prometheus.Collector{db.commits, collectors.NewDBStatsCollector(db.read, "read")}
	w, ok := db.writer.(*batchWriter)
	if !ok {
		return all
	}
	file := filepath.Join(db.dir, SQLiteFile)
	return append(all,
		collectors.NewDBStatsCollector(db.write, "write"),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "waymark_db_write_queue_length",
			Help: "Writes that wait for the writer of SQLite.",
		}, func() float64 { return float64(len(w.jobs)) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "waymark_db_size_bytes",
			Help: "Size of the SQLite database file.",
		}, func() float64 { return float64(fileSize(file)) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "waymark_db_wal_size_bytes",
			Help: "Size of the SQLite write-ahead log.",
		}, func() float64 { return float64(fileSize(file + "-wal")) }),
	)
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
