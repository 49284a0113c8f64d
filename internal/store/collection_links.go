package store

import (
	"cmp"
	"database/sql"
	"errors"
	"iter"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// CollectedLink is a link of a collection, with the lists and tags that the owner sees.
type CollectedLink struct {
	waymark.Link
	// ListIDs and TagIDs include lists and tags in the trash, and those of other users, even if the
	// owner does not see them.
	ListIDs []waymark.ListID
	TagIDs  []waymark.TagID
}

// CollectedNote is a note of a collection on a link of another user.
type CollectedNote struct {
	waymark.Note
	URL, Title string // of the link; "" if the owner does not see it
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
		c.links(ids, labelledLinks(nil))(yield)
	}
}

// links yields the links with these ids, each followed by the owner's notes on it.
func (c *Collection) links(ids []int64, read reader[labelledLink]) iter.Seq2[LinkOrNote, error] {
	return func(yield func(LinkOrNote, error) bool) {
		for batch, err := range readBatches(c.ctx, c.q, c.owner, ids, read) {
			if err != nil {
				yield(LinkOrNote{}, err)
				return
			}
			for row, err := range c.withNotes(batch) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// LinksByList yields the active links list by list, in the order of compare: first those in no
// list. A link in several lists is in each. The name of a list that stands in others is its FolderName. Lists with equal names are one. It keeps 32 bytes for
// each link in a list, and the names of the lists.
func (c *Collection) LinksByList(compare func(name, other string) int) iter.Seq2[LinksOfList, error] {
	return func(yield func(LinksOfList, error) bool) {
		names, placed, err := c.placedLinks(compare)
		if err != nil {
			yield(LinksOfList{}, err)
			return
		}
		read := labelledLinks(nil)
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

// rankLists returns "" and then the sorted names of the lists that the owner sees, and each list's
// position in them.
func (c *Collection) rankLists(ids []int64, compare func(name, other string) int) (names []string, ranks map[int64]int, err error) {
	var found []waymark.List
	for ids := range slices.Chunk(ids, query.BatchSize) {
		a := c.q.Args()
		batch, err := database.QueryAll(c.ctx, c.q, func(rows *sql.Rows, l *waymark.List) error { return rows.Scan(&l.ID, &l.Name, &l.Parent) }, `
		SELECT e.id, e.name, coalesce(e.parent_id, 0)
		FROM lists AS e
		WHERE e.id `+database.In(a, ids)+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), c.owner), a.Values...)
		if err != nil {
			return nil, nil, err
		}
		if err := addPaths(c.ctx, c.q, c.owner, pointers(batch)); err != nil {
			return nil, nil, err
		}
		found = append(found, batch...)
	}
	slices.SortFunc(found, func(a, b waymark.List) int {
		return cmp.Or(compare(a.FolderName(), b.FolderName()), cmp.Compare(a.ID, b.ID))
	})
	names, ranks = []string{""}, make(map[int64]int, len(found))
	for _, l := range found {
		if name := l.FolderName(); len(names) == 1 || compare(names[len(names)-1], name) != 0 {
			names = append(names, name)
		}
		ranks[int64(l.ID)] = len(names) - 1
	}
	return names, ranks, nil
}

// withNotes yields the links of a batch, each followed by its notes, which are read in batches of
// their own.
func (c *Collection) withNotes(batch []labelledLink) iter.Seq2[LinkOrNote, error] {
	return func(yield func(LinkOrNote, error) bool) {
		numbers, ids, err := c.noteIDs(batch)
		if err != nil {
			yield(LinkOrNote{}, err)
			return
		}
		next, stop := iter.Pull2(readRows(c.ctx, c.q, c.owner, ids, notes.byID(notes.whole(), nil)))
		defer stop()
		for i := range batch {
			link := &CollectedLink{batch[i].Link, typedIDs[waymark.ListID](batch[i].listIDs), typedIDs[waymark.TagID](batch[i].tagIDs)}
			if !yield(LinkOrNote{Link: link}, nil) {
				return
			}
			for range numbers[link.ID] {
				note, err, ok := next()
				if !ok {
					err = errors.New("a note of the snapshot is missing")
				}
				if !yield(LinkOrNote{Note: &note}, err) || err != nil {
					return
				}
			}
		}
	}
}

// noteIDs returns the ids of the owner's notes on the links of a batch, in the order of the links,
// and the number of notes of each link.
func (c *Collection) noteIDs(batch []labelledLink) (numbers map[waymark.LinkID]int, ids []int64, err error) {
	position := make(map[waymark.LinkID]int, len(batch))
	linkIDs := make([]int64, len(batch))
	for i := range batch {
		position[batch[i].ID], linkIDs[i] = i, int64(batch[i].ID)
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
				return notes.Selected + ", " + column("url") + ", " + column("title")
			},
			scan: func(rows *sql.Rows, n *CollectedNote) error {
				var url, title sql.NullString
				err := rows.Scan(append(notes.Targets(&n.Note, 2), &url, &title)...)
				n.URL, n.Title = url.String, title.String
				return err
			},
		}
		table := entityTable[CollectedNote]{
			Table:  table.Table[CollectedNote]{Name: notes.Name},
			idOf:   func(n *CollectedNote) int64 { return int64(n.ID) },
			sizeOf: func(n *CollectedNote) int { return sizeOfNote(&n.Note) + len(n.URL) + len(n.Title) },
		}
		for note, err := range readRows(c.ctx, c.q, c.owner, ids, table.byID(whole, nil)) {
			if !yield(note, err) || err != nil {
				return
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
