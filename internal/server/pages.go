package server

import (
	"crypto/x509"
	"log/slog"
	"time"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/fetch"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/waymark"
)

// The limits of requests to other servers.
const (
	fetchBytes     = 1 << 20  // decompressed size of a page; the rest is not read
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

// FetchConnections is how many pages a server or a command fetches at a time, and how many links it checks. With sites
// that do not respond among them, a server checks about 200,000 links a day.
const FetchConnections = 8

// CrawlOptions returns what a server requests from other servers with these settings, and how.
func CrawlOptions(settings config.Fetch, base config.BaseURL, version string) crawl.Options {
	client := fetch.New(fetch.Options{
		Allow:       settings.Allow,
		Proxy:       settings.Proxy.URL(),
		UserAgent:   userAgent(version, base.String()),
		Timeout:     settings.Timeout,
		Bytes:       fetchBytes,
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
		Parallel:  FetchConnections,
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
