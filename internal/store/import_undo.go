package store

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// UndoImport takes back what an import of user added. Its links move to the trash, except for those
// that were edited or got notes since. Its lists and tags are removed if no other link has them, and no list that stays
// stands in them, wherever they are now. Links
// that were there before lose the lists, tags and notes that it added. A running import ends.
//
// Each step is a transaction. If UndoImport is interrupted,
// calling it again goes on. It returns waymark.ErrNotFound if user has no such import, and
// waymark.ErrConflict if it was undone already.
func (s *Store) UndoImport(ctx context.Context, user waymark.UserID, id waymark.ImportID) (waymark.Import, error) {
	i, err := s.changeUndoing(ctx, user, id, func(context.Context, *reverter, *waymark.Import) error { return nil })
	if err != nil {
		return i, err
	}
	later, err := s.readLaterParts(ctx, id)
	if err != nil {
		return i, err
	}
	for i.Steps > 0 {
		i, err = s.changeUndoing(ctx, user, id, func(ctx context.Context, u *reverter, i *waymark.Import) error {
			return u.importStep(ctx, i, later)
		})
		if err != nil {
			return i, err
		}
	}
	return s.changeUndoing(ctx, user, id, func(ctx context.Context, u *reverter, i *waymark.Import) error {
		i.State = waymark.ImportUndone
		return u.endOfImport(ctx, id)
	})
}

// changeUndoing runs a transaction that undoes a part of an import.
func (s *Store) changeUndoing(ctx context.Context, user waymark.UserID, id waymark.ImportID, do func(context.Context, *reverter, *waymark.Import) error) (i waymark.Import, err error) {
	request := ctx
	err = s.userTx(ctx, user, func(ctx context.Context, q database.Querier) error {
		if i, err = table.Imports.Get(ctx, q, "e.id = $1 AND e.user_id = $2"+q.RowLock(), id, user); err != nil {
			return err
		}
		if i.State == waymark.ImportUndone {
			return waymark.ErrConflict
		}
		i.State, i.SeenAt = waymark.ImportUndoing, s.now()
		if err := do(ctx, newReverter(request, s, q, user), &i); err != nil {
			return err
		}
		return table.Imports.Update(ctx, q, int64(id), &i)
	})
	return i, err
}

// importSteps returns what the steps of an import added, in their order.
func importSteps(ctx context.Context, q database.Querier, id waymark.ImportID) iter.Seq2[undo.Import, error] {
	return func(yield func(undo.Import, error) bool) {
		for encoded, err := range database.QueryEach(ctx, q, database.ScanValue[[]byte], `
			SELECT added
			FROM import_steps
			WHERE import_id = $1
			ORDER BY step`, id) {
			var added undo.Import
			if err == nil {
				added, err = undo.DecodeImport(encoded)
			}
			if !yield(added, err) || err != nil {
				return
			}
		}
	}
}

// readLaterParts reads the steps of an import twice: a step does not say which links are of earlier ones.
func (s *Store) readLaterParts(ctx context.Context, id waymark.ImportID) (laterParts, error) {
	later := laterParts{owned: map[int64]bool{}, content: map[int64]uint64{}, pairs: map[waymark.EntityKind][][2]int64{}}
	for added, err := range importSteps(ctx, s.db.Querier(), id) {
		if err != nil {
			return later, err
		}
		for _, link := range added.Links {
			later.owned[link.ID] = true
		}
	}
	for added, err := range importSteps(ctx, s.db.Querier(), id) {
		if err != nil {
			return later, err
		}
		ofStep := setOf(addedIDs(added.Links))
		isLater := func(link int64) bool { return later.owned[link] && !ofStep[link] }
		for _, kind := range labelKinds {
			later.pairs[kind] = append(later.pairs[kind], pairsWhere(*added.Pairs(kind), isLater)...)
		}
		later.notes = append(later.notes, notesWhere(added.Notes, isLater)...)
		for _, link := range added.Changed {
			later.content[link.ID] = link.Content
		}
	}
	return later, nil
}

// importStep takes back the last step of an import that is left.
func (u *reverter) importStep(ctx context.Context, i *waymark.Import, later laterParts) error {
	encoded, err := database.QueryOne(ctx, u.q, database.ScanValue[[]byte], `
		SELECT added
		FROM import_steps
		WHERE import_id = $1 AND step = $2`, i.ID, i.Steps)
	if err != nil {
		return err
	}
	added, err := undo.DecodeImport(encoded)
	if err != nil {
		return err
	}
	changed, err := u.partsOfOtherLinks(ctx, &added, later.owned)
	if err != nil {
		return err
	}
	links := newImportedLinks(&added, later)
	if err := table.InBatches(u.request, addedIDs(added.Links), func(ids []int64) error { return links.compare(ctx, u, ids) }); err != nil {
		return err
	}
	if err := u.s.moveToTrash(ctx, u.request, u.q, waymark.Links, links.unchanged); err != nil {
		return err
	}
	i.Undone.Done += changed + len(links.unchanged)
	i.Undone.Edited += links.edited
	i.Undone.WithNotes += links.withNotes
	i.Steps--
	return nil
}

// partsOfOtherLinks takes back what a step added to links that the import did not create, and returns the
// number of links that lost lists or tags.
func (u *reverter) partsOfOtherLinks(ctx context.Context, added *undo.Import, owned map[int64]bool) (changed int, err error) {
	isOther := func(link int64) bool { return !owned[link] }
	var detached [][2]int64
	for _, kind := range labelKinds {
		pairs, err := u.detach(ctx, assocOf(kind), pairsWhere(*added.Pairs(kind), isOther))
		if err != nil {
			return 0, err
		}
		detached = append(detached, pairs...)
	}
	touched := linksOf(detached)
	if err := table.InBatches(u.request, touched, func(ids []int64) error { return u.s.touchLinks(ctx, u.q, u.user, ids) }); err != nil {
		return 0, err
	}
	notes, err := u.unedited(ctx, waymark.Notes, notesWhere(added.Notes, isOther), "")
	if err != nil {
		return 0, err
	}
	if err := u.s.moveToTrash(ctx, u.request, u.q, waymark.Notes, notes); err != nil {
		return 0, err
	}
	if err := u.snapshots(ctx, snapshots.TextSnapshots.Name, added.TextSnapshots); err != nil {
		return 0, err
	}
	if err := u.snapshots(ctx, snapshots.FullSnapshots.Name, added.FullSnapshots); err != nil {
		return 0, err
	}
	return len(touched), deleteOwn(ctx, u, "attachments", added.Attachments)
}

// unedited returns the ids of those that still have the content of the import and satisfy the condition.
func (u *reverter) unedited(ctx context.Context, kind waymark.EntityKind, added []undo.Added, condition string) (ids []int64, err error) {
	content := map[int64]uint64{}
	for _, e := range added {
		content[e.ID] = e.Content
	}
	err = table.InBatches(u.request, addedIDs(added), func(batch []int64) error {
		now, err := readContents(ctx, u.q, u.user, kind, batch, condition)
		for _, e := range now {
			if e.Content == content[e.ID] {
				ids = append(ids, e.ID)
			}
		}
		return err
	})
	return ids, err
}

// endOfImport removes the lists and tags of an import that no other link has, and its saved searches and
// settings, and forgets its steps.
func (u *reverter) endOfImport(ctx context.Context, id waymark.ImportID) error {
	var all undo.Import
	for added, err := range importSteps(ctx, u.q, id) {
		if err != nil {
			return err
		}
		for _, kind := range labelKinds {
			*all.Of(kind) = append(*all.Of(kind), *added.Of(kind)...)
		}
		all.Accounts = append(all.Accounts, added.Accounts...)
		all.SavedSearches = append(all.SavedSearches, added.SavedSearches...)
		all.Bundles = append(all.Bundles, added.Bundles...)
	}
	for _, kind := range labelKinds {
		unused, err := u.unedited(ctx, kind, *all.Of(kind), noActiveLinks(assocOf(kind)))
		if err == nil && kind == waymark.Lists {
			unused, err = u.withoutKeptSublists(ctx, unused)
		}
		if err != nil {
			return err
		}
		if err := table.InBatches(u.request, unused, func(ids []int64) error { return u.removeUnused(ctx, kind, ids) }); err != nil {
			return err
		}
	}
	if err := u.account(ctx, &all); err != nil {
		return err
	}
	_, err := u.q.Exec(ctx, `
		DELETE FROM import_steps
		WHERE import_id = $1`, id)
	return err
}

// withoutKeptSublists returns the lists among ids in which no list stands that is not among them, the innermost first.
func (u *reverter) withoutKeptSublists(ctx context.Context, ids []int64) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	t, err := readListTree(ctx, u.q, u.user)
	if err != nil {
		return nil, err
	}
	chosen, kept := setOf(ids), map[waymark.ListID]bool{}
	for _, l := range t.lists {
		for above := l; !chosen[int64(l.id)] && above != nil && !kept[above.id]; above = t.lists[above.at.Parent] {
			kept[above.id] = true
		}
	}
	removed := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return kept[waymark.ListID(id)] })
	slices.SortStableFunc(removed, func(a, b int64) int {
		return cmp.Compare(t.depth(t.lists[waymark.ListID(b)]), t.depth(t.lists[waymark.ListID(a)]))
	})
	return removed, nil
}

// deleteOwn deletes rows of a table that belong to the user.
func deleteOwn[ID waymark.ID](ctx context.Context, u *reverter, name string, ids []ID) error {
	for _, id := range ids {
		if _, err := u.q.Exec(ctx, "DELETE FROM "+name+" WHERE id = $1 AND user_id = $2", id, u.user); err != nil {
			return err
		}
	}
	return nil
}

// snapshots deletes text or full snapshots: rows of a table.
func (u *reverter) snapshots(ctx context.Context, name string, added []undo.Snapshot) error {
	for _, c := range added {
		deleted, err := u.q.Exec(ctx, `
			DELETE FROM `+name+`
			WHERE link_id = $1 AND user_id = $2 AND fetched_at = $3`, c.Link, u.user, c.FetchedAt)
		if err == nil && deleted > 0 && name == snapshots.TextSnapshots.Name {
			err = u.s.Snapshots.ForgetWords(ctx, u.q, c.Link)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// account reverts settings that were not changed since, and deletes saved searches.
func (u *reverter) account(ctx context.Context, r *undo.Import) error {
	for _, c := range r.Accounts {
		row, err := table.Users.Get(ctx, u.q, "e.id = $1"+u.q.RowLock(), u.user)
		if err != nil {
			return err
		}
		if now := (undo.Account{Settings: row.Settings, DefaultVisibility: row.DefaultVisibility}); now != c.After {
			continue
		}
		row.Settings, row.DefaultVisibility = c.Before.Settings, c.Before.DefaultVisibility
		if err := table.Users.Update(ctx, u.q, int64(u.user), &row); err != nil {
			return err
		}
	}
	if err := deleteOwn(ctx, u, "saved_searches", r.SavedSearches); err != nil {
		return err
	}
	return deleteOwn(ctx, u, "bundles", r.Bundles)
}
