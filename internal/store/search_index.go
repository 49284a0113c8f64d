package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// searchIndex has the index of the active links in memory, and brings it up to date with
// the database: every search first applies the changes that its own snapshot has and the
// index has not. So a search returns what the database has, whoever changed it: this
// process, another one, or another server.
type searchIndex struct {
	db       *database.DB
	limit    int64 // the maximum memory in bytes; 0 or less for no index
	log      *slog.Logger
	building sync.Mutex // held by the one goroutine that builds the index

	mu       sync.RWMutex
	links    *linkindex.Index // nil until it is built: SQL answers then
	position logPosition      // the changes that links has
	version  uint64           // is increased whenever links changes
	tooLarge bool             // links would need more than limit
}

// maxChanges is the number of changes that a search applies. After more of them, building
// the index anew takes no longer.
const maxChanges = 100_000

// errIndexMoved means that another search has applied changes that the snapshot of this
// one may not have. It starts again with a new snapshot.
var errIndexMoved = errors.New("the index is at another snapshot")

// indexVersion is the index at the snapshot of a transaction.
type indexVersion struct {
	version  uint64      // of searchIndex
	position logPosition // of the snapshot
}

// sync applies the changes that the transaction sees, and returns the index at its
// snapshot. It must be the first statement of the transaction. ok is false if there is no
// index.
func (x *searchIndex) sync(ctx context.Context, q database.Querier) (at indexVersion, ok bool, err error) {
	x.mu.RLock()
	built, from, version := x.links != nil, x.position, x.version
	x.mu.RUnlock()
	if !built {
		return indexVersion{}, false, nil
	}
	to, changes, err := changesSince(ctx, q, x.db.Kind(), from, maxChanges)
	if errors.Is(err, errLogIncomplete) {
		x.discard(version)
		return indexVersion{}, false, nil
	}
	if err != nil {
		return indexVersion{}, false, err
	}
	if len(changes) == 0 {
		return indexVersion{version, to}, true, nil
	}
	changed, err := readChanged(ctx, q, changes)
	if err != nil {
		return indexVersion{}, false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.version != version {
		return indexVersion{}, false, errIndexMoved
	}
	x.links.SetLists(changed.lists)
	x.links.SetTags(changed.tags)
	x.links.Update(changed.ids, changed.links)
	x.position = to
	x.version++
	return indexVersion{x.version, to}, true, nil
}

// find returns the result of a query from the index that sync returned. It returns
// errIndexMoved if other changes were applied since then.
func (x *searchIndex) find(at indexVersion, q linkindex.Query) (linkindex.Result, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.version != at.version {
		return linkindex.Result{}, errIndexMoved
	}
	return x.links.Find(q, x.db.TrySearchWorker), nil
}

// discard removes the index of a version, so that it is built again.
func (x *searchIndex) discard(version uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.version == version && x.links != nil {
		x.links = nil
		x.version++
		x.log.Info("search index is out of date: building it again")
	}
}

// refresh builds the index if there is none, and otherwise applies the latest changes and
// gives back memory.
func (x *searchIndex) refresh(ctx context.Context) error {
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
	var at indexVersion
	err := x.db.ReadTx(ctx, func(q database.Querier) (err error) {
		at, built, err = x.sync(ctx, q)
		return err
	})
	if errors.Is(err, errIndexMoved) { // a search did the same
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
func (x *searchIndex) checkLimit(links *linkindex.Index) bool {
	size := links.Bytes()
	if size <= x.limit {
		return false
	}
	x.log.Warn("search index exceeds --search-memory: searches are slower from now on", "links", links.Len(), "bytes", size, "limit", x.limit)
	x.links, x.tooLarge = nil, true
	x.version++
	return true
}

// bytes returns the memory that the index takes, in bytes.
func (x *searchIndex) bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.links == nil {
		return 0
	}
	return x.links.Bytes()
}

// build reads all active links into a new index.
func (x *searchIndex) build(ctx context.Context) error {
	began := time.Now()
	links := linkindex.New()
	var position logPosition
	large := false
	err := x.db.StreamTx(ctx, func(q database.Querier) (err error) {
		if position, err = currentPosition(ctx, q, x.db.Kind()); err != nil {
			return err
		}
		for entity, set := range map[string]func(map[int64]int64){"lists": links.SetLists, "tags": links.SetTags} {
			scopes, err := labelScopes(ctx, q, entity, nil)
			if err != nil {
				return err
			}
			set(scopes)
		}
		// One goroutine reads while this one adds what was read.
		ctx, stop := context.WithCancel(ctx)
		batches := make(chan []linkindex.Link, 2)
		var reading sync.WaitGroup
		defer reading.Wait()
		defer stop()
		var readErr error
		reading.Go(func() {
			defer close(batches)
			readErr = readAllIndexed(ctx, q, batches)
		})
		for batch := range batches {
			links.Update(nil, batch)
			if large = links.Bytes() > x.limit; large {
				return nil
			}
		}
		return readErr
	})
	if err != nil {
		return err
	}
	if !large {
		links.Prepare(waymark.SortByCreatedAt, waymark.SortByTitle)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.checkLimit(links) {
		return nil
	}
	x.links, x.position = links, position
	x.version++
	x.log.Info("search index ready", "links", links.Len(), "bytes", links.Bytes(), "duration", time.Since(began).Round(time.Millisecond))
	return nil
}

// indexQuery returns the query of the index for a plan.
func indexQuery(p query.Plan, order waymark.Order, pagination waymark.Pagination) linkindex.Query {
	q := linkindex.Query{Order: order, Pagination: pagination}
	for _, group := range groupsOf(p.Scopes, order.By) {
		var scopes []int64
		for _, s := range group {
			scopes = append(scopes, int64(s))
		}
		q.Groups = append(q.Groups, scopes)
	}
	for _, predicate := range p.Predicates {
		labels := &q.Lists
		if predicate.Association == &query.LinkTags {
			labels = &q.Tags
		}
		switch predicate.Kind {
		case query.InAny:
			labels.Any = predicate.IDs
		case query.InAll:
			labels.All = predicate.IDs
		case query.InNone:
			labels.None = predicate.IDs
		case query.InNoneVisible:
			labels.NoneVisible = true
			for _, s := range query.ScopesOf(predicate.User) {
				labels.VisibleScopes = append(labels.VisibleScopes, int64(s))
			}
		case query.ContainsText:
			q.Text = predicate.Text.Text
			q.InTitle = slices.Contains(predicate.Text.Columns, "title")
			q.InDescription = slices.Contains(predicate.Text.Columns, "description")
		case query.IsBroken:
			q.BrokenOnly = true
		default:
			panic(fmt.Sprintf("store: the index has no predicate %d", predicate.Kind))
		}
	}
	return q
}

// groupsOf returns the scopes in groups that are listed one after the other. Within a
// scope all links have the same visibility, so an order by visibility is one of scopes.
func groupsOf(scopes []query.Scope, by waymark.SortField) [][]query.Scope {
	switch by {
	case waymark.SortByVisibility:
		inOrder := slices.SortedFunc(slices.Values(scopes), func(a, b query.Scope) int { return cmp.Compare(a.Visibility(), b.Visibility()) })
		return slices.Collect(slices.Chunk(inOrder, 1))
	case waymark.SortByPrivate:
		shared := slices.DeleteFunc(slices.Clone(scopes), func(s query.Scope) bool { return s.Visibility() == waymark.Private })
		private := slices.DeleteFunc(slices.Clone(scopes), func(s query.Scope) bool { return s.Visibility() != waymark.Private })
		return [][]query.Scope{shared, private}
	}
	return [][]query.Scope{scopes}
}

// changed is what the rows of changed entities have now.
type changed struct {
	ids         []int64          // of the links
	links       []linkindex.Link // the active ones of them
	lists, tags map[int64]int64  // their scopes
}

// readChanged reads the rows of changed entities.
func readChanged(ctx context.Context, q database.Querier, changes []change) (c changed, err error) {
	ids := map[string][]int64{}
	for _, change := range changes {
		ids[change.entity] = append(ids[change.entity], change.id)
	}
	c.ids = unique(ids["links"])
	for batch := range slices.Chunk(c.ids, query.BatchSize) {
		links, err := readIndexedByID(ctx, q, batch)
		if err != nil {
			return changed{}, err
		}
		c.links = append(c.links, links...)
	}
	if c.lists, err = labelScopes(ctx, q, "lists", unique(ids["lists"])); err != nil {
		return changed{}, err
	}
	c.tags, err = labelScopes(ctx, q, "tags", unique(ids["tags"]))
	return c, err
}

// labelScopes returns the scopes of lists or tags; linkindex.NoScope if one is in the
// trash or was deleted. A nil slice of ids means all of them.
func labelScopes(ctx context.Context, q database.Querier, table string, ids []int64) (map[int64]int64, error) {
	scopes := make(map[int64]int64, len(ids))
	a := q.Args()
	where := ""
	if ids != nil {
		if len(ids) == 0 {
			return scopes, nil
		}
		for _, id := range ids {
			scopes[id] = linkindex.NoScope
		}
		where = ` AND id ` + database.In(a, ids)
	}
	type row struct{ id, scope int64 }
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.scope) }
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT id, visible_to
		FROM `+table+`
		WHERE visible_to IS NOT NULL`+where, a.Values...) {
		if err != nil {
			return nil, err
		}
		scopes[r.id] = r.scope
	}
	return scopes, nil
}

// indexedColumns are the columns of links that the index has.
const indexedColumns = `id, visible_to, status, check_disabled, created_at, updated_at, url, title, description`

func scanIndexed(rows *sql.Rows, l *linkindex.Link) error {
	return rows.Scan(&l.ID, &l.Scope, &l.Status, &l.CheckDisabled, &l.CreatedAt, &l.UpdatedAt, &l.URL, &l.Title, &l.Description)
}

// indexedBatch is the number of links that one statement reads for the index.
const indexedBatch = 2000

// readAllIndexed sends all active links, sorted by id.
func readAllIndexed(ctx context.Context, q database.Querier, batches chan<- []linkindex.Link) error {
	for last := int64(0); ; {
		batch, err := readIndexed(ctx, q, last)
		if err != nil || len(batch) == 0 {
			return err
		}
		select {
		case batches <- batch:
		case <-ctx.Done():
			return ctx.Err()
		}
		last = batch[len(batch)-1].ID
	}
}

// readIndexed returns the next active links after an id, sorted by id.
func readIndexed(ctx context.Context, q database.Querier, after int64) ([]linkindex.Link, error) {
	links, err := database.QueryAll(ctx, q, scanIndexed, `
		SELECT `+indexedColumns+`
		FROM links
		WHERE id > $1 AND visible_to IS NOT NULL
		ORDER BY id
		LIMIT $2`, after, indexedBatch)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	return links, addLabels(ctx, q, links, "BETWEEN $1 AND $2", links[0].ID, links[len(links)-1].ID)
}

// readIndexedByID returns the active links among ids, sorted by id.
func readIndexedByID(ctx context.Context, q database.Querier, ids []int64) ([]linkindex.Link, error) {
	a := q.Args()
	in := database.In(a, ids)
	links, err := database.QueryAll(ctx, q, scanIndexed, `
		SELECT `+indexedColumns+`
		FROM links
		WHERE id `+in+` AND visible_to IS NOT NULL
		ORDER BY id`, a.Values...)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	return links, addLabels(ctx, q, links, in, a.Values...)
}

// addLabels adds the ids of their lists and tags to links, which are sorted by id.
// condition selects the ids of the links.
func addLabels(ctx context.Context, q database.Querier, links []linkindex.Link, condition string, args ...any) error {
	type row struct {
		tags   bool
		link   int64
		labels string // their ids, separated by commas: so there is one row per link
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.tags, &r.link, &r.labels) }
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT false, link_id, string_agg(CAST(list_id AS TEXT), ',')
		FROM link_lists
		WHERE link_id `+condition+`
		GROUP BY link_id
		UNION ALL
		SELECT true, link_id, string_agg(CAST(tag_id AS TEXT), ',')
		FROM link_tags
		WHERE link_id `+condition+`
		GROUP BY link_id`, args...) {
		if err != nil {
			return err
		}
		i, ok := slices.BinarySearchFunc(links, r.link, func(l linkindex.Link, id int64) int { return cmp.Compare(l.ID, id) })
		if !ok { // in the trash
			continue
		}
		labels := &links[i].Lists
		if r.tags {
			labels = &links[i].Tags
		}
		for text := range strings.SplitSeq(r.labels, ",") {
			id, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return fmt.Errorf("labels of link %d: %w", r.link, err)
			}
			*labels = append(*labels, id)
		}
	}
	return nil
}
