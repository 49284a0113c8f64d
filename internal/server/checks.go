package server

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// checkMetrics collects the metrics of the link checks.
type checkMetrics struct {
	checks *service.Checks
	queue  func(context.Context) (store.CheckQueue, error)
	now    func() waymark.Time
	log    *slog.Logger
}

var (
	checkVisits = checkMetric("visits_total", "Total number of visits to links, by verdict.", "verdict")
	checkFailed = checkMetric("failed_total", "Total number of visits to links that did not find the page, by verdict and reason.", "verdict", "reason")
	checkDue    = checkMetric("due", "Number of links that are due to be visited.")
	checkOldest = checkMetric("oldest_due_seconds", "Seconds since the first link became due, 0 if none is due.")
)

func checkMetric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("waymark_link_checks_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (checkMetrics) Describe(out chan<- *prometheus.Desc) {
	describe(out, checkVisits, checkFailed, checkDue, checkOldest)
}

// Collect implements prometheus.Collector.
func (m checkMetrics) Collect(out chan<- prometheus.Metric) {
	visits := map[waymark.Verdict]int{}
	for result, n := range m.checks.Stats() {
		visits[result.Verdict] += n
		if result.Verdict != waymark.VerdictOK && result.Verdict != waymark.VerdictMoved {
			counter(out, checkFailed, float64(n), result.Verdict.String(), result.Reason)
		}
	}
	for v := waymark.VerdictOK; v <= waymark.VerdictUnsure; v++ {
		counter(out, checkVisits, float64(visits[v]), v.String())
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	queue, err := m.queue(ctx)
	if err != nil {
		m.log.Warn("links that are due to be visited cannot be counted", "error", err) // an invalid metric would fail all others
		return
	}
	oldest := 0.0
	if queue.Due > 0 {
		oldest = m.now().Time().Sub(queue.Oldest.Time()).Seconds()
	}
	gauge(out, checkDue, float64(queue.Due))
	gauge(out, checkOldest, oldest)
}
