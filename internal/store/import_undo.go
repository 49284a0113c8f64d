package store

import (
	"context"
	"iter"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// UndoImport takes back what an import of user added. Its links move to the trash, except for those
// that were edited or got notes since. Its lists and tags are removed if no other link has them, and no list that stays
// stands in them, wherever they are now. Links
// that were there before lose the lists, tags and notes that it added. A running import ends.
//
// Each part is a transaction. If UndoImport is interrupted,
// calling it again goes on. It returns waymark.ErrNotFound if user has no such import, and
// waymark.ErrConflict if it was undone already.
func (s *Store) UndoImport(ctx context.Context, user waymark.UserID, id waymark.ImportID) (waymark.Import, error) {
	i, err := s.changeUndoing(ctx, user, id, func(context.Context, *reverter, *waymark.Import) error { return nil })
	if err != nil {
		return i, err
	}
	added := newInserted()
	for steps, err := range importSteps(ctx, s.db.Querier(), id) {
		if err != nil {
			return i, err
		}
		added.learn(steps)
	}
	for i.Steps > 0 {
		i, err = s.changeUndoing(ctx, user, id, func(ctx context.Context, u *reverter, i *waymark.Import) error {
			u.inserted = added
			part, err := database.QueryOne(ctx, u.q, database.ScanValue[[]byte], `
				SELECT steps
				FROM undo_records
				WHERE import_id = $1 AND part = $2`, id, i.Steps)
			if err != nil {
				return err
			}
			steps, err := undo.Decode(part)
			if err == nil {
				err = u.revert(ctx, steps)
			}
			if err != nil {
				return err
			}
			u.result()
			for e := range u.done {
				if e.kind == waymark.Links {
					i.Undone.Done++
				}
			}
			i.Undone.Edited += u.edited
			i.Undone.WithNotes += u.withNotes
			i.Steps--
			return nil
		})
		if err != nil {
			return i, err
		}
	}
	return s.changeUndoing(ctx, user, id, func(ctx context.Context, u *reverter, i *waymark.Import) error {
		i.State = waymark.ImportUndone
		u.inserted = added
		if err := u.removeLabels(ctx, added.labels); err != nil {
			return err
		}
		_, err := u.q.Exec(ctx, `
			DELETE FROM undo_records
			WHERE import_id = $1`, id)
		return err
	})
}

// ImportedLabels returns how many lists and tags an import has added, until it is undone.
func (s *Store) ImportedLabels(ctx context.Context, id waymark.ImportID) (lists, tags int, err error) {
	added := map[string]int{}
	for steps, err := range importSteps(ctx, s.db.Querier(), id) {
		if err != nil {
			return 0, 0, err
		}
		for _, step := range steps {
			for _, row := range step.Rows {
				if row.Before == nil {
					added[step.Table]++
				}
			}
		}
	}
	return added["lists"], added["tags"], nil
}

// changeUndoing runs a transaction that undoes a part of an import.
func (s *Store) changeUndoing(ctx context.Context, user waymark.UserID, id waymark.ImportID, do func(context.Context, *reverter, *waymark.Import) error) (i waymark.Import, err error) {
	err = s.userTx(ctx, user, func(ctx context.Context, q database.Querier) error {
		if i, err = table.Imports.Get(ctx, q, "e.id = $1 AND e.user_id = $2"+q.RowLock(), id, user); err != nil {
			return err
		}
		if i.State == waymark.ImportUndone {
			return waymark.ErrConflict
		}
		i.State, i.SeenAt = waymark.ImportUndoing, s.now()
		if err := do(ctx, newReverter(s, q, user), &i); err != nil {
			return err
		}
		return table.Imports.Update(ctx, q, int64(id), &i)
	})
	return i, err
}

// importSteps returns what an import has changed, a part at a time in their order.
func importSteps(ctx context.Context, q database.Querier, id waymark.ImportID) iter.Seq2[[]undo.Step, error] {
	return func(yield func([]undo.Step, error) bool) {
		for encoded, err := range database.QueryEach(ctx, q, database.ScanValue[[]byte], `
			SELECT steps
			FROM undo_records
			WHERE import_id = $1
			ORDER BY part`, id) {
			var steps []undo.Step
			if err == nil {
				steps, err = undo.Decode(encoded)
			}
			if !yield(steps, err) || err != nil {
				return
			}
		}
	}
}
