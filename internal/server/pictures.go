package server

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"waymark/internal/crawl"
	"waymark/internal/store/snapshots"
)

// pictureMetrics collects the metrics of pictures when they are scraped.
type pictureMetrics struct {
	made   func() crawl.PictureStats
	stored func(context.Context) (snapshots.PictureStats, error)
	log    *slog.Logger
}

var (
	picturesStored = pictureMetric("stored", "Pictures in the database.")
	picturesBytes  = pictureMetric("bytes", "Size of all pictures in the database.")
	picturesMade   = pictureMetric("made_total", "Total number of pictures that this server has made.")
	picturesFailed = pictureMetric("failed_total", "Total number of images that this server could not use for pictures, by reason.", "reason")
)

func pictureMetric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("waymark_pictures_"+name, help, labels, nil)
}

func (pictureMetrics) Describe(chan<- *prometheus.Desc) {}

func (m pictureMetrics) Collect(out chan<- prometheus.Metric) {
	made := m.made()
	counter(out, picturesMade, float64(made.Done))
	for reason, n := range made.Failed {
		counter(out, picturesFailed, float64(n), reason)
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	stored, err := m.stored(ctx)
	if err != nil {
		m.log.Warn("pictures cannot be counted", "error", err) // an invalid metric would fail all others
		return
	}
	gauge(out, picturesStored, float64(stored.Count))
	gauge(out, picturesBytes, float64(stored.Bytes))
}
