package server

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"waymark/internal/crawl"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// checkMetrics collects the metrics of the link checks.
type checkMetrics struct {
	crawler *crawl.Crawler
	queue   func(context.Context) (queue.CheckQueue, error)
	now     func() waymark.Time
	log     *slog.Logger
}

var (
	checksDone  = checkMetric("done_total", "Total number of checks of links, by result.", "result")
	checkFailed = checkMetric("failed_total", "Total number of checks of links that did not find the page, by result and reason.", "result", "reason")
	checkDue    = checkMetric("due", "Number of links that are due to be checked.")
	checkOldest = checkMetric("oldest_due_seconds", "Seconds since the first link became due, 0 if none is due.")
)

func checkMetric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("waymark_link_checks_"+name, help, labels, nil)
}

func (checkMetrics) Describe(chan<- *prometheus.Desc) {}

func (m checkMetrics) Collect(out chan<- prometheus.Metric) {
	checks := map[waymark.CheckResult]int{}
	for result, n := range m.crawler.CheckStats() {
		checks[result.Result] += n
		if result.Result != waymark.CheckOK && result.Result != waymark.CheckMoved {
			counter(out, checkFailed, float64(n), result.Result.String(), result.Reason)
		}
	}
	for v := waymark.CheckOK; v <= waymark.CheckUnsure; v++ {
		counter(out, checksDone, float64(checks[v]), v.String())
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	queue, err := m.queue(ctx)
	if err != nil {
		m.log.Warn("links that are due to be checked cannot be counted", "error", err) // an invalid metric would fail all others
		return
	}
	oldest := 0.0
	if queue.Due > 0 {
		oldest = m.now().Time().Sub(queue.Oldest.Time()).Seconds()
	}
	gauge(out, checkDue, float64(queue.Due))
	gauge(out, checkOldest, oldest)
}
