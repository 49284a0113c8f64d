package store

import (
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// Undo undoes a change that Undoable has recorded for the same request, and forgets it. It returns
// waymark.ErrNotFound if there is none, or if it is older than a day.
//
// What was changed since is kept: a column is set back if it still has the value that the change gave it.
// An entity leaves the trash if it was not moved there a second time. A new or restored one goes to the trash
// if nobody has edited it. Lists and tags that a link lost or got are attached and detached again.
//
// With more hashes it also undoes the changes that have them.
func (s *Store) Undo(ctx context.Context, r UndoRequest, more ...[]byte) (result waymark.UndoResult, err error) {
	err = s.userTx(ctx, r.User, func(ctx context.Context, q database.Querier) error {
		a := q.Args(r.User, r.Session, r.APIKey, s.now().Add(-undoAge))
		parts, err := database.QueryAll(ctx, q, scanPart, `
			DELETE FROM undo_records
			WHERE hash `+database.In(a, waymark.Map(append(more, r.Hash), table.HashText))+` AND user_id = $1 AND session_id = $2 AND coalesce(api_key_id, 0) = $3 AND created_at >= $4
			RETURNING id, steps`, a.Values...)
		if err != nil {
			return err
		}
		result, err = s.undoParts(ctx, q, r.User, parts)
		return err
	})
	return result, err
}

// recordPart is a row of undo_records.
type recordPart struct {
	id    int64
	steps []byte
}

func scanPart(rows *sql.Rows, p *recordPart) error { return rows.Scan(&p.id, &p.steps) }

// undoParts undoes all parts of one or several records. It returns waymark.ErrNotFound if there are none.
func (s *Store) undoParts(ctx context.Context, q database.Querier, user waymark.UserID, parts []recordPart) (result waymark.UndoResult, err error) {
	if len(parts) == 0 {
		return result, waymark.ErrNotFound
	}
	slices.SortFunc(parts, func(a, b recordPart) int { return int(a.id - b.id) })
	u := newReverter(s, q, user)
	for _, part := range parts {
		steps, err := undo.Decode(part.steps)
		if err != nil {
			return result, err
		}
		u.learn(steps)
	}
	// The new links go first, then what each part has changed, then the labels that it has inserted: an earlier part may
	// have moved a tag to the trash whose name a later one has inserted again for a new link.
	isNewLinks := func(step undo.Step) bool { return step.Table == links.Name && step.Rows[0].Before == nil }
	for _, part := range slices.Backward(parts) {
		steps, err := undo.Decode(part.steps)
		if err == nil {
			err = u.revert(ctx, slices.DeleteFunc(steps, func(step undo.Step) bool { return !isNewLinks(step) }))
		}
		if err != nil {
			return result, err
		}
	}
	for _, part := range slices.Backward(parts) {
		steps, err := undo.Decode(part.steps)
		if err == nil {
			steps = slices.DeleteFunc(steps, isNewLinks)
			err = u.revert(ctx, steps)
		}
		if err == nil {
			err = u.removeLabels(ctx, slices.DeleteFunc(steps, func(step undo.Step) bool { return !step.ForLinks }))
		}
		if err != nil {
			return result, err
		}
	}
	if err := u.removeLabels(ctx, u.labels); err != nil {
		return result, err
	}
	return u.result(), nil
}

// revert undoes steps, the last one first, except for labels: see removeLabels.
func (u *reverter) revert(ctx context.Context, steps []undo.Step) error {
	for _, step := range slices.Backward(steps) {
		isInserted := step.Rows[0].Before == nil
		if step.Table != links.Name || !isInserted {
			step.Rows = slices.DeleteFunc(step.Rows, func(row undo.Row) bool { return u.isOfNewLink(step.Table, row) })
		}
		if len(step.Rows) == 0 || step.ForLinks {
			continue
		}
		if err := u.step(ctx, step, isInserted); err != nil {
			return err
		}
	}
	return nil
}

func (u *reverter) step(ctx context.Context, step undo.Step, isInserted bool) error {
	if step.Table == table.Passages.Name && !isInserted && step.Rows[0].After[linkColumn] == nil {
		return u.passages(ctx, step)
	}
	if step.Rows[0].Before[linkColumn] != nil {
		return u.s.moveParts(ctx, u.q, step, true)
	}
	switch step.Table {
	case query.LinkLists.Table:
		return u.pairs(ctx, &query.LinkLists, step, isInserted)
	case query.LinkTags.Table:
		return u.pairs(ctx, &query.LinkTags, step, isInserted)
	case queue.LinkChecks.Name:
		return u.ofOthers(ctx, step, func(u *reverter, step undo.Step) error { return u.checks(ctx, step) })
	case snapshots.TextSnapshots.Name, snapshots.FullSnapshots.Name:
		return u.snapshots(ctx, step)
	case listEditors:
		return u.editors(ctx, step)
	case table.Users.Name:
		return undoRows(ctx, u, &table.Users, noKind, step)
	case links.Name:
		if isInserted {
			return undoInserted(ctx, u, waymark.Links, &links, step)
		}
		return u.ofOthers(ctx, step, func(u *reverter, step undo.Step) error {
			return undoRows(ctx, u, &links.Table, waymark.Links, step)
		})
	case lists.Name:
		if isInserted {
			return undoInserted(ctx, u, waymark.Lists, &lists, step)
		}
		return u.lists(ctx, step)
	case tags.Name:
		if isInserted {
			return undoInserted(ctx, u, waymark.Tags, &tags, step)
		}
		return undoRows(ctx, u, &tags.Table, waymark.Tags, step)
	case notes.Name:
		if isInserted {
			return undoInserted(ctx, u, waymark.Notes, &notes, step)
		}
		return undoRows(ctx, u, &notes.Table, waymark.Notes, step)
	}
	a := u.q.Args(u.user)
	_, err := u.q.Exec(ctx, `
		DELETE FROM `+step.Table+`
		WHERE user_id = $1 AND id `+database.In(a, idsOf(step)), a.Values...)
	return err
}
