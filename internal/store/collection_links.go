package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// CollectedLink is a link of a collection, with the lists and tags that the owner sees.
type CollectedLink struct {
	waymark.Link
	// ListIDs and TagIDs include those in the trash, and those of others, seen or not.
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

// LinksOfList are the active links of a collection in one list.
type LinksOfList struct {
	Path  []string // the names of the lists in which it stands, and its own; nil for the links that are in no list
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

// ListPaths returns the paths of the owner's lists in the order of their tree. Lists with equal paths are one.
func (c *Collection) ListPaths() ([][]string, error) {
	var f folders
	_, err := c.rankLists(&f, nil)
	return f.paths[1:], err
}

// LinksByList yields the active links list by list: first those in no list, then those in the lists of ListPaths, also
// lists without links, and then those in lists of other users that the owner sees. A link in several lists is in each. It
// keeps 32 bytes for each link in a list, and the names of the lists.
func (c *Collection) LinksByList() iter.Seq2[LinksOfList, error] {
	return func(yield func(LinksOfList, error) bool) {
		folders, err := c.folders()
		if err != nil {
			yield(LinksOfList{}, err)
			return
		}
		read, placed := labelledLinks(nil), folders.links
		for rank, path := range folders.paths {
			var ids []int64
			for len(placed) > 0 && placed[0].rank == rank {
				ids = append(ids, placed[0].id)
				placed = placed[1:]
			}
			if !yield(LinksOfList{path, c.links(ids, read)}, nil) {
				return
			}
		}
	}
}

// folders are the lists of a collection.
type folders struct {
	paths [][]string // the first one is nil
	links []placedLink
}

// placedLink is a link in a list, whose path has a rank; 0 for none.
type placedLink struct {
	entityTime
	list waymark.ListID
	rank int
}

// folders reads the lists, and which active links are in them, in order.
func (c *Collection) folders() (f folders, err error) {
	used := map[waymark.ListID]bool{}
	if f.links, err = database.QueryAll(c.ctx, c.q, func(rows *sql.Rows, p *placedLink) error {
		var list sql.NullInt64
		err := rows.Scan(&p.id, &p.at, &list)
		p.list = waymark.ListID(list.Int64)
		used[p.list] = true
		return err
	}, `
		SELECT e.id, e.created_at, m.list_id
		FROM links AS e
		LEFT JOIN link_lists AS m ON m.link_id = e.id
		WHERE e.user_id = $1 AND e.visible_to IS NOT NULL`, c.owner); err != nil {
		return f, err
	}
	ranks, err := c.rankLists(&f, used)
	if err != nil {
		return f, err
	}
	for i := range f.links {
		f.links[i].rank = ranks[f.links[i].list] // 0 for none, and for one that the owner does not see
	}
	slices.SortFunc(f.links, func(a, b placedLink) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(b.rank, a.rank)) })
	var last placedLink
	f.links = slices.DeleteFunc(f.links, func(p placedLink) bool {
		known := p.id == last.id && (p.rank == last.rank || p.rank == 0)
		last = p
		return known
	})
	slices.SortFunc(f.links, func(a, b placedLink) int { return cmp.Or(cmp.Compare(a.rank, b.rank), a.compare(b.entityTime)) })
	return f, nil
}

// rankLists sets the paths, and returns the index of each list's path.
func (c *Collection) rankLists(f *folders, used map[waymark.ListID]bool) (map[waymark.ListID]int, error) {
	f.paths = [][]string{nil}
	lists, err := listTreeOf(c.ctx, c.q, c.owner)
	if err != nil {
		return nil, err
	}
	ranks, known := map[waymark.ListID]int{}, map[string]int{}
	for _, l := range lists {
		if l.Owner != c.owner && !used[l.ID] {
			continue
		}
		path := l.Names()
		key := strings.Join(path, "\x00")
		if known[key] == 0 {
			known[key] = len(f.paths)
			f.paths = append(f.paths, path)
		}
		ranks[l.ID] = known[key]
	}
	return ranks, nil
}

// withNotes yields the links of a batch, each followed by its notes.
func (c *Collection) withNotes(batch []labelledLink) iter.Seq2[LinkOrNote, error] {
	return func(yield func(LinkOrNote, error) bool) {
		numbers, ids, err := c.noteIDs(batch)
		if err != nil {
			yield(LinkOrNote{}, err)
			return
		}
		next, stop := iter.Pull2(readRows(c.ctx, c.q, c.owner, ids, notes.byID(nil)))
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

// noteIDs returns the ids of the owner's notes on a batch of links, in the order of the links, and
// the number for each link.
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
		scan := func(rows *sql.Rows, n *CollectedNote) error {
			var url, title sql.NullString
			err := rows.Scan(append(notes.Targets(&n.Note, 2), &url, &title)...)
			n.URL, n.Title = url.String, title.String
			return err
		}
		idOf := func(n *CollectedNote) int64 { return int64(n.ID) }
		sizeOf := func(n *CollectedNote) int { return sizeOfNote(&n.Note) + len(n.URL) + len(n.Title) }
		read := func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]CollectedNote, error) {
			a := q.Args()
			return inOrder(ids, idOf, sizeOf, database.QueryEach(ctx, q, scan, `
			SELECT `+notes.Selected+`, l.url, l.title
			FROM notes AS e
			LEFT JOIN links AS l ON l.id = e.link_id AND `+query.VisibleTo(a, database.Unindexed("l.visible_to"), viewer)+`
			WHERE e.id `+database.In(a, ids), a.Values...))
		}
		for note, err := range readRows(c.ctx, c.q, c.owner, ids, read) {
			if !yield(note, err) || err != nil {
				return
			}
		}
	}
}

func typedIDs[ID waymark.ID](ids []int64) []ID {
	return waymark.Map(ids, func(id int64) ID { return ID(id) })
}
