// Package crawl requests the pages of links from other servers: for their texts, pictures and snapshots,
// and to check whether they still exist. All of it waits in queues in the database, which several servers
// and commands share. A request of a user waits a short time for the result.
package crawl

import (
	"log/slog"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Options say what a Crawler fetches, and how.
type Options struct {
	// PageParts are what links get from their pages; 0 to fetch none.
	PageParts waymark.PageParts
	// SnapshotQuota is the maximum size of the snapshots of a user's pages together, in bytes.
	SnapshotQuota int64

	Pages  *Pages       // nil if this process fetches no pages
	Checks *Checks      // nil if this process checks no links
	Log    *slog.Logger // gets pages of which no snapshot was stored; nil to discard
}

// Crawler fetches and checks the pages of the links of a store.
type Crawler struct {
	Options
	store *store.Store
}

// New returns a Crawler on s. The caller closes the store, and Pages before it.
func New(s *store.Store, o Options) *Crawler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Crawler{Options: o, store: s}
}
