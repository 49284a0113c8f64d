package store

import (
	"context"
	"errors"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// Undo undoes a change that Undoable has recorded under the hash of a token, and forgets the
// token. It returns waymark.ErrNotFound if user has no such token in this session, or if it is
// older than a day.
//
// An entity that was changed again since keeps what was changed: a text or a visibility is
// reverted only if it still has the value that the change gave it, an entity is restored only
// if it was not moved to the trash a second time, and a new or restored one is moved to the
// trash only if it was not edited. Lists and tags are attached again that were detached, and
// the other way round, in addition to other changes.
func (s *Store) Undo(ctx context.Context, user waymark.User, session waymark.SessionID, hash []byte) (result waymark.UndoResult, err error) {
	request := ctx
	err = s.userTx(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		encoded, err := database.QueryOne(ctx, q, database.ScanValue[[]byte], `
			DELETE FROM undo_records
			WHERE hash = $1 AND user_id = $2 AND session_id = $3 AND created_at >= $4
			RETURNING reverse`, table.HashText(hash), user.ID, session, s.now().Add(-undoAge))
		if err != nil {
			return err
		}
		r, err := undo.Decode(encoded)
		if err != nil {
			return err
		}
		u := newReverter(request, s, q, user.ID)
		if err := u.all(ctx, &r); err != nil {
			return err
		}
		result = u.result()
		return nil
	})
	return result, err
}

// all undoes the changes of a record. The order of the steps matters. created skips entities that
// were edited since, by their updated_at. So it comes before the steps that change updated_at.
// Entities are restored before lists and tags are attached to them. Lists and tags that were
// created for links are deleted when these links have them no more. Lists leave a list that was created before that
// list goes, or they would take its place.
func (u *reverter) all(ctx context.Context, r *undo.Record) error {
	inCreated, places := r.PlacesInCreated()
	if err := u.places(ctx, inCreated); err != nil {
		return err
	}
	for _, c := range r.Created {
		if c.IfUnused {
			continue
		}
		if err := u.created(ctx, &c); err != nil {
			return err
		}
	}
	edited := len(u.skipped)
	for _, c := range r.Trashed {
		if err := u.trashed(ctx, c); err != nil {
			return err
		}
	}
	restored := len(u.skipped) == edited
	if err := u.places(ctx, places); err != nil {
		return err
	}
	for _, c := range r.Visibility {
		if err := u.visibility(ctx, c); err != nil {
			return err
		}
	}
	for _, c := range r.Flags {
		if err := u.flag(ctx, c); err != nil {
			return err
		}
	}
	if err := errors.Join(
		undoRows(ctx, u, waymark.Links, &links, r.Links, u.urlExists),
		u.checks(ctx, r.Checks),
		u.pageFetches(ctx, r.Links),
		undoRows(ctx, u, waymark.Lists, &lists, r.Lists, nil),
		undoRows(ctx, u, waymark.Tags, &tags, r.Tags, u.nameExists),
		undoRows(ctx, u, waymark.Notes, &notes, r.Notes, nil),
	); err != nil {
		return err
	}
	for _, assoc := range []*query.Association{&query.LinkLists, &query.LinkTags} {
		if err := u.pairs(ctx, assoc, pairsOf(r, assoc), restored); err != nil {
			return err
		}
	}
	for _, c := range r.Created {
		if !c.IfUnused {
			continue
		}
		if err := u.createdForLinks(ctx, &c); err != nil {
			return err
		}
	}
	return nil
}
