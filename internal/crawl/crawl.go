// Package crawl requests the pages of links from other servers: for their texts, pictures and snapshots,
// and to check whether they still exist. All of it waits in queues in the database, which several servers
// and commands share. A request of a user waits a short time for the result.
package crawl

import (
	"log/slog"
	"time"

	"waymark/internal/fetch"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Options say what a Crawler requests, and how.
type Options struct {
	Client *fetch.Client     // makes the requests; nil if there are to be none
	Parts  waymark.PageParts // what links get from their pages; 0 to fetch none
	Checks bool              // whether links are checked

	Wait      time.Duration // how long saving one link waits for the texts of its page
	CheckWait time.Duration // how long CheckNow waits for a check
	Tries     int           // the maximum number of times to fetch a page
	Timeout   time.Duration // the maximum time of each request
	Parallel  int           // the maximum number of pages fetched, and of links checked, at the same time
	HostPause time.Duration // between two requests to a host

	Pictures      PictureOptions
	FullSnapshots singlefile.Options
	SnapshotQuota int64 // the maximum size of the snapshots of a user's pages together, in bytes

	Log *slog.Logger // gets the pages without a stored snapshot; nil to discard
}

// Crawler fetches and checks the pages of the links of a store.
type Crawler struct {
	store   *store.Store
	options Options
	hosts   *hosts
	pages   *pageFetcher
	images  *images
	checks  *checker
	counts  *counts
}

// New returns a Crawler on s. The caller calls Close, and closes the store after that.
func New(s *store.Store, o Options) *Crawler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Client == nil {
		o.Client = fetch.New(fetch.Options{})
	}
	return &Crawler{
		store: s, options: o,
		hosts:  &hosts{store: s, pause: o.HostPause, next: map[string]waymark.Time{}, planned: map[plan]waymark.Time{}},
		pages:  newPageFetcher(o),
		images: newImages(o.Client, o.Pictures),
		checks: &checker{permits: make(chan struct{}, o.Parallel)},
		counts: &counts{stats: Stats{Parts: map[waymark.PageParts]Outcomes{}, Checks: map[CountedResult]int{}}},
	}
}

// Waiting returns the crawler with another Options.Wait.
func (c *Crawler) Waiting(wait time.Duration) *Crawler {
	patient := *c
	patient.options.Wait = wait
	return &patient
}

// closeTimeout is how long Close waits: an image that is being decoded cannot be interrupted.
const closeTimeout = 10 * time.Second

// Close interrupts the fetches that began when links were saved, and waits until what they have found is
// stored, for at most 10 seconds. Call it after the last request.
func (c *Crawler) Close() {
	c.pages.cancel()
	ended := make(chan struct{})
	go func() {
		c.pages.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(closeTimeout):
		c.options.Log.Warn("a page is still being fetched when the server stops")
	}
}

// Parts returns what links get from their pages; 0 if pages are not fetched.
func (c *Crawler) Parts() waymark.PageParts { return c.options.Parts }

// FetchesPages reports whether pages are fetched.
func (c *Crawler) FetchesPages() bool { return c.options.Parts != 0 }

// ChecksLinks reports whether links are checked.
func (c *Crawler) ChecksLinks() bool { return c.options.Checks }
