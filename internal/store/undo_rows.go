package store

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"waymark/internal/store/queue"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// undoRows reverts columns of rows if they still have the value from the change. A status goes with
// the URL for which it was found. taken, unless it is nil, reports whether an active row other than
// this one has the value of a unique column of before.
func undoRows[T any](ctx context.Context, u *reverter, kind waymark.EntityKind, t *entityTable[T], changes []undo.Row[T], taken func(ctx context.Context, column string, before *T) (bool, error)) error {
	for _, change := range slices.Backward(changes) {
		id := t.idOf(&change.Before)
		row, err := t.Get(ctx, u.q, "e.id = $1 AND e.user_id = $2"+u.q.RowLock(), id, u.user)
		if errors.Is(err, waymark.ErrNotFound) {
			u.skipped[entityID{kind, id}] = true
			continue
		}
		if err != nil {
			return err
		}
		changed, newURL, oldURL := false, false, false
		for _, c := range t.Read {
			if !c.Update || c.Name == "updated_at" || c.Value(&change.Before) == c.Value(&change.After) {
				continue
			}
			skip := c.Value(&row) != c.Value(&change.After)
			if !skip && taken != nil {
				if skip, err = taken(ctx, c.Name, &change.Before); err != nil {
					return err
				}
			}
			switch {
			case c.Name == "url":
				newURL, oldURL = true, !skip
			case c.Name == "status" && newURL: // a check may have changed it since
				skip = !oldURL
			}
			if skip {
				u.skipped[entityID{kind, id}] = true
				continue
			}
			reflect.ValueOf(c.Target(&row)).Elem().Set(reflect.ValueOf(c.Target(&change.Before)).Elem())
			changed = true
		}
		if !changed {
			continue
		}
		u.done[entityID{kind, id}] = true
		for _, c := range t.Read {
			if c.Name == "updated_at" {
				reflect.ValueOf(c.Target(&row)).Elem().SetInt(int64(u.s.now()))
			}
		}
		if err := t.Update(ctx, u.q, id, &row); err != nil {
			return err
		}
	}
	return nil
}

// checks stores again what was found about links that have their former URLs again.
func (u *reverter) checks(ctx context.Context, checks []undo.Check) error {
	for _, c := range checks {
		link, err := links.Get(ctx, u.q, "e.id = $1 AND e.user_id = $2", c.Link, u.user)
		if errors.Is(err, waymark.ErrNotFound) || err == nil && link.URL != c.URL {
			continue
		}
		if err != nil {
			return err
		}
		if err := queue.RestoreChecks(ctx, u.q, u.user, c.Link, c.Checks); err != nil {
			return err
		}
	}
	return nil
}

// pageFetches lets the pages of links be fetched that have their former URL or choice of snapshots again.
func (u *reverter) pageFetches(ctx context.Context, changes []undo.Row[waymark.Link]) error {
	for _, change := range changes {
		if !u.done[entityID{waymark.Links, int64(change.After.ID)}] {
			continue
		}
		link, err := links.Get(ctx, u.q, "e.id = $1", change.After.ID)
		if err != nil {
			return err
		}
		if err := u.s.Queue.AddChangedPage(ctx, u.q, change.After, link, false); err != nil {
			return err
		}
	}
	return nil
}

func (u *reverter) urlExists(ctx context.Context, column string, link *waymark.Link) (bool, error) {
	if column != "url" {
		return false, nil
	}
	duplicates, err := duplicateURLs(ctx, u.q, u.user, []string{link.URL}, link.ID)
	return len(duplicates) > 0, err
}

func (u *reverter) nameExists(ctx context.Context, column string, tag *waymark.Tag) (bool, error) {
	if column != "name" {
		return false, nil
	}
	duplicates, err := duplicateTagNames(ctx, u.q, u.user, []string{tag.Name}, tag.ID)
	return len(duplicates) > 0, err
}
