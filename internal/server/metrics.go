package server

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"waymark/internal/waymark"
)

// metrics collects what Prometheus scrapes. A nil *metrics counts nothing.
type metrics struct {
	registry *prometheus.Registry
	inFlight prometheus.Gauge
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics(version string, others ...prometheus.Collector) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		inFlight: newGauge("waymark_http_requests_in_flight", "Requests in progress."),
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
	m.registry.MustRegister(m.inFlight, m.requests, m.duration, buildInfo(version),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(others...)
	return m
}

// newMetrics returns the metrics that the settings of the server ask for.
func (s *server) newMetrics() *metrics {
	m := newMetrics(s.version, s.store.Metrics()...)
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "waymark_search_index_bytes",
		Help: "Memory of the search index.",
	}, func() float64 { return float64(s.store.SearchIndexBytes()) }))
	if s.backups != nil {
		m.registry.MustRegister(s.backups.bytes, s.backups.duration, s.backups.failures, s.backups.newestTime)
	}
	if s.crawler.FetchesPages() {
		m.registry.MustRegister(collector(s.collectPages))
	}
	if s.crawler.ChecksLinks() {
		m.registry.MustRegister(collector(s.collectChecks))
	}
	return m
}

func newGauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
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

// collector collects metrics whose values are read when they are scraped.
type collector func(out chan<- prometheus.Metric)

// Describe sends nothing: some metrics appear only after something has failed.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics.
func (c collector) Collect(out chan<- prometheus.Metric) { c(out) }

// queryTimeout is the longest time to read the values of a collector from the database.
const queryTimeout = 5 * time.Second

func gauge(out chan<- prometheus.Metric, d *prometheus.Desc, value float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func counter(out chan<- prometheus.Metric, d *prometheus.Desc, value int, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
}

var (
	pagesWaiting = prometheus.NewDesc("waymark_pages_waiting", "Pages of links that are to be fetched, by all servers of the database.", nil, nil)
	pagesOldest  = prometheus.NewDesc("waymark_pages_oldest_timestamp_seconds", "Time since which the oldest page waits to be fetched, 0 if none waits.", nil, nil)
	pagesFetched = prometheus.NewDesc("waymark_pages_fetched_total", "Total number of pages that this server has fetched.", nil, nil)
	pagesFailed  = prometheus.NewDesc("waymark_pages_failed_total", "Total number of pages that this server could not fetch, by reason.", []string{"reason"}, nil)

	partsWaiting = prometheus.NewDesc("waymark_page_parts_waiting", "Links whose pages are to be fetched for this part, by all servers of the database.", []string{"part"}, nil)
	partsOldest  = prometheus.NewDesc("waymark_page_parts_oldest_timestamp_seconds", "Time since which the oldest page waits to be fetched for this part, 0 if none waits.", []string{"part"}, nil)
	partsDone    = prometheus.NewDesc("waymark_page_parts_done_total", "Total number of links that have got this part from this server, or whose pages have none.", []string{"part"}, nil)
	partsFailed  = prometheus.NewDesc("waymark_page_parts_failed_total", "Total number of times that this server could not get this part, by reason.", []string{"part", "reason"}, nil)

	checksFailed = prometheus.NewDesc("waymark_link_checks_failed_total", "Total number of checks of links that did not find the page, by result and reason.", []string{"result", "reason"}, nil)
	checksDone   = prometheus.NewDesc("waymark_link_checks_done_total", "Total number of checks of links, by result.", []string{"result"}, nil)
	checksDue    = prometheus.NewDesc("waymark_link_checks_due", "Number of links that are due to be checked.", nil, nil)
	checksOldest = prometheus.NewDesc("waymark_link_checks_oldest_due_seconds", "Seconds since the first link became due, 0 if none is due.", nil, nil)
)

// collectPages collects the metrics of the pages that are fetched.
func (s *server) collectPages(out chan<- prometheus.Metric) {
	stats := s.crawler.Stats()
	counter(out, pagesFetched, stats.Pages.Done)
	for reason, n := range stats.Pages.Failed {
		counter(out, pagesFailed, n, reason)
	}
	for _, part := range waymark.EachPagePart() {
		counter(out, partsDone, stats.Parts[part].Done, part.String())
		for reason, n := range stats.Parts[part].Failed {
			counter(out, partsFailed, n, part.String(), reason)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	queue, err := s.store.Queue.PageQueue(ctx)
	if err != nil {
		s.log.Warn("pages that are to be fetched cannot be counted", "error", err) // an invalid metric would fail all others
		return
	}
	gauge(out, pagesWaiting, float64(queue.Waiting))
	gauge(out, pagesOldest, float64(queue.Oldest)/1e6)
	for _, part := range waymark.EachPagePart() {
		gauge(out, partsWaiting, float64(queue.Parts[part].Waiting), part.String())
		gauge(out, partsOldest, float64(queue.Parts[part].Oldest)/1e6, part.String())
	}
}

// collectChecks collects the metrics of the link checks.
func (s *server) collectChecks(out chan<- prometheus.Metric) {
	done := map[waymark.CheckResult]int{}
	for result, n := range s.crawler.Stats().Checks {
		done[result.Result] += n
		if result.Result != waymark.CheckOK && result.Result != waymark.CheckMoved {
			counter(out, checksFailed, n, result.Result.String(), result.Reason)
		}
	}
	for v := waymark.CheckOK; v <= waymark.CheckUnsure; v++ {
		counter(out, checksDone, done[v], v.String())
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	queue, err := s.store.Queue.CheckQueue(ctx)
	if err != nil {
		s.log.Warn("links that are due to be checked cannot be counted", "error", err) // as above
		return
	}
	oldest := 0.0
	if queue.Due > 0 {
		oldest = s.store.Now().Time().Sub(queue.Oldest.Time()).Seconds()
	}
	gauge(out, checksDue, float64(queue.Due))
	gauge(out, checksOldest, oldest)
}
