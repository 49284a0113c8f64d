// Package linkindex keeps what is searched for of all active links in memory: folded texts, status, times, and their
// lists and tags. It answers every listing, search and count of active links. Each of them first reads from the log of
// changes what is not in the index yet, and applies it. So the answers are exact, even if another process or another
// server has made the changes.
package linkindex

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"waymark/internal/database"
)

// Index is the index of the active links of a database. It is safe for concurrent use.
type Index struct {
	db       *database.DB
	log      *slog.Logger
	applying chan struct{} // has an element while a goroutine builds the index or applies changes

	mu       sync.RWMutex
	links    *Links      // nil until it is built
	position logPosition // the changes that links has
}

// New returns the index of a database. The first call of Sync builds it.
func New(db *database.DB, log *slog.Logger) *Index {
	return &Index{db: db, log: log, applying: make(chan struct{}, 1)}
}

// maxChanges is the maximum number of changes that Sync applies. If there are more, building a new index takes no
// longer than applying them.
const maxChanges = 100_000

// Sync applies the changes that are not in the index. It builds the index if there is none, or if the log has not
// all changes any more. Call it before the methods that read the index: they see all changes that were committed before
// the call, and perhaps later ones.
func (x *Index) Sync(ctx context.Context) error {
	links, from := x.current()
	if links != nil {
		_, changes, err := changesSince(ctx, x.db.Querier(), x.db.Kind(), from, 1)
		if err == nil && len(changes) == 0 { // the usual case needs no transaction
			return nil
		}
		if err != nil && !errors.Is(err, errLogIncomplete) {
			return err
		}
	}
	return x.Refresh(ctx)
}

func (x *Index) current() (*Links, logPosition) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.links, x.position
}

// Refresh is Sync for a caller that expects changes.
func (x *Index) Refresh(ctx context.Context) error {
	select {
	case x.applying <- struct{}{}:
		defer func() { <-x.applying }()
	case <-ctx.Done():
		return ctx.Err()
	}
	links, from := x.current()
	if links != nil {
		err := x.apply(ctx, links, from)
		if !errors.Is(err, errLogIncomplete) {
			return err
		}
		x.log.Info("search index is out of date: building it again")
	}
	return x.build(ctx)
}

// apply applies the changes that are not in the index.
func (x *Index) apply(ctx context.Context, links *Links, from logPosition) error {
	var to logPosition
	var read changed
	err := x.db.ReadTx(ctx, func(q database.Querier) error {
		var changes []change
		var err error
		if to, changes, err = changesSince(ctx, q, x.db.Kind(), from, maxChanges); err != nil {
			return err
		}
		read, err = readChanged(ctx, q, changes)
		return err
	})
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	links.SetLabels(List, read.lists)
	links.SetLabels(Tag, read.tags)
	links.Update(read.ids, read.links)
	x.position = to // in PostgreSQL it is a new one even without changes
	return nil
}

// reportedEvery is how often the progress of building an index is logged. 100,000 links take about a second.
const reportedEvery = 5 * time.Second

// build reads all active links into a new index.
func (x *Index) build(ctx context.Context) error {
	began := time.Now()
	links := NewLinks()
	var position logPosition
	// The position is read first. Changes that are made while the links are read may already be in
	// the index: the next search reads them again from the log.
	err := x.db.ReadTx(ctx, func(q database.Querier) (err error) {
		if position, err = currentPosition(ctx, q, x.db.Kind()); err != nil {
			return err
		}
		for kind, entity := range map[Kind]string{List: "lists", Tag: "tags"} {
			labels, err := readLabels(ctx, q, entity, nil)
			if err != nil {
				return err
			}
			links.SetLabels(kind, labels)
		}
		return nil
	})
	if err != nil {
		return err
	}
	reported := began
	if err := eachBatch(ctx, x.db, func(read []Link) {
		links.Update(nil, read)
		if now := time.Now(); now.Sub(reported) >= reportedEvery {
			reported = now
			x.log.Info("search index: reading links", "links", links.Len())
		}
	}); err != nil {
		return err
	}
	links.links = slices.Clone(links.links) // without room for more
	x.mu.Lock()
	x.links, x.position = links, position
	x.mu.Unlock()
	x.log.Info("search index ready", "links", links.Len(), "bytes", links.Bytes(), "duration", time.Since(began).Round(time.Millisecond))
	return nil
}

// Bytes returns about the memory that the index takes, in bytes; 0 before it is built.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.links == nil {
		return 0
	}
	return x.links.Bytes()
}

// Read calls read with the links. They must not be used after that.
func (x *Index) Read(read func(*Links)) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	read(x.links)
}
