package store

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Collection is everything that a user owns, the trash included, in one snapshot. Entities are
// sorted by the time when they were created, and then by id. It reads about a MiB at a time, and
// keeps 8 bytes for each entity of the kind that is being read.
//
// A Collection can only be used in the function that ReadCollection calls, and only one of its
// sequences at a time.
type Collection struct {
	store *Store
	ctx   context.Context // of the transaction
	q     database.Querier
	owner waymark.UserID
}

// CollectedList is a list of a collection.
type CollectedList struct {
	waymark.List
	Pinned bool
}

// CollectedTag is a tag of a collection.
type CollectedTag struct {
	waymark.Tag
	Pinned bool
}

// CollectedLink is a link of a collection, with the lists and tags that the owner sees.
type CollectedLink struct {
	waymark.Link
	// ListIDs and TagIDs are those of all lists and tags, also of those in the trash and of
	// those of other users that the owner does not see.
	ListIDs []waymark.ListID
	TagIDs  []waymark.TagID
}

// CollectedNote is a note of a collection on a link of another user.
type CollectedNote struct {
	waymark.Note
	URL, Title string // of the link; "" if the owner does not see it
}

// ReadCollection calls read with the collection of a user. It takes a slot for streams, so read
// may be as slow as its client is, and can end with waymark.ErrUnavailable: see Listing.Stream.
func (s *Store) ReadCollection(ctx context.Context, owner waymark.UserID, read func(c *Collection) error) error {
	return s.db.StreamTx(ctx, int64(owner), func(q database.Querier) error {
		return read(&Collection{s, ctx, q, owner})
	})
}

// Settings returns the account and its settings.
func (c *Collection) Settings() (waymark.User, waymark.Settings, error) {
	row, err := users.get(c.ctx, c.q, "e.id = $1", c.owner)
	return row.User, row.Settings, err
}

// SavedSearches returns the saved searches.
func (c *Collection) SavedSearches() ([]waymark.SavedSearch, error) {
	searches, err := readSavedSearches(c.ctx, c.q, c.owner)
	slices.SortFunc(searches, func(a, b waymark.SavedSearch) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return searches, err
}

// Lists yields the lists.
func (c *Collection) Lists() iter.Seq2[CollectedList, error] {
	return collected(c, &lists, func(l waymark.List, pinned bool) CollectedList { return CollectedList{l, pinned} })
}

// Tags yields the tags.
func (c *Collection) Tags() iter.Seq2[CollectedTag, error] {
	return collected(c, &tags, func(t waymark.Tag, pinned bool) CollectedTag { return CollectedTag{t, pinned} })
}

// collected yields the lists or tags.
func collected[T, C any](c *Collection, t *entityTable[T], with func(entity T, pinned bool) C) iter.Seq2[C, error] {
	return func(yield func(C, error) bool) {
		var none C
		ids, err := c.ids(`
		SELECT e.id, e.created_at
		FROM `+t.name+` AS e
		WHERE e.user_id = $1`, c.owner)
		var pinned []int64
		if err == nil {
			pinned, err = database.QueryAll(c.ctx, c.q, database.ScanValue[int64], `
		SELECT `+t.assoc.Column+`
		FROM `+pinsOf(t.assoc)+`
		WHERE user_id = $1
		ORDER BY `+t.assoc.Column, c.owner)
		}
		if err != nil {
			yield(none, err)
			return
		}
		for entity, err := range inSequence(pieces(c.ctx, c.q, c.owner, ids, t.byID(t.whole()))) {
			if err != nil {
				yield(none, err)
				return
			}
			_, isPinned := slices.BinarySearch(pinned, t.idOf(&entity))
			if !yield(with(entity, isPinned), nil) {
				return
			}
		}
	}
}

// LinkOrNote is a link, or a note on the link before. The other one is nil.
type LinkOrNote struct {
	Link *CollectedLink
	Note *waymark.Note
}

// LinksOfList are the active links of a collection in lists of one name.
type LinksOfList struct {
	Name  string // "" for the links that are in no list that the owner sees
	Links iter.Seq2[LinkOrNote, error]
}

// Links yields each link, followed by the owner's notes on it.
func (c *Collection) Links() iter.Seq2[LinkOrNote, error] {
	return func(yield func(LinkOrNote, error) bool) {
		ids, err := c.ids(`
		SELECT e.id, e.created_at
		FROM links AS e
		WHERE e.user_id = $1`, c.owner)
		if err != nil {
			yield(LinkOrNote{}, err)
			return
		}
		c.links(ids, newLabelledLinkReader(c.store.labelCacheBytes))(yield)
	}
}

// links yields the links with these ids, each followed by the owner's notes on it.
func (c *Collection) links(ids []int64, read reader[labelledLink]) iter.Seq2[LinkOrNote, error] {
	return func(yield func(LinkOrNote, error) bool) {
		for piece, err := range pieces(c.ctx, c.q, c.owner, ids, read) {
			if err != nil {
				yield(LinkOrNote{}, err)
				return
			}
			for row, err := range c.withNotes(piece) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// LinksByList yields the active links list by list, in the order of compare: first those in no
// list. A link in several lists is in each. Lists with equal names are one. It keeps 32 bytes for
// each link in a list, and the names of the lists.
func (c *Collection) LinksByList(compare func(name, other string) int) iter.Seq2[LinksOfList, error] {
	return func(yield func(LinksOfList, error) bool) {
		names, placed, err := c.placedLinks(compare)
		if err != nil {
			yield(LinksOfList{}, err)
			return
		}
		read := newLabelledLinkReader(c.store.labelCacheBytes)
		for len(placed) > 0 {
			rank, n := placed[0].rank, 1
			ids := []int64{placed[0].id}
			for ; n < len(placed) && placed[n].rank == rank; n++ {
				ids = append(ids, placed[n].id)
			}
			if !yield(LinksOfList{names[rank], c.links(ids, read)}, nil) {
				return
			}
			placed = placed[n:]
		}
	}
}

// placedLink is a link in a list, whose name has a rank; 0 for none.
type placedLink struct {
	entityTime
	list int64
	rank int
}

// placedLinks returns the names of the lists that the owner sees, and the active links in each of
// them, in order. Names that are equal for compare have one rank.
func (c *Collection) placedLinks(compare func(name, other string) int) (names []string, placed []placedLink, err error) {
	used := map[int64]bool{}
	if placed, err = database.QueryAll(c.ctx, c.q, func(rows *sql.Rows, p *placedLink) error {
		var list sql.NullInt64
		err := rows.Scan(&p.id, &p.at, &list)
		if p.list = list.Int64; list.Valid {
			used[p.list] = true
		}
		return err
	}, `
		SELECT e.id, e.created_at, m.list_id
		FROM links AS e
		LEFT JOIN link_lists AS m ON m.link_id = e.id
		WHERE e.user_id = $1 AND e.visible_to IS NOT NULL`, c.owner); err != nil {
		return nil, nil, err
	}
	names, ranks, err := c.rankLists(slices.Sorted(maps.Keys(used)), compare)
	if err != nil {
		return nil, nil, err
	}
	for i := range placed {
		placed[i].rank = ranks[placed[i].list] // 0 for none, and for one that the owner does not see
	}
	slices.SortFunc(placed, func(a, b placedLink) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(b.rank, a.rank)) })
	var last placedLink
	placed = slices.DeleteFunc(placed, func(p placedLink) bool {
		known := p.id == last.id && (p.rank == last.rank || p.rank == 0)
		last = p
		return known
	})
	slices.SortFunc(placed, func(a, b placedLink) int { return cmp.Or(cmp.Compare(a.rank, b.rank), a.compare(b.entityTime)) })
	return names, placed, nil
}

// rankLists returns the names of those of the lists that the owner sees, sorted, after "", and
// the position of the name of each list.
func (c *Collection) rankLists(ids []int64, compare func(name, other string) int) (names []string, ranks map[int64]int, err error) {
	type listName struct {
		id   int64
		name string
	}
	var found []listName
	for ids := range slices.Chunk(ids, query.BatchSize) {
		a := c.q.Args()
		part, err := database.QueryAll(c.ctx, c.q, func(rows *sql.Rows, l *listName) error { return rows.Scan(&l.id, &l.name) }, `
		SELECT e.id, e.name
		FROM lists AS e
		WHERE e.id `+database.In(a, ids)+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), c.owner), a.Values...)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, part...)
	}
	slices.SortFunc(found, func(a, b listName) int { return cmp.Or(compare(a.name, b.name), cmp.Compare(a.id, b.id)) })
	names, ranks = []string{""}, make(map[int64]int, len(found))
	for _, l := range found {
		if len(names) == 1 || compare(names[len(names)-1], l.name) != 0 {
			names = append(names, l.name)
		}
		ranks[l.id] = len(names) - 1
	}
	return names, ranks, nil
}

// withNotes yields the links of a piece, each followed by its notes, which are read in pieces of
// their own.
func (c *Collection) withNotes(piece []labelledLink) iter.Seq2[LinkOrNote, error] {
	return func(yield func(LinkOrNote, error) bool) {
		numbers, ids, err := c.noteIDs(piece)
		if err != nil {
			yield(LinkOrNote{}, err)
			return
		}
		next, stop := iter.Pull2(inSequence(pieces(c.ctx, c.q, c.owner, ids, notes.byID(notes.whole()))))
		defer stop()
		for i := range piece {
			link := &CollectedLink{piece[i].Link, typedIDs[waymark.ListID](piece[i].listIDs), typedIDs[waymark.TagID](piece[i].tagIDs)}
			if !yield(LinkOrNote{Link: link}, nil) {
				return
			}
			for range numbers[link.ID] {
				note, err, ok := next()
				if !ok {
					err = errMissingRows
				}
				if !yield(LinkOrNote{Note: &note}, err) || err != nil {
					return
				}
			}
		}
	}
}

// noteIDs returns the ids of the owner's notes on the links of a piece, in the order of the links,
// and the number of notes of each link.
func (c *Collection) noteIDs(piece []labelledLink) (numbers map[waymark.LinkID]int, ids []int64, err error) {
	position := make(map[waymark.LinkID]int, len(piece))
	linkIDs := make([]int64, len(piece))
	for i := range piece {
		position[piece[i].ID], linkIDs[i] = i, int64(piece[i].ID)
	}
	type noteID struct {
		entityTime
		link waymark.LinkID
	}
	a := c.q.Args(c.owner)
	found, err := database.QueryAll(c.ctx, c.q, func(rows *sql.Rows, n *noteID) error { return rows.Scan(&n.id, &n.at, &n.link) }, `
		SELECT e.id, e.created_at, e.link_id
		FROM notes AS e
		WHERE e.link_id `+database.In(a, linkIDs)+` AND e.user_id = $1`, a.Values...)
	slices.SortFunc(found, func(a, b noteID) int {
		return cmp.Or(cmp.Compare(position[a.link], position[b.link]), a.compare(b.entityTime))
	})
	numbers = map[waymark.LinkID]int{}
	for _, n := range found {
		numbers[n.link]++
		ids = append(ids, n.id)
	}
	return numbers, ids, err
}

// NotesOnOtherLinks yields the notes on links of other users.
func (c *Collection) NotesOnOtherLinks() iter.Seq2[CollectedNote, error] {
	return func(yield func(CollectedNote, error) bool) {
		ids, err := c.ids(`
		SELECT e.id, e.created_at
		FROM notes AS e`+database.JoinInOrder+`links AS l
		WHERE e.user_id = $1 AND l.id = e.link_id AND l.user_id <> e.user_id`, c.owner)
		if err != nil {
			yield(CollectedNote{}, err)
			return
		}
		whole := wholeEntity[CollectedNote]{
			selected: func(a *database.Args, viewer waymark.UserID) string {
				column := func(name string) string {
					return `(
			SELECT l.` + name + `
			FROM links AS l
			WHERE l.id = e.link_id AND ` + query.VisibleTo(a, database.Unindexed("l.visible_to"), viewer) + `)`
				}
				return notes.selected + ", " + column("url") + ", " + column("title")
			},
			scan: func(rows *sql.Rows, n *CollectedNote, more ...any) error {
				var url, title sql.NullString
				err := rows.Scan(append(append(notes.targets(&n.Note, 2+len(more)), &url, &title), more...)...)
				n.URL, n.Title = url.String, title.String
				return err
			},
		}
		table := entityTable[CollectedNote]{
			table:  table[CollectedNote]{name: notes.name},
			idOf:   func(n *CollectedNote) int64 { return int64(n.ID) },
			sizeOf: func(n *CollectedNote) int { return sizeOfNote(&n.Note) + len(n.URL) + len(n.Title) },
		}
		for note, err := range inSequence(pieces(c.ctx, c.q, c.owner, ids, table.byID(whole))) {
			if !yield(note, err) || err != nil {
				return
			}
		}
	}
}

// entityTime is the id of an entity, and when it was created.
type entityTime struct {
	id int64
	at waymark.Time
}

func (e entityTime) compare(other entityTime) int {
	return cmp.Or(cmp.Compare(e.at, other.at), cmp.Compare(e.id, other.id))
}

// ids returns the ids that a query returns with the time of creation, in the order of a
// collection. They are sorted here, because no index has them in this order, and databases need
// more memory to sort.
func (c *Collection) ids(text string, args ...any) ([]int64, error) {
	found, err := database.QueryAll(c.ctx, c.q, func(rows *sql.Rows, e *entityTime) error { return rows.Scan(&e.id, &e.at) }, text, args...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, entityTime.compare)
	ids := make([]int64, len(found))
	for i, e := range found {
		ids[i] = e.id
	}
	return ids, nil
}

// inSequence yields the entities of pieces. Unlike oneByOne it reads nothing ahead: the transaction
// can be used by others between two entities.
func inSequence[T any](pieces iter.Seq2[[]T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for piece, err := range pieces {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entity := range piece {
				if !yield(entity, nil) {
					return
				}
			}
		}
	}
}

func typedIDs[ID waymark.ID](ids []int64) []ID {
	typed := make([]ID, len(ids))
	for i, id := range ids {
		typed[i] = ID(id)
	}
	return typed
}
