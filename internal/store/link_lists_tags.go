package store

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// association is the table that says which links are in which lists, or have which
// tags.
type association struct {
	table    string
	column   string // the id of the list or tag
	entities string // the table of the lists or tags
}

var (
	linkLists = association{table: "link_lists", column: "list_id", entities: "lists"}
	linkTags  = association{table: "link_tags", column: "tag_id", entities: "tags"}
)

// newLabelLoader returns a function that gives each link the lists and tags that the
// viewer sees, sorted by name. Over several batches it reads each list and tag once.
func newLabelLoader(cacheSize int) loader[waymark.Link] {
	listCache := labelCache[waymark.List]{table: &lists, size: cacheSize}
	tagCache := labelCache[waymark.Tag]{table: &tags, size: cacheSize}
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, links []waymark.Link) error {
		if len(links) == 0 {
			return nil
		}
		index := make(map[waymark.LinkID]int, len(links))
		ids := make([]waymark.LinkID, len(links))
		for i, link := range links {
			ids[i], index[link.ID] = link.ID, i
		}
		var ofLists, ofTags []labeled
		for l, err := range labelsOf(ctx, q, ids) {
			switch {
			case err != nil:
				return err
			case l.tag:
				ofTags = append(ofTags, l)
			default:
				ofLists = append(ofLists, l)
			}
		}
		for i := range links {
			links[i].Lists, links[i].Tags = nil, nil
		}
		err := listCache.attach(ctx, q, viewer, ofLists, func(id waymark.LinkID, list waymark.List) {
			link := &links[index[id]]
			link.Lists = append(link.Lists, list)
		})
		if err != nil {
			return err
		}
		return tagCache.attach(ctx, q, viewer, ofTags, func(id waymark.LinkID, tag waymark.Tag) {
			link := &links[index[id]]
			link.Tags = append(link.Tags, tag)
		})
	}
}

// labeled is a row of link_lists or link_tags.
type labeled struct {
	tag   bool
	link  waymark.LinkID
	label int64
}

func labelsOf(ctx context.Context, q database.Querier, links []waymark.LinkID) iter.Seq2[labeled, error] {
	a := q.Args()
	these := database.In(a, links)
	scan := func(rows *sql.Rows, l *labeled) error { return rows.Scan(&l.tag, &l.link, &l.label) }
	return database.QueryEach(ctx, q, scan, `
		SELECT false, m.link_id, m.list_id
		FROM link_lists AS m
		WHERE m.link_id `+these+`
		UNION ALL
		SELECT true, m.link_id, m.tag_id
		FROM link_tags AS m
		WHERE m.link_id `+these, a.Values...)
}

// labelCache has the lists, or the tags, that have been read.
type labelCache[T any] struct {
	table *entityTable[T]
	size  int
	byID  map[int64]*sortedLabel[T] // nil for those that the viewer does not see
}

// sortedLabel is a list or tag with what it is sorted by.
type sortedLabel[T any] struct {
	label  T
	id     int64
	folded string
	name   string
}

func (l *sortedLabel[T]) compare(other *sortedLabel[T]) int {
	return cmp.Or(strings.Compare(l.folded, other.folded), strings.Compare(l.name, other.name), cmp.Compare(l.id, other.id))
}

// labelCacheSize is the default of Options.LabelCacheSize. A larger cache is emptied.
const labelCacheSize = 20_000

// attach calls add for each list or tag that the viewer sees, in the order of names.
func (c *labelCache[T]) attach(ctx context.Context, q database.Querier, viewer waymark.UserID, rows []labeled, add func(waymark.LinkID, T)) error {
	if c.byID == nil || len(c.byID) > c.size {
		c.byID = map[int64]*sortedLabel[T]{}
	}
	var missing []int64
	for _, row := range rows {
		if _, ok := c.byID[row.label]; !ok {
			c.byID[row.label] = nil
			missing = append(missing, row.label)
		}
	}
	if err := c.read(ctx, q, viewer, missing); err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row labeled) bool { return c.byID[row.label] == nil })
	slices.SortFunc(rows, func(a, b labeled) int { return c.byID[a.label].compare(c.byID[b.label]) })
	for _, row := range rows {
		add(row.link, c.byID[row.label].label)
	}
	return nil
}

// read reads those of the lists or tags that the viewer sees.
func (c *labelCache[T]) read(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := q.Args()
	for label, err := range database.QueryEach(ctx, q, c.table.scan, `
		SELECT `+c.table.selected+`
		FROM `+c.table.name+` AS e
		WHERE e.id `+database.In(a, ids)+` AND `+visibleTo(a, unindexed("e.visible_to"), viewer), a.Values...) {
		if err != nil {
			return err
		}
		id, name := c.table.idOf(&label), c.table.nameOf(&label)
		c.byID[id] = &sortedLabel[T]{label, id, waymark.Fold(name), name}
	}
	return nil
}

// attachments are the lists, or the tags, of links that are created.
type attachments struct {
	links []waymark.LinkID
	refs  [][]waymark.Ref // of each link
}

func (a *attachments) add(link waymark.LinkID, refs []waymark.Ref) {
	if len(refs) > 0 {
		a.links = append(a.links, link)
		a.refs = append(a.refs, refs)
	}
}

// attach adds each link to the lists or tags that its refs name. Names that the user
// has no list or tag of are created.
func (s *Store) attach(ctx context.Context, q database.Querier, assoc *association, user waymark.User, of attachments) error {
	refs, err := s.resolveOrCreate(ctx, q, assoc, user, slices.Concat(of.refs...))
	if err != nil {
		return err
	}
	var pairs [][2]int64
	for i, link := range of.links {
		for _, id := range refs.ids(of.refs[i]) {
			pairs = append(pairs, [2]int64{int64(link), id})
		}
	}
	return assoc.insert(ctx, q, pairs)
}

// setAttachments adds several links to the same lists or tags. With replace they leave
// the other ones that the user sees. Lists and tags that are in the trash, or that the
// user does not see, are not changed.
func (s *Store) setAttachments(ctx context.Context, q database.Querier, assoc *association, user waymark.User, links []waymark.LinkID, refs []waymark.Ref, replace bool) error {
	if len(links) == 0 {
		return nil
	}
	if replace {
		a := q.Args()
		if _, err := q.Exec(ctx, `
			DELETE FROM `+assoc.table+`
			WHERE link_id `+database.In(a, links)+` AND `+assoc.column+` IN (
				SELECT e.id
				FROM `+assoc.entities+` AS e
				WHERE e.id = `+assoc.table+`.`+assoc.column+` AND `+visibleTo(a, "e.visible_to", user.ID)+`)`, a.Values...); err != nil {
			return err
		}
	}
	resolved, err := s.resolveOrCreate(ctx, q, assoc, user, refs)
	if err != nil {
		return err
	}
	ids := resolved.ids(refs)
	for batch := range slices.Chunk(links, batchSize) {
		var pairs [][2]int64
		for _, link := range batch {
			for _, id := range ids {
				pairs = append(pairs, [2]int64{int64(link), id})
			}
		}
		if err := assoc.insert(ctx, q, pairs); err != nil {
			return err
		}
	}
	return nil
}

// insert inserts pairs of a link and a list or tag; those that exist stay.
func (assoc *association) insert(ctx context.Context, q database.Querier, pairs [][2]int64) error {
	if len(pairs) == 0 {
		return nil
	}
	a := q.Args()
	_, err := q.Exec(ctx, `
		INSERT INTO `+assoc.table+` (link_id, `+assoc.column+`, link_visible_to)
		SELECT e.id, CAST(value->>1 AS BIGINT), e.visible_to
		FROM `+a.Rows(pairs)+joinInOrder+`links AS e
		WHERE e.id = CAST(value->>0 AS BIGINT)
		ON CONFLICT DO NOTHING`, a.Values...)
	return err
}
