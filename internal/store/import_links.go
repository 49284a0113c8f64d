package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// ImportedLink says what an import does with a link, and what became of it.
type ImportedLink struct {
	ID      waymark.LinkID // of a link that is not added, before it is saved
	Outcome ImportOutcome
	Changed bool // the outcome is LinkUpdated, and the link got a list or tag that it did not have
	// TooManyLists, TooManyTags and TooManyPassages report that some were left out, beyond the limit.
	TooManyLists, TooManyTags, TooManyPassages bool
}

// tooMany records that some lists, or tags, were left out.
func (l *ImportedLink) tooMany(assoc *query.Association) {
	if assoc == &query.LinkTags {
		l.TooManyTags = true
	} else {
		l.TooManyLists = true
	}
}

// ImportOutcome is what an import does with a link.
type ImportOutcome int

// The outcomes. They correspond to the fields of waymark.ImportCounts.
const (
	LinkSkipped ImportOutcome = iota
	LinkAdded
	LinkUpdated
	LinkMerged
)

// The exported methods of the files import_*.go are the questions and writes of an import. Package
// transfer has the rules. Call them in StepImport, which locks the owner.

// LinksByURL returns owner's active links with these URLs.
func (s *Store) LinksByURL(ctx context.Context, owner waymark.UserID, urls []string) (map[string]waymark.LinkID, error) {
	found := map[string]waymark.LinkID{}
	err := s.eachLinkByURL(ctx, urls, func(a *database.Args) string {
		return "e.user_id = " + a.Add(owner) + " AND e.visible_to IS NOT NULL"
	}, func(id waymark.LinkID, url string, _ waymark.Time) { found[url] = id })
	return found, err
}

// LinksOfOthers returns the oldest link of another user with each of these URLs that viewer sees.
func (s *Store) LinksOfOthers(ctx context.Context, viewer waymark.UserID, urls []string) (map[string]waymark.LinkID, error) {
	found := map[string]waymark.LinkID{}
	err := s.eachLinkByURL(ctx, urls, func(a *database.Args) string {
		return "e.user_id <> " + a.Add(viewer) + " AND " + query.VisibleTo(a, "e.visible_to", viewer)
	}, func(id waymark.LinkID, url string, _ waymark.Time) {
		if _, ok := found[url]; !ok {
			found[url] = id
		}
	})
	return found, err
}

// TrashedLink identifies links in the trash. Those with the same URL and time are duplicates.
type TrashedLink struct {
	URL       string
	CreatedAt waymark.Time
}

// LinksInTrash returns the links in owner's trash with these URLs, the oldest first.
func (s *Store) LinksInTrash(ctx context.Context, owner waymark.UserID, urls []string) (map[TrashedLink][]waymark.LinkID, error) {
	found := map[TrashedLink][]waymark.LinkID{}
	err := s.eachLinkByURL(ctx, urls, func(a *database.Args) string {
		return "e.user_id = " + a.Add(owner) + " AND e.visible_to IS NULL"
	}, func(id waymark.LinkID, url string, created waymark.Time) {
		key := TrashedLink{url, created}
		found[key] = append(found[key], id)
	})
	return found, err
}

// eachLinkByURL calls found for the links with one of the URLs that satisfy a condition, by id.
func (s *Store) eachLinkByURL(ctx context.Context, urls []string, where condition, found func(id waymark.LinkID, url string, created waymark.Time)) error {
	if len(urls) == 0 {
		return nil
	}
	var hashes []database.Hex
	for _, url := range table.Unique(urls) {
		hashes = append(hashes, table.URLHash(url))
	}
	type row struct {
		id      waymark.LinkID
		url     string
		created waymark.Time
	}
	q := s.db.Querier()
	a := q.Args()
	for r, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.url, &r.created) }, `
		SELECT e.id, e.url, e.created_at
		FROM links AS e
		WHERE e.url_hash `+database.In(a, hashes)+` AND `+where(a)+`
		ORDER BY e.id`, a.Values...) {
		if err != nil {
			return err
		}
		found(r.id, r.url, r.created)
	}
	return nil
}

// SaveImportedLinks inserts the links whose outcome is LinkAdded, and sets their ids. It attaches the
// lists and tags of all links but the skipped ones, and creates lists and tags for new names. It
// leaves out more lists or tags than a link may have. imported has an element for each of the links.
// It ignores their notes.
func (s *Store) SaveImportedLinks(ctx context.Context, owner waymark.User, all []waymark.LinkImport, imported []ImportedLink) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := s.insertImported(ctx, q, owner.ID, all, imported); err != nil {
			return err
		}
		for _, assoc := range []*query.Association{&query.LinkLists, &query.LinkTags} {
			if err := s.attachImported(ctx, q, assoc, owner, all, imported); err != nil {
				return err
			}
		}
		var changed []int64
		for i := range imported {
			if imported[i].Changed {
				changed = append(changed, int64(imported[i].ID))
			}
		}
		return s.touchLinks(ctx, q, owner.ID, changed)
	})
}

// FetchImported lets the pages of the links that were added be fetched.
func (s *Store) FetchImported(ctx context.Context, owner waymark.UserID, all []waymark.LinkImport, imported []ImportedLink) error {
	var pages []queue.WantedPage
	for i := range imported {
		if imported[i].Outcome == LinkAdded {
			pages = append(pages, s.Queue.NewPage(imported[i].ID, all[i].Link))
		}
	}
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		return s.Queue.AddPages(ctx, q, owner, pages, false)
	})
}

// RestrictImported gives links this visibility, except for those that fewer people see already.
func (s *Store) RestrictImported(ctx context.Context, ids []waymark.LinkID, visibility waymark.Visibility) error {
	return s.changeImported(ctx, ids, "visibility = $1", "visibility < $1", visibility)
}

// FlagImported sets a flag of links.
func (s *Store) FlagImported(ctx context.Context, ids []waymark.LinkID, flag waymark.LinkFlag) error {
	return s.changeImported(ctx, ids, flag.String()+" = $1", flag.String()+" <> $1", true)
}

// DateImported sets the time of creation of a link, unless it is older already.
func (s *Store) DateImported(ctx context.Context, id waymark.LinkID, created waymark.Time) error {
	return s.changeImported(ctx, []waymark.LinkID{id}, "created_at = $1", "created_at > $1", created)
}

// changeImported sets a column of links to a value, $1, where a condition is true, and records that for the undo.
func (s *Store) changeImported(ctx context.Context, ids []waymark.LinkID, set, where string, value any) error {
	if len(ids) == 0 {
		return nil
	}
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		a := q.Args(value)
		return recorded(ctx, s, q, &links.Table, table.PlainIDs(ids), func() error {
			_, err := q.Exec(ctx, `
				UPDATE links
				SET `+set+`
				WHERE id `+database.In(a, ids)+` AND `+where, a.Values...)
			return err
		})
	})
}

// touchLinks sets the updated_at of links of a user.
func (s *Store) touchLinks(ctx context.Context, q database.Querier, user waymark.UserID, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	return recorded(ctx, s, q, &links.Table, ids, func() error {
		a := q.Args(s.now(), user)
		_, err := q.Exec(ctx, `
			UPDATE links
			SET updated_at = $1
			WHERE id `+database.In(a, ids)+` AND user_id = $2`, a.Values...)
		return err
	})
}

// insertImported inserts the links to add, and sets their ids.
func (s *Store) insertImported(ctx context.Context, q database.Querier, owner waymark.UserID, all []waymark.LinkImport, imported []ImportedLink) error {
	var rows []waymark.Link
	for i := range imported {
		if imported[i].Outcome == LinkAdded {
			row := all[i].Link
			row.Owner = owner
			rows = append(rows, row)
		}
	}
	ids, err := table.Insert[waymark.LinkID](ctx, q, &links.Table, rows)
	if err != nil {
		return err
	}
	created := table.PlainIDs(ids)
	for i := range imported {
		if imported[i].Outcome == LinkAdded {
			imported[i].ID, ids = ids[0], ids[1:]
		}
	}
	return recordInserted(ctx, s, q, &links, created, false)
}

// attachImported attaches the lists, or the tags, of the links that were not skipped, and sets
// Changed.
func (s *Store) attachImported(ctx context.Context, q database.Querier, assoc *query.Association, owner waymark.User, all []waymark.LinkImport, imported []ImportedLink) error {
	limit := limitOf(assoc, waymark.MaxLinkFolders)
	var refs []waymark.Ref
	var existing []int64 // links that can have some already
	for i := range imported {
		names, ids := importedLabels(&all[i], assoc)
		if imported[i].Outcome == LinkSkipped || len(names)+len(ids) == 0 {
			continue
		}
		if imported[i].Outcome == LinkAdded { // do not create what will be left out
			names = names[:min(len(names), limit)]
		} else {
			existing = append(existing, int64(imported[i].ID))
		}
		for _, name := range names {
			refs = append(refs, waymark.Ref{Name: name})
		}
	}
	resolved, err := s.resolveOrCreate(ctx, q, assoc, owner, refs, func(resolvedRefs) error { return nil })
	if err != nil {
		return err
	}
	has, count := map[[2]int64]bool{}, map[int64]int{}
	for m, err := range memberships(ctx, q, assoc, existing) {
		if err != nil {
			return err
		}
		if has[m.pair] = true; m.bySaver || assoc.Kind == waymark.Tags {
			count[m.pair[0]]++
		}
	}
	var pairs, ofOthers [][2]int64
	for i := range imported {
		if imported[i].Outcome == LinkSkipped {
			continue
		}
		link := int64(imported[i].ID)
		names, labels := importedLabels(&all[i], assoc)
		for _, name := range names {
			label, _ := resolved.id(waymark.Ref{Name: name})
			labels = append(labels, label) // 0 if it was not created
		}
		for _, label := range labels {
			pair := [2]int64{link, label}
			switch {
			case has[pair]:
				continue
			case count[link] >= limit, label == 0:
				imported[i].tooMany(assoc)
				continue
			}
			has[pair] = true
			count[link]++
			pairs = append(pairs, pair)
			if imported[i].Outcome != LinkAdded { // what is added goes to the trash with its lists and tags
				ofOthers = append(ofOthers, pair)
			}
			imported[i].Changed = imported[i].Changed || imported[i].Outcome == LinkUpdated
		}
	}
	if err := insertAssociations(ctx, q, assoc, pairs, true); err != nil {
		return err
	}
	return s.recordPairs(assoc, ofOthers, nil)
}

// attachedTo returns the pairs of links and their lists, or tags, and how many each link has.
func attachedTo(ctx context.Context, q database.Querier, assoc *query.Association, links []int64) (has map[[2]int64]bool, count map[int64]int, err error) {
	has, count = map[[2]int64]bool{}, map[int64]int{}
	for m, err := range memberships(ctx, q, assoc, links) {
		if err != nil {
			return nil, nil, err
		}
		has[m.pair] = true
		count[m.pair[0]]++
	}
	return has, count, nil
}

// importedLabels returns the names and the ids of a link's lists, or of its tags.
func importedLabels(link *waymark.LinkImport, assoc *query.Association) (names []string, ids []int64) {
	if assoc == &query.LinkTags {
		return link.Tags, table.PlainIDs(link.TagIDs)
	}
	return link.Lists, table.PlainIDs(link.ListIDs)
}
