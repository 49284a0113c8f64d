package server

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"waymark/internal/database"
)

// metrics are what Prometheus asks for. A nil one counts nothing.
type metrics struct {
	registry *prometheus.Registry
	inFlight prometheus.Gauge
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics(stats func() database.Stats) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "waymark_http_requests_in_flight",
			Help: "Requests that are being worked on.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "waymark_http_requests_total",
			Help: "Requests by route, method and status. The status is aborted where an answer broke off in its middle.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "waymark_http_request_duration_seconds",
			Help:    "Time from a request's head to the end of its answer, by route.",
			Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route"}),
	}
	m.registry.MustRegister(
		m.inFlight, m.requests, m.duration,
		storeMetrics{stats},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// started counts a request that comes in.
func (m *metrics) started() {
	if m != nil {
		m.inFlight.Inc()
	}
}

// finished counts a request that goes out. Its labels are bounded: routes are patterns,
// and methods and statuses those that there are.
func (m *metrics) finished(route, method string, status int, aborted bool, took time.Duration) {
	if m == nil {
		return
	}
	m.inFlight.Dec()
	if route == "" {
		route = "none"
	}
	text := "aborted"
	if !aborted {
		text = strconv.Itoa(status)
	}
	m.requests.WithLabelValues(route, methodLabel(method), text).Inc()
	m.duration.WithLabelValues(route).Observe(took.Seconds())
}

// methodLabel keeps clients from making up labels.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// newHTTPServer returns the server of /metrics.
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

// storeMetrics turns the numbers of the store into metrics whenever they are asked for.
type storeMetrics struct {
	stats func() database.Stats
}

var (
	poolOpen    = storeMetric("connections_open", "Open connections to the database.", "pool")
	poolMax     = storeMetric("connections_max", "How many connections to the database may be open.", "pool")
	poolInUse   = storeMetric("connections_in_use", "Connections to the database that work.", "pool")
	poolWaits   = storeMetric("connection_waits_total", "How often somebody waited for a connection.", "pool")
	poolWaited  = storeMetric("connection_wait_seconds_total", "How long all have waited for connections.", "pool")
	changesWait = storeMetric("changes_waiting", "Changes that wait for the writer.")
	commitSizes = storeMetric("commit_changes", "How many changes each commit carried.")
	commitTimes = storeMetric("commit_duration_seconds", "How long each commit took.")
	openStreams = storeMetric("streams_open", "Long answers that are read from the database while they are sent.")
	gaveWay     = storeMetric("streams_gave_way_total", "Long answers that were broken off because others waited for them to end.")
	checkpoints = storeMetric("checkpoints_total", "Checkpoints of SQLite's write-ahead log: the whole of it was copied, a part, or they failed.", "result")
	fileBytes   = storeMetric("database_bytes", "Size of the SQLite database.")
	walBytes    = storeMetric("wal_bytes", "Size of SQLite's write-ahead log, the file with -wal at its end.")
)

func storeMetric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("waymark_store_"+name, help, labels, nil)
}

// Describe tells nothing beforehand: which metrics there are depends on the database.
func (storeMetrics) Describe(chan<- *prometheus.Desc) {}

func (m storeMetrics) Collect(out chan<- prometheus.Metric) {
	stats := m.stats()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counter := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
	}
	for name, pool := range stats.Pools {
		gauge(poolOpen, float64(pool.OpenConnections), name)
		gauge(poolMax, float64(pool.MaxOpenConnections), name)
		gauge(poolInUse, float64(pool.InUse), name)
		counter(poolWaits, float64(pool.WaitCount), name)
		counter(poolWaited, pool.WaitDuration.Seconds(), name)
	}
	gauge(openStreams, float64(stats.Streams))
	counter(gaveWay, float64(stats.Preempted))
	out <- histogram(commitTimes, stats.Commits)
	if stats.DatabaseBytes > 0 {
		gauge(changesWait, float64(stats.WriteQueue))
		out <- histogram(commitSizes, stats.Batches)
		gauge(fileBytes, float64(stats.DatabaseBytes))
		gauge(walBytes, float64(stats.WALBytes))
		for result, n := range stats.Checkpoints {
			counter(checkpoints, float64(n), result)
		}
	}
}

func histogram(d *prometheus.Desc, h database.Histogram) prometheus.Metric {
	buckets := make(map[float64]uint64, len(h.Bounds))
	var n uint64
	for i, upto := range h.Bounds {
		n += h.Count[i]
		buckets[upto] = n
	}
	n += h.Count[len(h.Bounds)]
	return prometheus.MustNewConstHistogram(d, n, h.Sum, buckets)
}
