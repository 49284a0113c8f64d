package store

import (
	"context"

	"waymark/internal/database"
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
		ids, err := table.Insert[waymark.PassageID](ctx, q, &table.Passages, []waymark.Passage{passage})
		if err != nil {
			return err
		}
		passage.ID = ids[0]
		return s.recordAdded(table.Passages.Name, int64(passage.ID), undo.Values{linkColumn: integerJSON(int64(passage.Link))})
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
func (s *Store) DeletePassage(ctx context.Context, user waymark.UserID, link waymark.LinkID, id waymark.PassageID) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		passage, err := getPassage(ctx, q, user, link, id)
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
