package store

import (
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// maxChanges is how many changes of one list, or of one link, are listed.
const maxChanges = 1000

const selectChange = `
		SELECT c.id, c.list_id, coalesce(u.name, ''), c.kind, c.links, c.created_at
		FROM shared_changes AS c
		LEFT JOIN users AS u ON u.id = c.user_id`

func scanChange(rows *sql.Rows, c *waymark.SharedChange) error {
	return rows.Scan(&c.ID, &c.List, &c.User, &c.Kind, &c.Total, &c.CreatedAt)
}

// ListChanges returns what others have changed in a list of the user's own in the last day, the newest first. For others
// it is waymark.ErrForbidden.
func (s *Store) ListChanges(ctx context.Context, user waymark.User, id waymark.ListID) (changes []waymark.SharedChange, err error) {
	err = s.db.ReadTx(ctx, func(q database.Querier) error {
		list, err := lists.GetVisible(ctx, q, user.ID, int64(id))
		if err == nil {
			err = user.MayWrite(waymark.Target{Kind: waymark.Lists, Owner: list.Owner})
		}
		if err != nil {
			return err
		}
		changes, err = database.QueryAll(ctx, q, scanChange, selectChange+`
		WHERE c.list_id = $1 AND c.created_at >= $2 AND c.user_id IS DISTINCT FROM $3
		ORDER BY c.id DESC
		LIMIT $4`, id, s.now().Add(-undoAge), user.ID, maxChanges)
		if err != nil || len(changes) == 0 {
			return err
		}
		a := q.Args(waymark.MaxChangeLinks)
		ids := waymark.Map(changes, func(c waymark.SharedChange) int64 { return int64(c.ID) })
		byChange := map[int64][]waymark.LinkID{}
		for pair, err := range database.QueryEach(ctx, q, scanPair, `
			SELECT change_id, link_id
			FROM (
				SELECT m.change_id, m.link_id, row_number() OVER (PARTITION BY m.change_id ORDER BY m.link_id) AS number
				FROM shared_change_links AS m
				JOIN links AS l ON l.id = m.link_id
				WHERE m.change_id `+database.In(a, ids)+` AND `+query.VisibleTo(a, database.Unindexed("l.visible_to"), user.ID)+`) AS numbered
			WHERE number <= $1
			ORDER BY change_id, link_id`, a.Values...) {
			if err != nil {
				return err
			}
			byChange[pair[0]] = append(byChange[pair[0]], waymark.LinkID(pair[1]))
		}
		for i := range changes {
			changes[i].Links = byChange[int64(changes[i].ID)]
		}
		return nil
	})
	return changes, err
}

// LinkChanges returns what others have changed in a link of the user's own in the last day, the newest first: its texts, and
// in which lists it is that the user sees. Each change has this link alone. For others it is waymark.ErrForbidden.
func (s *Store) LinkChanges(ctx context.Context, user waymark.User, id waymark.LinkID) ([]waymark.SharedChange, error) {
	if _, err := s.OwnLink(ctx, user, id); err != nil {
		return nil, err
	}
	return s.changesOfLink(ctx, user, id, "c.user_id IS DISTINCT FROM $2 AND (c.kind = 'edited' OR "+query.VisibleToUser(database.Unindexed("e.visible_to"), "$2")+")")
}

// LinkEdits returns how the texts of a link of another user were edited in the last day, the newest edit first: those
// that the user can undo, because they have made them, or because their list gave the right to it.
func (s *Store) LinkEdits(ctx context.Context, user waymark.User, id waymark.LinkID) ([]waymark.SharedChange, error) {
	return s.changesOfLink(ctx, user, id, "c.kind = 'edited' AND (c.user_id = $2 OR e.user_id = $2)")
}

// changesOfLink returns the changes c of a link in the last day, in lists e, that satisfy a condition for the user $2.
func (s *Store) changesOfLink(ctx context.Context, user waymark.User, id waymark.LinkID, where string) ([]waymark.SharedChange, error) {
	changes, err := database.QueryAll(ctx, s.db.Querier(), scanChange, selectChange+`
		JOIN shared_change_links AS m ON m.change_id = c.id
		JOIN lists AS e ON e.id = c.list_id
		WHERE m.link_id = $1 AND c.created_at >= $3 AND `+where+`
		ORDER BY c.id DESC
		LIMIT $4`, id, user.ID, s.now().Add(-undoAge), maxChanges)
	for i := range changes {
		changes[i].Links, changes[i].Total = []waymark.LinkID{id}, 1
	}
	return changes, err
}

// changedLink is a link of a change.
type changedLink struct {
	membership
	owner waymark.UserID
	steps []byte
}

// UndoChange undoes a change of the last day, and returns how many of its links are not as they were before. Who made it
// may do that while they have the right to make it, the owner of the list, and of an edit the saver of the link. For
// others it is waymark.ErrForbidden.
func (s *Store) UndoChange(ctx context.Context, user waymark.User, id waymark.ChangeID) (skipped int, err error) {
	err = s.bulk(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		type change struct {
			list, maker int64
			kind        waymark.ChangeKind
			total       int
		}
		scan := func(rows *sql.Rows, c *change) error { return rows.Scan(&c.list, &c.maker, &c.kind, &c.total) }
		c, err := database.QueryOne(ctx, q, scan, `
			SELECT list_id, coalesce(user_id, 0), kind, links
			FROM shared_changes
			WHERE id = $1 AND created_at >= $2`, id, s.now().Add(-undoAge))
		if err != nil {
			return err
		}
		owners, err := readOwners(ctx, q, "lists", []int64{c.list}, "")
		if err != nil {
			return err
		}
		targets, err := s.listTargets(ctx, q, user.ID, []int64{c.list})
		if err != nil {
			return err
		}
		target, isMaker := targets[c.list], waymark.UserID(c.maker) == user.ID
		target.Kind, target.Owner, target.Part, target.Editor = waymark.Lists, owners[c.list], waymark.Content, target.Editor && isMaker
		of, err := database.QueryAll(ctx, q, func(rows *sql.Rows, l *changedLink) error {
			return rows.Scan(&l.pair[0], &l.pair[1], &l.bySaver, &l.owner, &l.steps)
		}, `
			SELECT m.link_id, CAST($2 AS BIGINT), m.by_saver, l.user_id, m.steps
			FROM shared_change_links AS m
			JOIN links AS l ON l.id = m.link_id
			WHERE m.change_id = $1
			ORDER BY m.link_id`, id, c.list)
		if err != nil {
			return err
		}
		u := newReverter(s, q, target.Owner)
		done := 0
		isOfOthers := func(l changedLink) bool {
			return user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: l.owner}) != nil
		}
		switch {
		case c.kind == waymark.LinksEdited && len(of) > 0: // else its link is gone
			done, err = s.undoEdit(ctx, q, user, isMaker, user.MayWrite(target) == nil && !isMaker, of)
		case user.MayWrite(target) == nil:
			done, err = u.refile(ctx, c.kind, of)
		case isMaker && !slices.ContainsFunc(of, isOfOthers): // into a list that they see
			u.user = user.ID
			done, err = u.refile(ctx, c.kind, of)
		default:
			err = waymark.ErrForbidden
		}
		if err != nil {
			return err
		}
		skipped = c.total - done
		_, err = q.Exec(ctx, `
			DELETE FROM shared_changes
			WHERE id = $1`, id)
		return err
	})
	return skipped, err
}

// refile puts links into the list again, or takes them out again, and returns how many.
func (u *reverter) refile(ctx context.Context, kind waymark.ChangeKind, of []changedLink) (int, error) {
	all := waymark.Map(of, func(l changedLink) membership { return l.membership })
	do := u.attach
	if kind == waymark.LinksPut {
		do = u.detach
	}
	done, err := do(ctx, &query.LinkLists, all)
	return len(done), err
}

// undoEdit undoes an edit of a link. byOwner is the right of the owner of the list.
func (s *Store) undoEdit(ctx context.Context, q database.Querier, user waymark.User, isMaker, byOwner bool, of []changedLink) (done int, err error) {
	for _, l := range of {
		if err := lockOwners(ctx, q, user.ID, waymark.Links, []int64{l.pair[0]}); err != nil {
			return done, err
		}
		found, err := links.All(ctx, q, "e.id = $1", l.pair[0])
		if err != nil || len(found) == 0 {
			return done, err
		}
		target, _, err := s.textsTarget(ctx, q, user.ID, found[0])
		if err != nil {
			return done, err
		}
		target.Editor = byOwner || isMaker && target.Editor
		if err := user.MayWrite(target); err != nil {
			return done, err
		}
		steps, err := undo.Decode(l.steps)
		if err != nil {
			return done, err
		}
		u := newReverter(s, q, l.owner)
		if err := u.revert(ctx, steps); err != nil {
			return done, err
		}
		if u.result().Skipped == 0 {
			done++
		}
	}
	return done, nil
}
