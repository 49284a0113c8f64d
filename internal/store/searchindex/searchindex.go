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

// Index is the index of the active links in memory. Its methods may be called from many
// goroutines.
type Index struct {
	db       *database.DB
	limit    int64             // the maximum memory in bytes; 0 or less for no index
	grown    func(bytes int64) // see New
	log      *slog.Logger
	building sync.Mutex // held by the one goroutine that builds the index

	mu       sync.RWMutex
	links    *linkindex.Index // nil until it is built: searches use SQL then
	position logPosition      // the changes that links has
	version  uint64           // is increased whenever links changes
	changing bool             // the last transaction that read the log found changes
	tooLarge bool             // links would need more than limit
	counts   resultCache[int]
	labels   resultCache[labelResult]
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

// ErrMoved means that another search has applied changes that the transaction of this one
// may not see. The search must start again with a new transaction.
var ErrMoved = errors.New("the index is at another snapshot")

// Snapshot is the index at the snapshot of a transaction.
type Snapshot struct {
	version  uint64      // of Index
	position logPosition // of the snapshot
}

// Version returns a number that is increased whenever links, lists or tags in the index change.
func (s Snapshot) Version() uint64 { return s.version }

// Sync applies the changes that the transaction sees, and returns the index at its
// snapshot. It must be the first statement of the transaction. ok is false if there is no
// index.
func (x *Index) Sync(ctx context.Context, q database.Querier) (at Snapshot, ok bool, err error) {
	x.mu.RLock()
	built, from, version := x.links != nil, x.position, x.version
	x.mu.RUnlock()
	if !built {
		return Snapshot{}, false, nil
	}
	to, changes, err := changesSince(ctx, q, x.db.Kind(), from, maxChanges)
	if errors.Is(err, errLogIncomplete) {
		x.discard(version)
		return Snapshot{}, false, nil
	}
	if err != nil {
		return Snapshot{}, false, err
	}
	if len(changes) == 0 {
		x.noteUnchanged(version)
		return Snapshot{version, to}, true, nil
	}
	changed, err := readChanged(ctx, q, changes)
	if err != nil {
		return Snapshot{}, false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.version != version {
		return Snapshot{}, false, ErrMoved
	}
	x.links.SetLabels(linkindex.List, changed.lists)
	x.links.SetLabels(linkindex.Tag, changed.tags)
	x.links.Update(changed.ids, changed.links)
	x.position = to
	x.version++
	x.changing = true
	return Snapshot{x.version, to}, true, nil
}

// noteUnchanged records that a transaction found no changes.
func (x *Index) noteUnchanged(version uint64) {
	x.mu.RLock()
	changing := x.changing
	x.mu.RUnlock()
	if !changing {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.version == version {
		x.changing = false
	}
}

// Current returns the index without reading the log of changes. ok is false if there is no index,
// or if the database has probably changed since the last search.
func (x *Index) Current() (at Snapshot, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return Snapshot{x.version, x.position}, x.links != nil && !x.changing
}

// Find returns the result of a query from the index that Sync or Current returned. It returns
// ErrMoved if other changes were applied since then.
func (x *Index) Find(at Snapshot, q linkindex.Query) (linkindex.Result, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.version != at.version {
		return linkindex.Result{}, ErrMoved
	}
	return x.links.Find(q, x.db), nil
}

// Count returns the number of links that satisfy a query, with the same errors as Find. The number
// is cached until links in the scopes of the query change, because every page shows such numbers.
func (x *Index) Count(at Snapshot, q linkindex.Query) (int, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.version != at.version {
		return 0, ErrMoved
	}
	return x.counts.find(x.links, q.Key(), x.links.Changes(q.Groups), func() int {
		return x.links.Count(q, x.db)
	}), nil
}

// CachedCount returns the number that Count has cached for a query. The query need not have the ids
// of snapshots. ok is false if no number is cached.
func (x *Index) CachedCount(at Snapshot, q linkindex.Query) (n int, ok bool, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.version != at.version {
		return 0, false, ErrMoved
	}
	n, ok = x.counts.get(x.links, q.Key(), x.links.Changes(q.Groups))
	return n, ok, nil
}

// labelResult is the result of LabelsByLinks.
type labelResult struct {
	total int
	page  []linkindex.LabelCount
}

// maxCachedLabels is the number of lists or tags up to which a result is cached.
const maxCachedLabels = 50

// LabelsByLinks returns the lists or tags that satisfy a query, sorted by the number of their
// links, from the index that Sync returned. It returns ErrMoved in the same cases as Find. Short
// results are cached, as by Count, so the caller must not modify page.
func (x *Index) LabelsByLinks(at Snapshot, q linkindex.LabelQuery) (total int, page []linkindex.LabelCount, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.version != at.version {
		return 0, nil, ErrMoved
	}
	if q.Among != nil || q.Pagination.Limit == waymark.NoLimit || q.Pagination.Limit > maxCachedLabels {
		total, page = x.links.LabelsByLinks(q)
		return total, page, nil
	}
	found := x.labels.find(x.links, fmt.Sprintf("%+v", q), x.links.Changes([][]int64{q.Scopes}), func() (r labelResult) {
		r.total, r.page = x.links.LabelsByLinks(q)
		r.page = slices.Clone(r.page) // without the labels after the page
		return r
	})
	return found.total, found.page, nil
}

// CountLinks returns the number of links in some scopes of each of some lists or tags, by id, from
// the index that Sync returned. It returns ErrMoved in the same cases as Find.
func (x *Index) CountLinks(at Snapshot, kind linkindex.Kind, ids, scopes []int64) (map[int64]int, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.version != at.version {
		return nil, ErrMoved
	}
	return x.links.CountLinks(kind, ids, scopes), nil
}

// discard removes the index if it has this version, so that it is built again.
func (x *Index) discard(version uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.version == version && x.links != nil {
		x.links = nil
		x.version++
		x.log.Info("search index is out of date: building it again")
	}
}

// Refresh builds the index if there is none. Otherwise it applies the latest changes and releases
// unused memory.
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
	var at Snapshot
	err := x.db.ReadTx(ctx, 0, func(q database.Querier) (err error) {
		at, built, err = x.Sync(ctx, q)
		return err
	})
	if errors.Is(err, ErrMoved) { // a search did the same
		return nil
	}
	if err != nil || !built {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.version != at.version {
		return nil
	}
	x.position = at.position // in PostgreSQL it is a new one even without changes
	x.links.Compact()
	x.checkLimit(x.links)
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
	x.version++
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
	err := x.db.ReadTx(ctx, 0, func(q database.Querier) (err error) {
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
	reading, stop := context.WithCancel(ctx)
	defer stop()
	reader := newLinkReader(x.db)
	var readErr error
	var done sync.WaitGroup
	done.Go(func() { readErr = reader.read(reading) })
	large, reported := false, int64(0)
	for read := range reader.batches { // to its end, so that no reader waits
		b, ok := <-read
		if !ok || large {
			continue
		}
		links.Update(nil, b.links)
		reader.reuse(b)
		size := links.Bytes()
		if large = size > x.limit; large {
			stop()
		}
		if size > reported+reported/8 {
			x.grown(size)
			reported = size
		}
	}
	done.Wait()
	if readErr != nil && !large {
		return readErr
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

// publish makes a new index available to searches, unless it is too large. It reports whether it
// did.
func (x *Index) publish(links *linkindex.Index, position logPosition) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.checkLimit(links) {
		return false
	}
	x.links, x.position = links, position
	x.version++
	return true
}

// prepare sorts the links for some orders. Meanwhile other searches continue; only changes, and
// searches that need an order that is being made, wait.
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
