package store

import (
	"context"
	"database/sql"
	"iter"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// PassagesOfLink returns the passages that a user has marked in an active link, oldest first. It returns
// waymark.ErrNotFound if there is no such link, and waymark.ErrForbidden if the user may not see it.
func (s *Store) PassagesOfLink(ctx context.Context, user waymark.UserID, link waymark.LinkID) ([]waymark.Passage, error) {
	if err := s.CheckLink(ctx, user, link); err != nil {
		return nil, err
	}
	return table.Passages.All(ctx, s.db.Querier(), "e.link_id = $1 AND e.user_id = $2 ORDER BY e.id", link, user)
}

// CreatePassage creates a passage, or returns the one of the owner on the link that has the same quote. It returns
// waymark.ErrNotFound if the link is not active, waymark.ErrForbidden if the owner may not see it, and a
// waymark.ValidationError if it has too many passages.
func (s *Store) CreatePassage(ctx context.Context, passage waymark.Passage) (waymark.Passage, error) {
	err := s.userTx(ctx, passage.Owner, func(ctx context.Context, q database.Querier) error {
		if _, err := links.GetVisible(ctx, q, passage.Owner, int64(passage.Link)); err != nil {
			return err
		}
		all, err := table.Passages.All(ctx, q, "e.link_id = $1 AND e.user_id = $2 ORDER BY e.id", passage.Link, passage.Owner)
		if err != nil {
			return err
		}
		for _, other := range all {
			if other.Exact == passage.Exact && other.Prefix == passage.Prefix && other.Suffix == passage.Suffix {
				passage = other
				return nil
			}
		}
		if len(all) >= waymark.MaxPassages {
			return waymark.TooMany(waymark.FieldPassages, 0, waymark.MaxPassages)
		}
		passage.CreatedAt = s.now()
		passage.UpdatedAt = passage.CreatedAt
		return s.insertPassage(ctx, q, &passage)
	})
	return passage, err
}

// getPassage returns a user's passage on an active link that the user sees, or waymark.ErrNotFound.
func getPassage(ctx context.Context, q database.Querier, user waymark.UserID, link waymark.LinkID, id waymark.PassageID) (waymark.Passage, error) {
	if _, err := links.GetVisible(ctx, q, user, int64(link)); err != nil {
		return waymark.Passage{}, err
	}
	return table.Passages.Get(ctx, q, "e.id = $1 AND e.link_id = $2 AND e.user_id = $3"+q.RowLock(), id, link, user)
}

// ChangePassage updates a user's passage on a link with the function change. If change returns an error, nothing is
// stored.
func (s *Store) ChangePassage(ctx context.Context, user waymark.UserID, link waymark.LinkID, id waymark.PassageID, change func(*waymark.Passage) error) (passage waymark.Passage, err error) {
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		if passage, err = getPassage(ctx, q, user, link, id); err != nil {
			return err
		}
		if err := change(&passage); err != nil {
			return err
		}
		passage.UpdatedAt = s.now()
		return recorded(ctx, s, q, &table.Passages, []int64{int64(id)}, func() error { return table.Passages.Update(ctx, q, int64(id), &passage) })
	})
	return passage, err
}

// DeletePassage deletes a user's passage on a link for good. Only an undo brings it back, with another id.
func (s *Store) DeletePassage(ctx context.Context, user waymark.User, link waymark.LinkID, id waymark.PassageID) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		passage, err := getPassage(ctx, q, user.ID, link, id)
		if err != nil {
			return err
		}
		before := undo.Values{}
		for _, c := range table.Passages.Read {
			before[c.Name] = c.JSON(&passage)
		}
		if _, err := q.Exec(ctx, "DELETE FROM passages WHERE id = $1", id); err != nil {
			return err
		}
		return s.record(undo.Step{Table: table.Passages.Name, Rows: []undo.Row{{ID: int64(id), Before: before}}})
	})
}

// passages undoes changes of passages. Those that were deleted come back if their link still exists.
func (u *reverter) passages(ctx context.Context, step undo.Step) error {
	if step.Rows[0].After != nil {
		return undoRows(ctx, u, &table.Passages, noKind, step)
	}
	for _, row := range step.Rows {
		var passage waymark.Passage
		for _, c := range table.Passages.Read {
			if err := c.SetJSON(&passage, row.Before[c.Name]); err != nil {
				return err
			}
		}
		if found, err := database.Exists(ctx, u.q, "links WHERE id = $1", passage.Link); err != nil || !found {
			return err
		}
		if _, err := table.Insert[waymark.PassageID](ctx, u.q, &table.Passages, []waymark.Passage{passage}); err != nil {
			return err
		}
	}
	return nil
}

// MarkedLinks returns a page of the active links that a user sees and has marked passages in, the one with the newest
// passage first, and how many there are.
func (s *Store) MarkedLinks(ctx context.Context, user waymark.UserID, pagination waymark.Pagination) (ids []waymark.LinkID, total int, err error) {
	q := s.db.Querier()
	a := q.Args(user)
	from := `passages AS p
		JOIN links AS l ON l.id = p.link_id AND ` + query.VisibleTo(a, "l.visible_to", user) + `
		WHERE p.user_id = $1`
	if total, err = database.QueryOne(ctx, q, database.ScanValue[int], "SELECT count(DISTINCT p.link_id) FROM "+from, a.Values...); err != nil {
		return nil, 0, err
	}
	limit, offset := a.Add(pagination.Limit), a.Add(pagination.Offset)
	ids, err = database.QueryAll(ctx, q, database.ScanValue[waymark.LinkID], `
		SELECT p.link_id
		FROM `+from+`
		GROUP BY p.link_id
		ORDER BY max(p.created_at) DESC, p.link_id DESC
		LIMIT `+limit+` OFFSET `+offset, a.Values...)
	return ids, total, err
}

// PassagesOfLinks returns what a user has marked in links, about in the order of their texts.
func (s *Store) PassagesOfLinks(ctx context.Context, user waymark.UserID, links []waymark.LinkID) (map[waymark.LinkID][]waymark.Passage, error) {
	byLink := map[waymark.LinkID][]waymark.Passage{}
	q := s.db.Querier()
	a := q.Args(user)
	all, err := table.Passages.All(ctx, q, "e.user_id = $1 AND e.link_id "+database.In(a, links)+" ORDER BY e.position, e.id", a.Values...)
	for _, p := range all {
		byLink[p.Link] = append(byLink[p.Link], p)
	}
	return byLink, err
}

// CollectedPassage is a passage of a collection.
type CollectedPassage struct {
	waymark.Passage
	URL, Title, Byline string // of the link; "" if the owner does not see it
}

// LinksWithPassages returns the links in which the owner has marked passages.
func (c *Collection) LinksWithPassages() (map[waymark.LinkID]bool, error) {
	return database.QueryMap[waymark.LinkID, bool](c.ctx, c.q, "SELECT DISTINCT link_id, true FROM passages WHERE user_id = $1", c.owner)
}

// Passages returns the owner's passages in a link.
func (c *Collection) Passages(link waymark.LinkID) ([]waymark.Passage, error) {
	return table.Passages.All(c.ctx, c.q, "e.user_id = $1 AND e.link_id = $2 ORDER BY e.created_at, e.id", c.owner, link)
}

// VisiblePassages yields the passages in active links that the owner sees, link by link, about in the order of the texts.
func (c *Collection) VisiblePassages() iter.Seq2[CollectedPassage, error] {
	return c.passages(true, "l.id, e.position, e.id")
}

// PassagesInOtherLinks yields the passages in links of other users.
func (c *Collection) PassagesInOtherLinks() iter.Seq2[CollectedPassage, error] {
	return c.passages(false, "e.created_at, e.id")
}

func (c *Collection) passages(onlyVisible bool, order string) iter.Seq2[CollectedPassage, error] {
	a := c.q.Args(c.owner)
	visible := query.VisibleTo(a, "l.visible_to", c.owner)
	where := "l.user_id <> e.user_id"
	if onlyVisible {
		where = visible
	}
	scan := func(rows *sql.Rows, p *CollectedPassage) error {
		return rows.Scan(append(table.Passages.Targets(&p.Passage, 3), &p.URL, &p.Title, &p.Byline)...)
	}
	seen := func(column string) string { return "CASE WHEN " + visible + " THEN " + column + " ELSE '' END" }
	return database.QueryEach(c.ctx, c.q, scan, `
		SELECT `+table.Passages.Selected+`, `+seen("l.url")+`, `+seen("l.title")+`, `+seen("coalesce(t.byline, '')")+`
		FROM passages AS e
		JOIN links AS l ON l.id = e.link_id
		LEFT JOIN text_snapshots AS t ON t.link_id = l.id
		WHERE e.user_id = $1 AND `+where+`
		ORDER BY `+order, a.Values...)
}

// ImportPassage stores a passage of the owner of an import on a link, unless the link has it. It returns a
// waymark.ValidationError if the link has too many. Call it in StepImport.
func (s *Store) ImportPassage(ctx context.Context, link ImportedLink, passage waymark.Passage) error {
	passage.Link = link.ID
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		const own = "passages WHERE link_id = $1 AND user_id = $2"
		if exists, err := database.Exists(ctx, q, own+" AND exact = $3 AND prefix = $4 AND suffix = $5", link.ID, passage.Owner, passage.Exact, passage.Prefix, passage.Suffix); err != nil || exists {
			return err
		}
		n, err := database.Count(ctx, q, own, link.ID, passage.Owner)
		if err != nil {
			return err
		}
		if n >= waymark.MaxPassages {
			return waymark.TooMany(waymark.FieldPassages, 0, waymark.MaxPassages)
		}
		return s.insertPassage(ctx, q, &passage)
	})
}

// insertPassage inserts a passage and sets its id.
func (s *Store) insertPassage(ctx context.Context, q database.Querier, passage *waymark.Passage) error {
	ids, err := table.Insert[waymark.PassageID](ctx, q, &table.Passages, []waymark.Passage{*passage})
	if err != nil {
		return err
	}
	passage.ID = ids[0]
	return s.recordAdded(table.Passages.Name, int64(passage.ID), undo.Values{linkColumn: integerJSON(int64(passage.Link))})
}
