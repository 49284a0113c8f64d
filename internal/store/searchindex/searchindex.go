// Package searchindex keeps a linkindex.Index up to date with the database. Every search first
// reads from the log of changes which changes of its snapshot are not in the index, and applies
// them. So the result of a search is exact, even if another process or another server made the
// changes.
package searchindex

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/waymark"
)

// Index is the index of the active links in memory. It is safe for concurrent use.
type Index struct {
	db       *database.DB
	limit    int64             // the maximum memory in bytes; 0 or less for no index
	grown    func(bytes int64) // see New
	log      *slog.Logger
	building sync.Mutex // held by the one goroutine that builds the index
	applying sync.Mutex // held by the one goroutine that applies changes

	mu       sync.RWMutex
	links    *linkindex.Index // nil until it is built: searches use SQL then
	position logPosition      // the changes that links has
	tooLarge bool             // links would need more than limit
	counts   resultCache[int]
	labels   resultCache[labelResult]
	pages    resultCache[linkindex.Result] // of queries for unions of lists or tags
	sublists resultCache[map[int64][]int64]
}

// New returns the index of a database. The index may use limit bytes of memory; if limit is 0 or
// less, there is no index. Refresh builds the index, and calls grown with its size each time it has
// grown by about an eighth.
func New(db *database.DB, limit int64, grown func(bytes int64), log *slog.Logger) *Index {
	return &Index{db: db, limit: limit, grown: grown, log: log}
}

// maxChanges is the maximum number of changes that a search applies. If there are more, building a
// new index takes no longer than applying them.
const maxChanges = 100_000

// View is the index with all changes that were committed before Sync was called, and perhaps later ones.
type View struct {
	index *Index
	links *linkindex.Index
}

// Sync applies the changes that are not in the index. It returns nil if there is no index.
func (x *Index) Sync(ctx context.Context) (*View, error) {
	links, from := x.current()
	if links == nil {
		return nil, nil
	}
	_, changes, err := changesSince(ctx, x.db.Querier(), x.db.Kind(), from, 1)
	switch {
	case err == nil && len(changes) == 0: // the usual case needs no transaction
		return &View{x, links}, nil
	case err == nil || errors.Is(err, errLogIncomplete):
		return x.apply(ctx)
	}
	return nil, err
}

func (x *Index) current() (*linkindex.Index, logPosition) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.links, x.position
}

// apply applies the changes that are not in the index.
func (x *Index) apply(ctx context.Context) (*View, error) {
	x.applying.Lock()
	defer x.applying.Unlock()
	links, from := x.current()
	if links == nil {
		return nil, nil
	}
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
	if errors.Is(err, errLogIncomplete) {
		x.discard(links)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.links == links { // not discarded
		links.SetLabels(linkindex.List, read.lists)
		links.SetLabels(linkindex.Tag, read.tags)
		links.Update(read.ids, read.links)
		x.position = to // in PostgreSQL it is a new one even without changes
	}
	return &View{x, links}, nil
}

// maxCachedPage is the number of links up to which a result of Find is cached.
const maxCachedPage = 100

// Find returns the result of a query. Pages of unions are cached: the caller must not modify them.
func (v *View) Find(q linkindex.Query) linkindex.Result {
	v.index.mu.RLock()
	defer v.index.mu.RUnlock()
	key := ""
	if limit := q.Pagination.Limit; limit != waymark.NoLimit && limit <= maxCachedPage && q.SelectsUnion() {
		key = q.Key()
	}
	if key == "" {
		return v.links.Find(q)
	}
	changes := v.links.Changes(q.Groups)
	if found, ok := v.index.pages.get(v.links, key, changes); ok {
		return found
	}
	found := v.links.Find(q)
	v.index.pages.set(v.links, key, changes, found)
	return found
}

// Sublists returns the lists that stand in each of some lists, as viewer sees them. read reads them; the result is cached
// until lists or tags change, so the caller must not modify it.
func (v *View) Sublists(viewer waymark.UserID, ids []int64, read func() (map[int64][]int64, error)) (map[int64][]int64, error) {
	v.index.mu.RLock()
	changes := v.links.LabelChanges() // before they are read
	v.index.mu.RUnlock()
	key := fmt.Sprint(viewer, ids)
	if found, ok := v.index.sublists.get(v.links, key, changes); ok {
		return found, nil
	}
	found, err := read()
	if err == nil {
		v.index.sublists.set(v.links, key, changes, found)
	}
	return found, err
}

// Links returns the number of links in the index.
func (v *View) Links() int {
	v.index.mu.RLock()
	defer v.index.mu.RUnlock()
	return v.links.Len()
}

// Count returns the number of links that satisfy a query, which addLinkIDs completes with the ids that
// the index does not know. The number is cached until links in the scopes of the query change, because
// every page shows such numbers.
func (v *View) Count(q linkindex.Query, addLinkIDs func(*linkindex.Query) error) (int, error) {
	v.index.mu.RLock()
	changes := v.links.Changes(q.Groups) // before the ids are read
	v.index.mu.RUnlock()
	key, counts := q.Key(), &v.index.counts
	if n, ok := counts.get(v.links, key, changes); ok {
		return n, nil
	}
	if err := addLinkIDs(&q); err != nil {
		return 0, err
	}
	v.index.mu.RLock()
	defer v.index.mu.RUnlock()
	n := v.links.Count(q)
	if key != "" {
		counts.set(v.links, key, changes, n)
	}
	return n, nil
}

// Facets returns what the links of a query have in common.
func (v *View) Facets(q linkindex.FacetQuery) linkindex.Facets {
	v.index.mu.RLock()
	defer v.index.mu.RUnlock()
	return v.links.Facets(q)
}

type labelResult struct {
	total int
	page  []linkindex.LabelCount
}

// maxCachedLabels is the number of lists or tags up to which a result is cached.
const maxCachedLabels = 50

// LabelsByLinks returns the lists or tags that satisfy a query, sorted by the number of their links.
// Short results are cached, as by Count, so the caller must not modify page.
func (v *View) LabelsByLinks(q linkindex.LabelQuery) (total int, page []linkindex.LabelCount) {
	v.index.mu.RLock()
	defer v.index.mu.RUnlock()
	if q.Among != nil || q.Pagination.Limit == waymark.NoLimit || q.Pagination.Limit > maxCachedLabels {
		return v.links.LabelsByLinks(q)
	}
	key, changes := fmt.Sprintf("%+v", q), v.links.Changes([][]int64{q.Scopes})
	if found, ok := v.index.labels.get(v.links, key, changes); ok {
		return found.total, found.page
	}
	total, page = v.links.LabelsByLinks(q)
	page = slices.Clone(page) // without the labels after the page
	v.index.labels.set(v.links, key, changes, labelResult{total, page})
	return total, page
}

// CountLinks returns how many links lists or tags have in some scopes, by id.
func (v *View) CountLinks(kind linkindex.Kind, ids, scopes []int64) map[int64]int {
	v.index.mu.RLock()
	defer v.index.mu.RUnlock()
	return v.links.CountLinks(kind, ids, scopes)
}

// discard removes an index, so that it is built again.
func (x *Index) discard(links *linkindex.Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.links == links {
		x.links = nil
		x.log.Info("search index is out of date: building it again")
	}
}

// Refresh builds the index, or applies the latest changes and releases unused memory.
func (x *Index) Refresh(ctx context.Context) error {
	if !x.building.TryLock() {
		return nil
	}
	defer x.building.Unlock()
	x.mu.RLock()
	built, tooLarge := x.links != nil, x.tooLarge
	x.mu.RUnlock()
	switch {
	case x.limit <= 0 || tooLarge:
		return nil
	case !built:
		return x.build(ctx)
	}
	if _, err := x.apply(ctx); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.links != nil {
		x.links.Compact()
		x.checkLimit(x.links)
	}
	return nil
}

// checkLimit removes the index if it is too large, and reports whether it is.
func (x *Index) checkLimit(links *linkindex.Index) bool {
	size := links.Bytes()
	if size <= x.limit {
		return false
	}
	x.log.Warn("search index exceeds --search-memory: searches are slower from now on", "links", links.Len(), "bytes", size, "limit", x.limit)
	x.links, x.tooLarge = nil, true
	return true
}

// Bytes returns the memory that the index takes, in bytes.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.links == nil {
		return 0
	}
	return x.links.Bytes()
}

// build reads all active links into a new index.
func (x *Index) build(ctx context.Context) error {
	began := time.Now()
	links := linkindex.New()
	var position logPosition
	// The position is read first. Changes that are made while the links are read may already be in
	// the index: the next search reads them again from the log.
	err := x.db.ReadTx(ctx, func(q database.Querier) (err error) {
		if position, err = currentPosition(ctx, q, x.db.Kind()); err != nil {
			return err
		}
		for kind, entity := range map[linkindex.Kind]string{linkindex.List: "lists", linkindex.Tag: "tags"} {
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
	large, reported := false, int64(0)
	err = eachBatch(ctx, x.db, func(read []linkindex.Link) bool {
		links.Update(nil, read)
		size := links.Bytes()
		if size > reported+reported/8 {
			x.grown(size)
			reported = size
		}
		large = size > x.limit
		return !large
	})
	if err != nil {
		return err
	}
	if !large {
		links.Clip()
	}
	if x.publish(links, position) {
		x.log.Info("search index ready", "links", links.Len(), "bytes", links.Bytes(), "duration", time.Since(began).Round(time.Millisecond))
		x.prepare(waymark.SortByCreatedAt, waymark.SortByTitle)
	}
	return nil
}

// publish makes a new index available, and reports whether it is small enough.
func (x *Index) publish(links *linkindex.Index, position logPosition) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.checkLimit(links) {
		return false
	}
	x.links, x.position = links, position
	return true
}

// prepare sorts the links for some orders. Meanwhile other searches continue; changes wait, and so
// do searches that need the order being made.
func (x *Index) prepare(fields ...waymark.SortField) {
	for _, field := range fields {
		x.mu.RLock()
		if x.links != nil {
			x.links.Prepare(field)
		}
		x.mu.RUnlock()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.links != nil {
		x.checkLimit(x.links)
	}
}
