package store

import (
	"context"
	"errors"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// TrashedLinks lists a user's own links in the trash, by id, with their lists and tags.
func (s *Store) TrashedLinks(owner waymark.UserID) Listing[waymark.Link] {
	return trashListing(s.Links(owner, trashOrder, waymark.Pagination{}), owner)
}

// SearchTrashedLinks lists trashed links with all words and none of excluded, ignoring case.
func (s *Store) SearchTrashedLinks(owner waymark.UserID, words, excluded []string) Listing[waymark.Link] {
	l := s.TrashedLinks(owner)
	l.scansTexts = true
	for _, word := range words {
		l.sql = append(l.sql, s.containing(word))
	}
	for _, word := range excluded {
		contains := s.containing(word)
		l.sql = append(l.sql, func(a *database.Args) string { return "NOT " + contains(a) })
	}
	return l
}

// containing is the condition that a text of the link e contains a text, ignoring case.
func (s *Store) containing(text string) condition {
	return func(a *database.Args) string {
		if !table.StorableText(text) {
			return "FALSE"
		}
		parameter := a.Add(waymark.Plain(text))
		return "(" + s.dialect.Contains(query.Folded("url"), parameter) + " OR " + s.dialect.Contains(query.Folded("title"), parameter) + " OR " + s.dialect.Contains(query.Folded("description"), parameter) + ")"
	}
}

// TrashedLists lists a user's own lists in the trash, sorted by id.
func (s *Store) TrashedLists(owner waymark.UserID) Listing[waymark.List] {
	return trashListing(newPlainListing(s, &lists, owner, trashOrder, waymark.Pagination{}), owner)
}

// TrashedTags lists a user's own tags in the trash, sorted by id.
func (s *Store) TrashedTags(owner waymark.UserID) Listing[waymark.Tag] {
	return trashListing(newPlainListing(s, &tags, owner, trashOrder, waymark.Pagination{}), owner)
}

// TrashedNotes lists a user's own notes in the trash, sorted by id.
func (s *Store) TrashedNotes(owner waymark.UserID) Listing[waymark.Note] {
	return trashListing(newPlainListing(s, &notes, owner, trashOrder, waymark.Pagination{}), owner)
}

var trashOrder = waymark.Order{By: waymark.SortByID}

// trashListing returns the listing of the owner's entities in the trash.
func trashListing[T any](l Listing[T], owner waymark.UserID) Listing[T] {
	l.scopes = nil
	l.sql = []condition{ownedBy(owner), func(*database.Args) string { return "e.visible_to IS NULL" }}
	return l
}

// LastChanged returns a part of the listing, with the entity that was changed last first. In a
// listing of the trash, this entity was moved there last.
func (l Listing[T]) LastChanged(pagination waymark.Pagination) Listing[T] {
	l.order, l.pagination = waymark.Order{By: waymark.SortByUpdatedAt, Desc: true}, pagination
	return l
}

// Delete moves an active entity into the trash. The sublists of a list take its place. It returns
// waymark.ErrNotFound if there is no such entity, and waymark.ErrForbidden if it is another user's.
func (s *Store) Delete(ctx context.Context, editor waymark.User, kind waymark.EntityKind, id int64) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		owners, err := activeOwners(ctx, q, kind, []int64{id})
		if err != nil {
			return err
		}
		owner, ok := owners[id]
		if !ok {
			return waymark.ErrNotFound
		}
		if err := editor.MayWrite(waymark.Target{Kind: kind, Owner: owner}); err != nil {
			return err
		}
		if err := table.LockUser(ctx, q, owner); err != nil {
			return err
		}
		locked, err := lockActive(ctx, q, kind, []int64{id})
		if err != nil {
			return err
		}
		if len(locked) == 0 {
			return waymark.ErrNotFound // it was deleted in between
		}
		return s.moveToTrash(ctx, q, kind, locked)
	})
}

// DeleteMany moves the active entities of editor among ids into the trash, and returns
// their ids. It uses a permit of editor for bulk changes.
func (s *Store) DeleteMany(ctx context.Context, editor waymark.User, kind waymark.EntityKind, ids []int64) (map[int64]bool, error) {
	return s.deleteMany(ctx, editor, kind, ids, false)
}

// DeleteWithSublists is DeleteMany for lists and all that stand in them.
func (s *Store) DeleteWithSublists(ctx context.Context, editor waymark.User, ids []int64) (map[int64]bool, error) {
	return s.deleteMany(ctx, editor, waymark.Lists, ids, true)
}

func (s *Store) deleteMany(ctx context.Context, editor waymark.User, kind waymark.EntityKind, ids []int64, withSublists bool) (map[int64]bool, error) {
	var deleted []int64
	err := s.bulk(ctx, editor.ID, func(ctx context.Context, q database.Querier) error {
		owners, err := activeOwners(ctx, q, kind, ids)
		if err != nil {
			return err
		}
		ids := permittedIDs(editor, kind, owners)
		if withSublists {
			t, err := readListTree(ctx, q, editor.ID)
			if err != nil {
				return err
			}
			ids = table.Unique(table.PlainIDs(t.within(typedIDs[waymark.ListID](ids))))
		}
		if deleted, err = lockActive(ctx, q, kind, ids); err != nil {
			return err
		}
		return s.moveToTrash(ctx, q, kind, deleted)
	})
	if err != nil {
		return nil, err
	}
	return setOf(deleted), nil
}

// permittedIDs returns the ids of the entities that a user may change, in order.
func permittedIDs(editor waymark.User, kind waymark.EntityKind, owners map[int64]waymark.UserID) []int64 {
	ids := make([]int64, 0, len(owners))
	for id, owner := range owners {
		if editor.MayWrite(waymark.Target{Kind: kind, Owner: owner}) == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// moveToTrash sets the time when one user's entities were deleted. Triggers log the change.
func (s *Store) moveToTrash(ctx context.Context, q database.Querier, kind waymark.EntityKind, ids []int64) error {
	if kind == waymark.Lists {
		if err := s.liftSublists(ctx, q, ids); err != nil {
			return err
		}
	}
	now := s.now()
	return table.InBatches(ctx, ids, func(ids []int64) error {
		return s.recordedEntities(ctx, q, kind, ids, func() error {
			a := q.Args(now)
			_, err := q.Exec(ctx, `
				UPDATE `+kind.String()+`
				SET deleted_at = $1, updated_at = $1
				WHERE id `+database.In(a, ids), a.Values...)
			return err
		})
	})
}

// ClearTrash permanently deletes a user's entities of one kind that are in the trash. The notes of
// a link are deleted with it; the links of a list or tag remain. The user's undo records and the
// URLs in reports of imports are deleted, too, because they can contain the entities.
func (s *Store) ClearTrash(ctx context.Context, owner waymark.UserID, kind waymark.EntityKind) error {
	err := s.bulk(ctx, owner, func(ctx context.Context, q database.Querier) error {
		if _, err := q.Exec(ctx, `
			DELETE FROM undo_records
			WHERE user_id = $1 AND import_id IS NULL`, owner); err != nil {
			return err
		}
		if _, err := q.Exec(ctx, `
			UPDATE import_problems
			SET url = '', text = CASE WHEN field = $2 THEN '' ELSE text END
			WHERE saved AND import_id IN (
				SELECT id
				FROM imports
				WHERE user_id = $1)`, owner, waymark.FieldURL); err != nil {
			return err
		}
		_, err := q.Exec(ctx, `
			DELETE FROM `+kind.String()+`
			WHERE user_id = $1 AND visible_to IS NULL`, owner)
		return err
	})
	if err != nil {
		return err
	}
	s.eraseDeleted(ctx)
	return nil
}

// eraseDeleted removes what was deleted from SQLite's write-ahead log, too. It ignores
// errors, because the deletion is committed already, and EmptyWAL tries again.
func (s *Store) eraseDeleted(ctx context.Context) {
	_ = s.db.EmptyWAL(ctx)
}

// EmptyWAL empties SQLite's write-ahead log unless transactions read from it. Then it contains no
// deleted or overwritten data. Call it regularly.
func (s *Store) EmptyWAL(ctx context.Context) error {
	if err := s.db.EmptyWAL(ctx); !errors.Is(err, waymark.ErrUnavailable) {
		return err
	}
	return nil
}

// Restore makes an entity active again; an active entity stays as it is. A list comes back to its place, or to no
// list if that is gone, with the sublists that were deleted together with it. It returns
// waymark.ErrNotFound if there is no such entity, waymark.ErrForbidden, and
// waymark.ErrConflict if the URL or the name exists again.
func (s *Store) Restore(ctx context.Context, editor waymark.User, kind waymark.EntityKind, id int64) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		selectOwner := `
			SELECT e.user_id
			FROM ` + kind.String() + ` AS e
			WHERE e.id = $1`
		owner, err := database.QueryOne(ctx, q, database.ScanValue[waymark.UserID], selectOwner, id)
		if err != nil {
			return err
		}
		if err := editor.MayWrite(waymark.Target{Kind: kind, Owner: owner}); err != nil {
			return err
		}
		if err := table.LockUser(ctx, q, owner); err != nil {
			return err
		}
		if _, err := database.QueryOne(ctx, q, database.ScanValue[waymark.UserID], selectOwner+q.RowLock(), id); err != nil {
			return err // it was deleted permanently in between
		}
		trashed, err := readTrashed(ctx, q, kind, []int64{id})
		if err != nil || len(trashed) == 0 {
			return err
		}
		restored, err := s.restoreTrashed(ctx, q, kind, trashed)
		if err == nil && !restored[id] {
			err = waymark.ErrConflict
		}
		return err
	})
}
