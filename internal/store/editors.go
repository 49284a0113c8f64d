package store

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// MayEditTexts reports whether user may edit the texts of an active link that they see.
func (s *Store) MayEditTexts(ctx context.Context, user waymark.User, link waymark.Link) (bool, error) {
	target, _, err := s.textsTarget(ctx, s.db.Querier(), user.ID, link)
	return err == nil && user.MayWrite(target) == nil, err
}

// ListEditors returns who edits an active list. Its owner and its editors may read that; for others it is
// waymark.ErrForbidden.
func (s *Store) ListEditors(ctx context.Context, user waymark.User, id waymark.ListID) (editors waymark.Editors, err error) {
	err = s.db.ReadTx(ctx, func(q database.Querier) error {
		list, err := lists.GetVisible(ctx, q, user.ID, int64(id))
		if err != nil {
			return err
		}
		above, err := readListsAbove(ctx, q, user.ID, []int64{int64(id)})
		if err != nil {
			return err
		}
		if err := user.MayWrite(waymark.Target{Kind: waymark.Lists, Owner: list.Owner, Part: waymark.Content, Editor: above.isEditor(user.ID, id)}); err != nil {
			return err
		}
		from, rights := above.editorsOf(id)
		if rights.ID == 0 { // the outermost list has no editors of its own
			path := above.path(id)
			from = path[0].ID
		}
		editors = waymark.Editors{Who: list.Editing, From: from}
		if list.Editing == waymark.EditedAsParent && list.Parent == 0 {
			editors.Who = waymark.EditedByOwner
		}
		editors.Users, err = namedEditors(ctx, q, from)
		return err
	})
	return editors, err
}

func namedEditors(ctx context.Context, q database.Querier, list waymark.ListID) ([]string, error) {
	return database.QueryAll(ctx, q, database.ScanValue[string], `
		SELECT u.name
		FROM list_editors AS m
		JOIN users AS u ON u.id = m.user_id
		WHERE m.list_id = $1
		ORDER BY u.name_folded`, list)
}

// SetListEditors sets who edits an active list of the user's own. That is a waymark.ValidationError for a list without a
// parent that is to have the editors of its parent, for a private list that is to have others, and for unknown names.
func (s *Store) SetListEditors(ctx context.Context, user waymark.User, id waymark.ListID, editors waymark.Editors) error {
	return s.userTx(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		list, err := lists.GetVisible(ctx, q, user.ID, int64(id))
		if err == nil {
			err = user.MayWrite(waymark.Target{Kind: waymark.Lists, Owner: list.Owner})
		}
		if err != nil {
			return err
		}
		named, err := s.checkEditors(ctx, q, list, editors)
		if err != nil {
			return err
		}
		before, err := namedEditors(ctx, q, id)
		if err != nil {
			return err
		}
		if editors.Who == list.Editing && slices.Equal(before, named) {
			return nil
		}
		if err := recorded(ctx, s, q, &lists.Table, []int64{int64(id)}, func() error {
			stored := any(nil)
			if editors.Who != waymark.EditedAsParent {
				stored = editors.Who - 1
			}
			_, err := q.Exec(ctx, `
				UPDATE lists
				SET editing = CAST($1 AS BIGINT), updated_at = $2
				WHERE id = $3`, stored, s.now(), id)
			return err
		}); err != nil {
			return err
		}
		if err := s.setNamed(ctx, q, id, before, named); err != nil {
			return err
		}
		detail := "list " + strconv.FormatInt(int64(id), 10) + ": " + editors.Who.String()
		return accounts.AddAuditEvent(ctx, q, "list editors changed", user.Name, strings.TrimSpace(detail+" "+strings.Join(named, ", ")))
	})
}

// checkEditors returns the names of those who are to be named, sorted, without the owner.
func (s *Store) checkEditors(ctx context.Context, q database.Querier, list waymark.List, editors waymark.Editors) ([]string, error) {
	problems := &waymark.ValidationError{}
	switch {
	case editors.Who == waymark.EditedAsParent && list.Parent == 0:
		problems.Problems = append(problems.Problems, waymark.Problem{Field: waymark.FieldWho, Rule: waymark.RuleExists})
	case editors.Who.IsShared() && list.Visibility == waymark.Private:
		problems.Problems = append(problems.Problems, waymark.Problem{Field: waymark.FieldWho, Rule: waymark.RuleNotPrivate})
	}
	folded := map[string]bool{}
	for _, name := range editors.Users {
		folded[waymark.Fold(name)] = true
	}
	a := q.Args()
	users, err := table.Users.All(ctx, q, "e.name_folded "+database.In(a, storable(editors.Users))+" ORDER BY e.name_folded", a.Values...)
	if err != nil {
		return nil, err
	}
	var named []string
	for _, u := range users {
		delete(folded, waymark.Fold(u.Name))
		if u.ID != list.Owner && editors.Who == waymark.EditedByNamed {
			named = append(named, u.Name)
		}
	}
	if len(folded) > 0 {
		problems.Problems = append(problems.Problems, waymark.Problem{Field: waymark.FieldUsers, Rule: waymark.RuleExists})
	}
	return named, problems.Err()
}

// storable returns the folded names that the database can have.
func storable(names []string) []string {
	found := make([]string, 0, len(names))
	for _, name := range names {
		if table.StorableText(name) {
			found = append(found, waymark.Fold(name))
		}
	}
	return found
}

// setNamed replaces the people who are named as editors of a list, and records that.
func (s *Store) setNamed(ctx context.Context, q database.Querier, list waymark.ListID, before, after []string) error {
	if slices.Equal(before, after) {
		return nil
	}
	if _, err := q.Exec(ctx, `
		DELETE FROM list_editors
		WHERE list_id = $1`, list); err != nil {
		return err
	}
	a := q.Args(list)
	if _, err := q.Exec(ctx, `
		INSERT INTO list_editors (list_id, user_id)
		SELECT $1, id
		FROM users
		WHERE name_folded `+database.In(a, storable(after)), a.Values...); err != nil {
		return err
	}
	return s.record(undo.Step{Table: listEditors, Rows: []undo.Row{{ID: int64(list), Before: namesOf(before), After: namesOf(after)}}})
}

// listEditors is the table of the editors of lists. A row of a step has all of a list.
const listEditors = "list_editors"

func namesOf(names []string) undo.Values {
	text, _ := json.Marshal(append([]string{}, names...)) //nolint:errchkjson // texts are never refused
	return undo.Values{"users": text}
}

// editors names the editors of a list again who were named before a change, if nobody has changed that since. The owner
// undoes their own change, and who has left comes back.
func (u *reverter) editors(ctx context.Context, step undo.Step) error {
	for _, row := range step.Rows {
		list, err := lists.All(ctx, u.q, "e.id = $1"+u.q.RowLock(), row.ID)
		if err != nil {
			return err
		}
		named, err := namedEditors(ctx, u.q, waymark.ListID(row.ID))
		if err != nil {
			return err
		}
		var before []string
		if err := json.Unmarshal(row.Before["users"], &before); err != nil {
			return err
		}
		mayUndo := false
		if len(list) > 0 && string(namesOf(named)["users"]) == string(row.After["users"]) {
			if mayUndo, err = u.mayNameAgain(ctx, list[0], named, before); err != nil {
				return err
			}
		}
		if !mayUndo {
			u.skip(waymark.Lists, row.ID)
			continue
		}
		if err := u.s.setNamed(ctx, u.q, waymark.ListID(row.ID), named, before); err != nil {
			return err
		}
	}
	return nil
}

// mayNameAgain reports whether the user may name the editors of a list who were named before: as its owner, or if they alone
// are missing, because they have left.
func (u *reverter) mayNameAgain(ctx context.Context, list waymark.List, named, before []string) (bool, error) {
	if list.Owner == u.user {
		return true, nil
	}
	missing := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return slices.Contains(named, name) })
	if list.Editing != waymark.EditedByNamed || len(missing) != 1 {
		return false, nil
	}
	return database.Exists(ctx, u.q, "users WHERE id = $1 AND name = $2", u.user, missing[0])
}

// LeaveList ends that a user is named as an editor of an active list. It returns waymark.ErrNotFound if they are not.
func (s *Store) LeaveList(ctx context.Context, user waymark.User, id waymark.ListID) error {
	return s.userTx(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		if err := lockOwners(ctx, q, user.ID, waymark.Lists, []int64{int64(id)}); err != nil {
			return err
		}
		if _, err := lists.GetActive(ctx, q, int64(id)); err != nil {
			return err
		}
		before, err := namedEditors(ctx, q, id)
		if err != nil {
			return err
		}
		after := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return name == user.Name })
		if len(after) == len(before) {
			return waymark.ErrNotFound
		}
		if err := s.setNamed(ctx, q, id, before, after); err != nil {
			return err
		}
		return accounts.AddAuditEvent(ctx, q, "list left by an editor", user.Name, "list "+strconv.FormatInt(int64(id), 10))
	})
}

// AddToList puts an active link that the user sees into a list that they see. It is their own link, or they edit the
// list. For others it is waymark.ErrForbidden. It returns a waymark.ValidationError if the link is in limit lists already.
func (s *Store) AddToList(ctx context.Context, user waymark.User, list waymark.ListID, link waymark.LinkID, limit int) error {
	return s.userTx(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		if _, err := lists.GetVisible(ctx, q, user.ID, int64(list)); err != nil {
			return err
		}
		targets, err := s.listTargets(ctx, q, user.ID, []int64{int64(list)})
		if err != nil {
			return err
		}
		l, err := links.GetVisible(ctx, q, user.ID, int64(link))
		if err != nil {
			return err
		}
		isOwn := user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: l.Owner}) == nil
		if !isOwn {
			if err := user.MayWrite(targets[int64(list)]); err != nil {
				return err
			}
		}
		done, err := s.setAttachments(ctx, q, &query.LinkLists, user, []int64{int64(link)}, !isOwn, []waymark.Ref{{ID: int64(list)}}, waymark.AppendRefs, limit)
		if err == nil && isOwn && len(done.put) > 0 {
			err = s.touchLinks(ctx, q, user.ID, []int64{int64(link)})
		}
		if err != nil {
			return err
		}
		return s.noteFiled(ctx, q, user.ID, !isOwn, done)
	})
}

// HasOthersLinks reports whether some of the links with these ids are not the user's own.
func (s *Store) HasOthersLinks(ctx context.Context, user waymark.UserID, ids []int64) (bool, error) {
	q := s.db.Querier()
	a := q.Args(user)
	return database.Exists(ctx, q, "links WHERE user_id <> $1 AND id "+database.In(a, ids), a.Values...)
}

// HiddenLinks returns how many links of others in a list of the user's own only their savers see.
func (s *Store) HiddenLinks(ctx context.Context, owner waymark.UserID, list waymark.ListID) (int, error) {
	return database.QueryOne(ctx, s.db.Querier(), database.ScanValue[int], `
		SELECT count(*)
		FROM link_lists AS m`+database.JoinInOrder+`links AS l
		WHERE m.list_id = $1 AND l.id = m.link_id AND l.user_id <> $2 AND l.visible_to = l.user_id AND EXISTS (
			SELECT 1
			FROM lists AS e
			WHERE e.id = $1 AND e.user_id = $2)`, list, owner)
}
