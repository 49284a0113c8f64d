package server

import (
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"waymark/internal/database"
)

// metrics collects what Prometheus scrapes. A nil *metrics counts nothing.
type metrics struct {
	registry *prometheus.Registry
	inFlight prometheus.Gauge
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics(version string, stats func() database.Stats, indexBytes func() int64, backups *backups) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "waymark_http_requests_in_flight",
			Help: "Requests in progress.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "waymark_http_requests_total",
			Help: "Total number of requests by route, method and status. The status is \"aborted\" if the response was cut off.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "waymark_http_request_duration_seconds",
			Help:    "Time from the request header to the end of the response, by route.",
			Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route"}),
	}
	m.registry.MustRegister(
		m.inFlight, m.requests, m.duration,
		dbMetrics{stats},
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "waymark_search_index_bytes",
			Help: "Memory of the search index, 0 while there is none.",
		}, func() float64 { return float64(indexBytes()) }),
		buildInfo(version),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	if backups != nil {
		m.registry.MustRegister(backupMetrics{backups})
	}
	return m
}

// buildInfo is always 1, with labels that describe the program, as is usual in Prometheus.
func buildInfo(version string) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "waymark_build_info",
		Help:        "Always 1. The labels are the version of Waymark and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	g.Set(1)
	return g
}

// started counts a request that begins.
func (m *metrics) started() {
	if m != nil {
		m.inFlight.Inc()
	}
}

// finished counts a request that ends. The values of its labels are bounded: route is
// a pattern, and methods and statuses are known ones.
func (m *metrics) finished(route, method string, status int, aborted bool, duration time.Duration) {
	if m == nil {
		return
	}
	m.inFlight.Dec()
	if route == "" {
		route = "unmatched"
	}
	statusLabel := "aborted"
	if !aborted {
		statusLabel = strconv.Itoa(status)
	}
	m.requests.WithLabelValues(route, methodLabel(method), statusLabel).Inc()
	m.duration.WithLabelValues(route).Observe(duration.Seconds())
}

// methodLabel returns "other" for unknown methods, so that clients cannot create labels.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

func (m *metrics) newHTTPServer(log *slog.Logger) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		MaxRequestsInFlight: 4,
		Timeout:             10 * time.Second,
	}))
	return &http.Server{
		Handler:        mux,
		ReadTimeout:    10 * time.Second,
		WriteTimeout:   20 * time.Second,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 16 << 10,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// queryTimeout is the longest time to read the values of a collector from the database.
const queryTimeout = 5 * time.Second

func gauge(out chan<- prometheus.Metric, d *prometheus.Desc, value float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func counter(out chan<- prometheus.Metric, d *prometheus.Desc, value float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
}

// dbMetrics collects the metrics of the database when they are scraped.
type dbMetrics struct {
	stats func() database.Stats
}

var (
	dbConnections     = dbMetric("connections", "Open connections.", "pool")
	dbConnectionsMax  = dbMetric("connections_max", "Maximum number of open connections.", "pool")
	dbConnectionsUsed = dbMetric("connections_in_use", "Connections in use.", "pool")
	dbWaits           = dbMetric("connection_waits_total", "Total number of times a caller waited for a connection.", "pool")
	dbWaitSeconds     = dbMetric("connection_wait_seconds_total", "Total time that callers waited for connections.", "pool")
	dbWriteQueue      = dbMetric("write_queue_length", "Writes queued.")
	dbLongReads       = dbMetric("long_reads", "Exports and backups in progress.")
	dbSize            = dbMetric("size_bytes", "Size of the SQLite database file.")
	dbWALSize         = dbMetric("wal_size_bytes", "Size of the SQLite write-ahead log.")
)

func dbMetric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("waymark_db_"+name, help, labels, nil)
}

// Describe sends nothing, as those of the other collectors: which metrics there are depends on the settings.
func (dbMetrics) Describe(chan<- *prometheus.Desc) {}

func (m dbMetrics) Collect(out chan<- prometheus.Metric) {
	stats := m.stats()
	for name, pool := range stats.Pools {
		gauge(out, dbConnections, float64(pool.OpenConnections), name)
		gauge(out, dbConnectionsMax, float64(pool.MaxOpenConnections), name)
		gauge(out, dbConnectionsUsed, float64(pool.InUse), name)
		counter(out, dbWaits, float64(pool.WaitCount), name)
		counter(out, dbWaitSeconds, pool.WaitDuration.Seconds(), name)
	}
	gauge(out, dbLongReads, float64(stats.LongReads))
	out <- stats.Commits
	if stats.DatabaseBytes > 0 {
		gauge(out, dbWriteQueue, float64(stats.WriteQueue))
		gauge(out, dbSize, float64(stats.DatabaseBytes))
		gauge(out, dbWALSize, float64(stats.WALBytes))
	}
}
