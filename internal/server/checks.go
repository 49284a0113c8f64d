package server

import (
	"context"
	"time"

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
}

var (
	checkVisits = checkMetric("visits_total", "Total number of visits to links, by verdict.", "verdict")
	checkDue    = checkMetric("due", "Number of links that are due to be visited.")
	checkOldest = checkMetric("oldest_due_seconds", "Time since the first of them is due, 0 if none is.")
)

func checkMetric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("waymark_link_checks_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (checkMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{checkVisits, checkDue, checkOldest} {
		out <- d
	}
}

// checkQueueTimeout is the longest time to count the links that are due.
const checkQueueTimeout = 5 * time.Second

// Collect implements prometheus.Collector.
func (m checkMetrics) Collect(out chan<- prometheus.Metric) {
	visits := m.checks.Stats()
	for v := waymark.VerdictOK; v <= waymark.VerdictUnsure; v++ {
		out <- prometheus.MustNewConstMetric(checkVisits, prometheus.CounterValue, float64(visits[v]), v.String())
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkQueueTimeout)
	defer cancel()
	queue, err := m.queue(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(checkDue, err)
		return
	}
	oldest := 0.0
	if queue.Due > 0 {
		oldest = m.now().Time().Sub(queue.Oldest.Time()).Seconds()
	}
	out <- prometheus.MustNewConstMetric(checkDue, prometheus.GaugeValue, float64(queue.Due))
	out <- prometheus.MustNewConstMetric(checkOldest, prometheus.GaugeValue, oldest)
}
