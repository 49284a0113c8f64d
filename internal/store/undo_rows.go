package store

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/queue"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// undoRows sets columns of updated rows back: see revertRow.
func undoRows[T any](ctx context.Context, u *reverter, t *table.Table[T], kind waymark.EntityKind, step undo.Step) error {
	if len(step.Rows) == 0 {
		return nil
	}
	owner := "user_id"
	if t.Name == table.Users.Name {
		owner = "id"
	}
	a := u.q.Args(u.user)
	rows, err := t.All(ctx, u.q, "e."+owner+" = $1 AND e.id "+database.In(a, idsOf(step))+" ORDER BY e.id"+u.q.RowLock(), a.Values...)
	if err != nil {
		return err
	}
	byID := map[int64]*T{}
	for i := range rows {
		byID[t.ID(&rows[i])] = &rows[i]
	}
	taken, err := takenByOthers(ctx, u, t, kind, byID, step)
	if err != nil {
		return err
	}
	var before, after []T
	var toTrash, fromTrash []int64
	columns := map[string]bool{}
	for _, change := range step.Rows {
		row := byID[change.ID]
		if row == nil {
			u.skip(kind, change.ID)
			continue
		}
		old := *row
		reverted, err := revertRow(u, t, kind, row, change, taken[change.ID])
		if err != nil {
			return err
		}
		if len(reverted) == 0 {
			continue
		}
		maps.Copy(columns, reverted)
		before, after = append(before, old), append(after, *row)
		switch deleted := change.Before[deletedColumn]; {
		case deleted == nil:
		case integerOf(deleted) == 0:
			fromTrash = append(fromTrash, change.ID)
		default:
			toTrash = append(toTrash, change.ID)
		}
	}
	if kind == waymark.Lists {
		if err := u.s.liftSublists(ctx, u.q, toTrash); err != nil {
			return err
		}
	}
	if err := t.UpdateRows(ctx, u.q, after, columns); err != nil {
		return err
	}
	switch {
	case kind == waymark.Lists && len(fromTrash) > 0:
		return u.s.settleRestored(ctx, u.q, u.user, setOf(fromTrash))
	case kind == waymark.Links:
		return u.pageFetches(ctx, any(before).([]waymark.Link), any(after).([]waymark.Link))
	}
	return nil
}

// revertRow sets the columns of a row back that still have the value of the change, and returns their names. That
// is the rule of each undo: what was changed since is kept. taken reports that another row has the former URL or name.
//
// A row that goes to the trash again must have all values of the change. One that was edited since gets a new
// updated_at, and else its former one. A status goes with the URL for which it was found.
func revertRow[T any](u *reverter, t *table.Table[T], kind waymark.EntityKind, row *T, change undo.Row, taken bool) (map[string]bool, error) {
	id, same, updatedAt := change.ID, map[string]bool{}, -1
	for i, c := range t.Read {
		same[c.Name] = bytes.Equal(c.JSON(row), change.After[c.Name])
		if c.Name == updatedColumn {
			updatedAt = i
		}
	}
	if deleted := change.Before[deletedColumn]; deleted != nil {
		isRestored := integerOf(deleted) == 0
		isEdited := func(name string) bool { return !same[name] }
		if !same[deletedColumn] || taken || !isRestored && slices.ContainsFunc(slices.Collect(maps.Keys(change.After)), isEdited) {
			u.notRestored = u.notRestored || isRestored
			u.skip(kind, id)
			return nil, nil
		}
	}
	if taken {
		same["url"], same["name"] = false, false
	}
	if change.After["url"] != nil {
		same["status"] = same["url"]
	}
	reverted := map[string]bool{}
	for _, c := range t.Read {
		value := change.Before[c.Name]
		switch {
		case value == nil || c.Name == updatedColumn:
			continue
		case !same[c.Name]:
			u.skip(kind, id)
			continue
		}
		if err := c.SetJSON(row, value); err != nil {
			return nil, err
		}
		reverted[c.Name] = true
		u.done[entityID{kind, id}] = kind != noKind
	}
	onlySeen := len(reverted) == 1 && reverted[seenColumn]
	if updatedAt >= 0 && (len(reverted) > 0 && !onlySeen || same[updatedColumn]) {
		value := integerJSON(int64(u.s.now()))
		if same[updatedColumn] {
			value = change.Before[updatedColumn]
		}
		reverted[updatedColumn] = true
		return reverted, t.Read[updatedAt].SetJSON(row, value)
	}
	return reverted, nil
}

// takenByOthers returns the rows whose former URL or name another active entity has.
func takenByOthers[T any](ctx context.Context, u *reverter, t *table.Table[T], kind waymark.EntityKind, rows map[int64]*T, step undo.Step) (map[int64]bool, error) {
	column, duplicates := "", func(_ []string, _ int64) ([]int, error) { return nil, nil }
	switch kind {
	case waymark.Links:
		column, duplicates = "url", func(urls []string, except int64) ([]int, error) {
			return duplicateURLs(ctx, u.q, u.user, urls, waymark.LinkID(except))
		}
	case waymark.Tags:
		column, duplicates = "name", func(names []string, except int64) ([]int, error) {
			return duplicateTagNames(ctx, u.q, u.user, names, waymark.TagID(except))
		}
	}
	at := slices.IndexFunc(t.Read, func(c table.Column[T]) bool { return c.Name == column })
	if at < 0 {
		return nil, nil
	}
	taken := map[int64]bool{}
	var texts []string
	var ids []int64
	for _, change := range slices.Backward(step.Rows) { // of several with one URL, the largest id is restored
		row := rows[change.ID]
		if row == nil {
			continue
		}
		text := change.Before[column]
		isRestored := change.Before[deletedColumn] != nil && integerOf(change.Before[deletedColumn]) == 0
		if text == nil && isRestored {
			text = t.Read[at].JSON(row)
		}
		var plain string
		if text == nil {
			continue
		}
		if err := json.Unmarshal(text, &plain); err != nil {
			return nil, err
		}
		if !isRestored {
			indexes, err := duplicates([]string{plain}, change.ID)
			if err != nil {
				return nil, err
			}
			taken[change.ID] = len(indexes) > 0
			continue
		}
		texts, ids = append(texts, plain), append(ids, change.ID)
	}
	if len(texts) == 0 {
		return taken, nil
	}
	indexes, err := duplicates(texts, 0)
	for _, i := range indexes {
		taken[ids[i]] = true
	}
	return taken, err
}

// lists sets updated lists back, their places in the tree first. A place is the parent and the position among
// the lists there, which also changes when others make room.
func (u *reverter) lists(ctx context.Context, step undo.Step) error {
	var rows, placed []undo.Row
	for _, change := range slices.Backward(step.Rows) {
		if (change.After["parent_id"] != nil || change.After["position"] != nil) && change.After[deletedColumn] == nil {
			placed = append(placed, change)
		} else {
			rows = append(rows, change)
		}
	}
	if len(placed) > 0 {
		t, err := readListTree(ctx, u.q, u.user)
		if err != nil {
			return err
		}
		done := map[int64]bool{}
		// A list cannot go below another one that stands in it: that one goes back first, so those left are tried again.
		for n := -1; n < len(done); {
			n = len(done)
			for _, change := range placed {
				l := t.lists[waymark.ListID(change.ID)]
				if l != nil && !done[change.ID] && t.revert(l, placeOf(change.Before, l.at), placeOf(change.After, l.at)) {
					done[change.ID] = true
				}
			}
		}
		for _, change := range placed {
			if change.After[updatedColumn] != nil { // the user has moved it
				u.note(waymark.Lists, []int64{change.ID}, done)
			}
			if done[change.ID] {
				delete(change.Before, "parent_id")
				delete(change.Before, "position")
				rows = append(rows, change)
			}
		}
		if err := u.s.writeTree(ctx, u.q, t); err != nil {
			return err
		}
	}
	step.Rows = rows
	return undoRows(ctx, u, &lists.Table, waymark.Lists, step)
}

// placeOf returns the place of a list, with what did not change from another one.
func placeOf(values undo.Values, other listPosition) listPosition {
	if parent := values["parent_id"]; parent != nil {
		other.Parent = waymark.ListID(integerOf(parent))
	}
	if position := values["position"]; position != nil {
		other.Position = int(integerOf(position))
	}
	return other
}

// revert sets the place of a list as it was before a change, and reports whether it could.
func (t *listTree) revert(l *treeList, before, after listPosition) bool {
	switch {
	case before.Parent == after.Parent:
		if l.at != after {
			return l.at == before
		}
	case l.at.Parent == before.Parent: // the list above it was deleted again
		return true
	case l.at.Parent != after.Parent || t.check(l, before.Parent) != nil:
		return false
	}
	t.place(l, before)
	return true
}

// checks stores again what was found about links that have their former URLs again.
func (u *reverter) checks(ctx context.Context, step undo.Step) error {
	for _, row := range step.Rows {
		var url string
		var checks waymark.LinkChecks
		if err := json.Unmarshal(row.Before["url"], &url); err != nil {
			return err
		}
		if err := json.Unmarshal(row.Before["checks"], &checks); err != nil {
			return err
		}
		found, err := links.All(ctx, u.q, "e.id = $1 AND e.user_id = $2", row.ID, u.user)
		if err == nil && len(found) > 0 && found[0].URL == url {
			err = queue.RestoreChecks(ctx, u.q, u.user, waymark.LinkID(row.ID), checks)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// snapshots deletes text or full snapshots that were inserted and not replaced since.
func (u *reverter) snapshots(ctx context.Context, step undo.Step) error {
	for _, row := range step.Rows {
		deleted, err := u.q.Exec(ctx, `
			DELETE FROM `+step.Table+`
			WHERE link_id = $1 AND user_id = $2 AND fetched_at = $3`, row.ID, u.user, integerOf(row.After[fetchedColumn]))
		if err == nil && deleted > 0 && step.Table == snapshots.TextSnapshots.Name {
			err = u.s.Snapshots.ForgetWords(ctx, u.q, waymark.LinkID(row.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ofOthers calls do with the rows of the user's own links, and then for each link of another user whose texts the user may
// edit now, as if its owner undid the edit. The others are skipped.
func (u *reverter) ofOthers(ctx context.Context, step undo.Step, do func(u *reverter, step undo.Step) error) error {
	a := u.q.Args(u.user)
	others, err := links.All(ctx, u.q, "e.id "+database.In(a, idsOf(step))+" AND e.user_id <> $1 ORDER BY e.id", a.Values...)
	if err != nil {
		return err
	}
	rows := map[int64]undo.Row{}
	for _, row := range step.Rows {
		rows[row.ID] = row
	}
	for _, link := range others {
		of := step
		of.Rows = []undo.Row{rows[int64(link.ID)]}
		step.Rows = slices.DeleteFunc(slices.Clone(step.Rows), func(row undo.Row) bool { return row.ID == int64(link.ID) })
		if err := lockOwners(ctx, u.q, u.user, waymark.Links, []int64{int64(link.ID)}); err != nil {
			return err
		}
		target, _, err := u.s.textsTarget(ctx, u.q, u.user, link)
		if err != nil {
			return err
		}
		if (waymark.User{ID: u.user}).MayWrite(target) != nil {
			u.skip(waymark.Links, int64(link.ID))
			continue
		}
		asOwner := *u
		asOwner.user = link.Owner
		if err := do(&asOwner, of); err != nil {
			return err
		}
	}
	if len(step.Rows) == 0 {
		return nil
	}
	return do(u, step)
}

// pageFetches lets the pages of links be fetched that have their former URL or choice of snapshots again.
func (u *reverter) pageFetches(ctx context.Context, before, after []waymark.Link) error {
	for i := range after {
		if before[i].URL == after[i].URL && before[i].Snapshots == after[i].Snapshots {
			continue
		}
		if err := u.s.Queue.AddChangedPage(ctx, u.q, before[i], after[i], false); err != nil {
			return err
		}
	}
	return nil
}
