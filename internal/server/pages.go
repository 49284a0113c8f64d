package server

import (
	"cmp"
	"context"
	"crypto/x509"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/fetch"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// The limits of requests to other servers.
const (
	fetchRedirects = 5        // redirects that are followed for a page
	fetchHeader    = 64 << 10 // maximum size of the headers of a response, in bytes
	fetchRatio     = 200      // maximum ratio of decompressed to compressed size of a page, beyond the first 64 KiB

	metadataWait  = time.Second // how long saving one link waits for its page
	metadataTries = 5           // attempts to fetch a page, with pauses of 1 minute, 10 minutes, 1 hour and 12 hours

	imageBytes  = 10 << 20  // maximum size of an image that is downloaded for a picture
	imageMemory = 256 << 20 // maximum memory to decode an image, in bytes; one is decoded at a time

	fullSnapshotBytes = 3 << 20          // maximum size of a full snapshot with all downloads for it
	resourceBytes     = 1 << 20          // maximum size of a style sheet, an image or a font of a full snapshot
	resources         = 100              // maximum number of style sheets, images and fonts of a full snapshot
	resourcesTime     = 30 * time.Second // maximum time to download them

	checkWait = 10 * time.Second // how long a request to check a link waits for the result
)

// CrawlOptions returns what a server requests from other servers with these settings, and how.
func CrawlOptions(settings config.Fetch, base config.BaseURL, version string) crawl.Options {
	client := fetch.New(fetch.Options{
		Allow:       settings.Allow,
		Proxy:       settings.Proxy.URL(),
		UserAgent:   userAgent(version, cmp.Or(strings.TrimPrefix(string(settings.Contact), "mailto:"), base.String())),
		Timeout:     settings.Timeout,
		Bytes:       int64(settings.Bytes),
		Redirects:   fetchRedirects,
		HeaderBytes: fetchHeader,
		Ratio:       fetchRatio,
	})
	return crawl.Options{
		Client:    client,
		Parts:     PageParts(settings.Metadata, settings.Pictures),
		Checks:    settings.Checks(),
		Wait:      metadataWait,
		CheckWait: checkWait,
		Tries:     metadataTries,
		Timeout:   settings.Timeout,
		Parallel:  settings.Connections,
		HostPause: settings.HostPause,
		Pictures: crawl.PictureOptions{
			Bytes: imageBytes, Memory: imageMemory, Space: int64(settings.PicturesSize),
		},
		FullSnapshots: singlefile.Options{
			Bytes: fullSnapshotBytes, ResourceBytes: resourceBytes, Resources: resources, Time: resourcesTime,
		},
		SnapshotQuota: int64(settings.Metadata.SnapshotsQuota),
	}
}

// warnWithoutRootCertificates logs a warning if this machine has no root certificates, without which
// each request to an https URL fails.
func warnWithoutRootCertificates(log *slog.Logger) {
	roots, err := x509.SystemCertPool()
	if err == nil && !roots.Equal(x509.NewCertPool()) {
		return
	}
	log.Warn("no page with an https URL can be requested: this machine has no root certificates; install the package ca-certificates, or set SSL_CERT_FILE")
}

// PageParts returns the parts of pages that are fetched for links.
func PageParts(metadata config.Metadata, pictures config.Pictures) (parts waymark.PageParts) {
	if metadata.On() {
		parts |= waymark.TextParts
	}
	if metadata.TextSnapshots() {
		parts |= waymark.TextSnapshotPart
	}
	if metadata.FullSnapshots() {
		parts |= waymark.FullSnapshotPart
	}
	if pictures.On() {
		parts |= waymark.ThumbnailPart | waymark.IconPart
	}
	return parts
}

// userAgent returns the name under which Waymark requests pages, with a contact if there is one.
func userAgent(version, contact string) string {
	if contact == "" {
		return "Waymark/" + version
	}
	return "Waymark/" + version + " (+" + contact + ")"
}

// pageMetrics collects the metrics of pages when they are scraped.
type pageMetrics struct {
	crawler *crawl.Crawler
	queue   func(context.Context) (queue.PageQueue, error)
	log     *slog.Logger
}

var (
	pagesWaiting = prometheus.NewDesc("waymark_pages_waiting", "Pages of links that are to be fetched, by all servers of the database.", nil, nil)
	pagesOldest  = prometheus.NewDesc("waymark_pages_oldest_timestamp_seconds", "Time since which the oldest page waits to be fetched, 0 if none waits.", nil, nil)
	pagesFetched = prometheus.NewDesc("waymark_pages_fetched_total", "Total number of pages that this server has fetched.", nil, nil)
	pagesFailed  = prometheus.NewDesc("waymark_pages_failed_total", "Total number of pages that this server could not fetch, by reason.", []string{"reason"}, nil)
)

// The metrics of each part of pages.
var (
	partsWaiting = partMetric("waiting", "Links whose pages are to be fetched for this part, by all servers of the database.")
	partsOldest  = partMetric("oldest_timestamp_seconds", "Time since which the oldest page waits to be fetched for this part, 0 if none waits.")
	partsDone    = partMetric("done_total", "Total number of links that have got this part from this server, or whose pages have none.")
	partsFailed  = partMetric("failed_total", "Total number of times that this server could not get this part, by reason.", "reason")
)

func partMetric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("waymark_page_parts_"+name, help, append([]string{"part"}, labels...), nil)
}

func (pageMetrics) Describe(chan<- *prometheus.Desc) {}

func (m pageMetrics) Collect(out chan<- prometheus.Metric) {
	stats := m.crawler.PageStats()
	counter(out, pagesFetched, float64(stats.Done))
	for reason, n := range stats.Failed {
		counter(out, pagesFailed, float64(n), reason)
	}
	for _, part := range waymark.EachPagePart() {
		counter(out, partsDone, float64(stats.Parts[part].Done), part.String())
		for reason, n := range stats.Parts[part].Failed {
			counter(out, partsFailed, float64(n), part.String(), reason)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	queue, err := m.queue(ctx)
	if err != nil {
		m.log.Warn("pages that are to be fetched cannot be counted", "error", err)
		return
	}
	gauge(out, pagesWaiting, float64(queue.Waiting))
	gauge(out, pagesOldest, float64(queue.Oldest)/1e6)
	for _, part := range waymark.EachPagePart() {
		gauge(out, partsWaiting, float64(queue.Parts[part].Waiting), part.String())
		gauge(out, partsOldest, float64(queue.Parts[part].Oldest)/1e6, part.String())
	}
}
