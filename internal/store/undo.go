package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"reflect"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// largeUndo is the size of a record in bytes from which on taking back the change needs a slot
// for bulk changes.
const largeUndo = 4 << 10

// Undo takes back a change that Undoable has recorded under the hash of a token, and forgets the
// token. It returns waymark.ErrNotFound if user has no such token in this session, or if it is
// older than an hour.
//
// An entity that was changed again since keeps what was changed: a text or a visibility is
// set back only if it still has the value that the change gave it, an entity is restored only
// if it was not moved to the trash a second time, and a new or restored one is moved to the
// trash only if it was not edited. Lists and tags are attached again that were detached, and
// the other way round, in addition to other changes.
func (s *Store) Undo(ctx context.Context, user waymark.User, session waymark.SessionID, hash []byte) (result waymark.UndoResult, err error) {
	bytes, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[int64], `
		SELECT bytes
		FROM undo_records
		WHERE hash = $1 AND user_id = $2 AND session_id = $3`, storedKeyHash(hash), user.ID, session)
	if err != nil {
		return result, err
	}
	request := ctx
	takeBack := func(ctx context.Context, q database.Querier) error {
		if err := lockUser(ctx, q, user.ID); err != nil {
			return err
		}
		encoded, err := database.QueryOne(ctx, q, database.ScanValue[[]byte], `
			DELETE FROM undo_records
			WHERE hash = $1 AND user_id = $2 AND session_id = $3 AND created_at >= $4
			RETURNING reverse`, storedKeyHash(hash), user.ID, session, s.now().Add(-undoAge))
		if err != nil {
			return err
		}
		r, err := undo.Decode(encoded)
		if err != nil {
			return err
		}
		u := undoing{s: s, q: q, user: user.ID, request: request, done: map[entityID]bool{}, skipped: map[entityID]bool{}}
		if err := u.all(ctx, &r); err != nil {
			return err
		}
		result = u.result()
		return nil
	}
	if bytes < largeUndo {
		return result, s.db.WriteTx(ctx, takeBack)
	}
	return result, s.bulk(ctx, user.ID, s.db.WriteTx, takeBack)
}

// undoing is a transaction that takes back changes.
type undoing struct {
	s             *Store
	q             database.Querier
	user          waymark.UserID
	request       context.Context //nolint:containedctx // the context of the transaction does not end with the request
	done, skipped map[entityID]bool
}

// entityID is the id of an entity of any kind.
type entityID struct {
	kind waymark.EntityKind
	id   int64
}

func (u *undoing) result() waymark.UndoResult {
	for e := range u.skipped {
		delete(u.done, e)
	}
	return waymark.UndoResult{Done: len(u.done), Skipped: len(u.skipped)}
}

// resultOf is result of the entities of one kind only.
func (u *undoing) resultOf(kind waymark.EntityKind) waymark.UndoResult {
	for _, set := range []map[entityID]bool{u.done, u.skipped} {
		maps.DeleteFunc(set, func(e entityID, _ bool) bool { return e.kind != kind })
	}
	return u.result()
}

// note counts each of the ids as done if it is in done, and as skipped otherwise.
func (u *undoing) note(kind waymark.EntityKind, ids []int64, done map[int64]bool) {
	for _, id := range ids {
		if done[id] {
			u.done[entityID{kind, id}] = true
		} else {
			u.skipped[entityID{kind, id}] = true
		}
	}
}

func (u *undoing) all(ctx context.Context, r *undo.Record) error {
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
	untouch, err := u.touchedOnce(ctx, r.Touched)
	if err != nil {
		return err
	}
	for _, c := range r.Visibility {
		if err := u.visibility(ctx, c); err != nil {
			return err
		}
	}
	if err := errors.Join(
		undoRows(ctx, u, waymark.Links, &links, r.Links, u.urlExists),
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
	if err := untouch(ctx); err != nil {
		return err
	}
	if err := u.copies(ctx, r.Copies); err != nil {
		return err
	}
	if err := u.savedPages(ctx, r.SavedPages); err != nil {
		return err
	}
	return u.account(ctx, r)
}

// savedPages deletes saved pages.
func (u *undoing) savedPages(ctx context.Context, added []undo.Copy) error {
	for _, p := range added {
		if _, err := u.q.Exec(ctx, `
			DELETE FROM saved_pages
			WHERE link_id = $1 AND user_id = $2 AND fetched_at = $3`, p.Link, u.user, p.FetchedAt); err != nil {
			return err
		}
	}
	return nil
}

// copies deletes copies of the texts of pages.
func (u *undoing) copies(ctx context.Context, added []undo.Copy) error {
	for _, c := range added {
		deleted, err := u.q.Exec(ctx, `
			DELETE FROM copies
			WHERE link_id = $1 AND user_id = $2 AND fetched_at = $3`, c.Link, u.user, c.FetchedAt)
		if err == nil && deleted > 0 {
			err = u.s.forgetCopyWords(ctx, u.q, c.Link)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// account sets back settings that were not changed since, and deletes saved searches.
func (u *undoing) account(ctx context.Context, r *undo.Record) error {
	for _, c := range r.Accounts {
		row, err := users.get(ctx, u.q, "e.id = $1"+u.q.RowLock(), u.user)
		if err != nil {
			return err
		}
		if now := (undo.Account{Settings: row.Settings, DefaultVisibility: row.DefaultVisibility}); now != c.After {
			continue
		}
		row.Settings, row.DefaultVisibility = c.Before.Settings, c.Before.DefaultVisibility
		if err := users.update(ctx, u.q, int64(u.user), &row); err != nil {
			return err
		}
	}
	if len(r.SavedSearches) == 0 {
		return nil
	}
	a := u.q.Args(u.user)
	_, err := u.q.Exec(ctx, `
		DELETE FROM saved_searches
		WHERE user_id = $1 AND id `+database.In(a, r.SavedSearches), a.Values...)
	return err
}

// touchedOnce finds the entities that were not changed since. The function that it returns sets
// their updated_at back: call it when everything else was taken back.
func (u *undoing) touchedOnce(ctx context.Context, touched []undo.Touched) (untouch func(ctx context.Context) error, err error) {
	type group struct {
		kind waymark.EntityKind
		rows [][2]int64 // id and updated_at
	}
	var groups []group
	for _, c := range touched {
		g := group{kind: c.Kind}
		from, to := undo.IDs{IDs: c.IDs, Times: c.From}, undo.IDs{IDs: c.IDs, Times: c.To}
		before, times := from.TimeOf(), to.TimeOf()
		if err := inBatches(u.request, c.IDs, func(ids []int64) error {
			unchanged, err := u.unchanged(ctx, c.Kind, ids, times, "")
			for _, id := range unchanged {
				g.rows = append(g.rows, [2]int64{id, int64(before[id])})
			}
			return err
		}); err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	return func(ctx context.Context) error {
		for _, g := range groups {
			if len(g.rows) == 0 {
				continue
			}
			a := u.q.Args()
			if _, err := u.q.Exec(ctx, `
				UPDATE `+tableOf(g.kind)+`
				SET updated_at = t.updated_at
				FROM (
					SELECT CAST(value->>0 AS BIGINT) AS id, CAST(value->>1 AS BIGINT) AS updated_at
					FROM `+a.Rows(g.rows)+`
				) AS t
				WHERE `+tableOf(g.kind)+`.id = t.id`, a.Values...); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// created moves entities to the trash that were created or restored.
func (u *undoing) created(ctx context.Context, c *undo.IDs) error {
	times, moved := c.TimeOf(), map[int64]bool{}
	err := inBatches(u.request, c.IDs, func(ids []int64) error {
		unchanged, err := u.unchanged(ctx, c.Kind, ids, times, "")
		if err != nil || len(unchanged) == 0 {
			return err
		}
		for _, id := range unchanged {
			moved[id] = true
		}
		return u.s.moveToTrash(ctx, u.q, c.Kind, unchanged)
	})
	u.note(c.Kind, c.IDs, moved)
	return err
}

// createdForLinks deletes the lists or tags that were created for links and that have none, and
// moves those to the trash whose links are all there. Those with other links are kept: they are
// neither done nor skipped.
func (u *undoing) createdForLinks(ctx context.Context, c *undo.IDs) error {
	assoc := lists.assoc
	if c.Kind == waymark.Tags {
		assoc = tags.assoc
	}
	times := c.TimeOf()
	return inBatches(u.request, c.IDs, func(ids []int64) error {
		unused, err := u.unchanged(ctx, c.Kind, ids, times, `NOT EXISTS (
				SELECT 1
				FROM `+assoc.Table+` AS m
				JOIN links AS l ON l.id = m.link_id
				WHERE m.`+assoc.Column+` = e.id AND l.visible_to IS NOT NULL)`)
		if err != nil || len(unused) == 0 {
			return err
		}
		a := u.q.Args()
		deleted, err := database.QueryAll(ctx, u.q, database.ScanValue[int64], `
			DELETE FROM `+assoc.Entities+`
			WHERE id `+database.In(a, unused)+` AND NOT EXISTS (
				SELECT 1
				FROM `+assoc.Table+` AS m
				WHERE m.`+assoc.Column+` = `+assoc.Entities+`.id)
			RETURNING id`, a.Values...)
		if err != nil {
			return err
		}
		gone := setOf(deleted)
		unused = slices.DeleteFunc(unused, func(id int64) bool { return gone[id] })
		if len(unused) == 0 {
			return nil
		}
		u.note(c.Kind, unused, setOf(unused))
		return u.s.moveToTrash(ctx, u.q, c.Kind, unused)
	})
}

// unchanged returns those of the ids that are active, that were last changed at these times, and
// for which the condition is true, unless it is empty.
func (u *undoing) unchanged(ctx context.Context, kind waymark.EntityKind, ids []int64, times map[int64]waymark.Time, condition string) (unchanged []int64, err error) {
	if condition != "" {
		condition = " AND " + condition
	}
	type row struct {
		id      int64
		updated waymark.Time
	}
	a := u.q.Args(u.user)
	for found, err := range database.QueryEach(ctx, u.q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.updated) }, `
		SELECT e.id, e.updated_at
		FROM `+tableOf(kind)+` AS e
		WHERE e.id `+database.In(a, ids)+` AND e.user_id = $1 AND e.visible_to IS NOT NULL`+condition+`
		ORDER BY e.id`+u.q.RowLock(), a.Values...) {
		if err != nil {
			return nil, err
		}
		if found.updated == times[found.id] {
			unchanged = append(unchanged, found.id)
		}
	}
	return unchanged, nil
}

// trashed restores entities that were moved to the trash.
func (u *undoing) trashed(ctx context.Context, c undo.IDs) error {
	all, err := readTrashed(ctx, u.q, c.Kind, c.IDs)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(e trashedEntity) bool { return e.owner != u.user || e.deletedAt != c.At })
	restored, err := u.s.restoreTrashed(ctx, u.request, u.q, c.Kind, all)
	u.note(c.Kind, c.IDs, restored)
	return err
}

// visibility sets back the visibility of entities.
func (u *undoing) visibility(ctx context.Context, c undo.Visibility) error {
	return inBatches(u.request, c.IDs, func(ids []int64) error {
		a := u.q.Args(c.From, c.To, u.user, u.s.now())
		changed, err := database.QueryAll(ctx, u.q, database.ScanValue[int64], `
			UPDATE `+tableOf(c.Kind)+`
			SET visibility = $1, updated_at = $4
			WHERE id `+database.In(a, ids)+` AND visibility = $2 AND user_id = $3
			RETURNING id`, a.Values...)
		u.note(c.Kind, ids, setOf(changed))
		return err
	})
}

// undoRows sets back the columns of rows that still have the value that the change gave them.
// taken, unless it is nil, reports whether an active row other than this one has the value of
// a unique column of before.
func undoRows[T any](ctx context.Context, u *undoing, kind waymark.EntityKind, t *entityTable[T], changes []undo.Row[T], taken func(ctx context.Context, column string, before *T) (bool, error)) error {
	for _, change := range slices.Backward(changes) {
		id := t.idOf(&change.Before)
		row, err := t.get(ctx, u.q, "e.id = $1 AND e.user_id = $2"+u.q.RowLock(), id, u.user)
		if errors.Is(err, waymark.ErrNotFound) {
			u.skipped[entityID{kind, id}] = true
			continue
		}
		if err != nil {
			return err
		}
		changed := false
		for _, c := range t.read {
			if !c.update || c.name == "updated_at" || c.value(&change.Before) == c.value(&change.After) {
				continue
			}
			skip := c.value(&row) != c.value(&change.After)
			if !skip && taken != nil {
				if skip, err = taken(ctx, c.name, &change.Before); err != nil {
					return err
				}
			}
			if skip {
				u.skipped[entityID{kind, id}] = true
				continue
			}
			reflect.ValueOf(c.target(&row)).Elem().Set(reflect.ValueOf(c.target(&change.Before)).Elem())
			changed = true
		}
		if !changed {
			continue
		}
		u.done[entityID{kind, id}] = true
		for _, c := range t.read {
			if c.name == "updated_at" {
				reflect.ValueOf(c.target(&row)).Elem().SetInt(int64(u.s.now()))
			}
		}
		if err := t.update(ctx, u.q, id, &row); err != nil {
			return err
		}
	}
	return nil
}

// pageFetches lets the pages of links be fetched again that were to be fetched after a change.
func (u *undoing) pageFetches(ctx context.Context, changes []undo.Row[waymark.Link]) error {
	for _, change := range changes {
		if change.After.Fetch == nil || !u.done[entityID{waymark.Links, int64(change.After.ID)}] {
			continue
		}
		link, err := links.get(ctx, u.q, "e.id = $1", change.After.ID)
		if err != nil {
			return err
		}
		link.Fetch = change.After.Fetch
		if err := addPageFetch(ctx, u.q, link); err != nil {
			return err
		}
	}
	return nil
}

func (u *undoing) urlExists(ctx context.Context, column string, link *waymark.Link) (bool, error) {
	if column != "url" {
		return false, nil
	}
	duplicates, err := duplicateURLs(ctx, u.q, u.user, []string{link.URL}, link.ID)
	return len(duplicates) > 0, err
}

func (u *undoing) nameExists(ctx context.Context, column string, tag *waymark.Tag) (bool, error) {
	if column != "name" {
		return false, nil
	}
	duplicates, err := u.s.duplicateTagNames(ctx, u.q, u.user, []string{tag.Name}, tag.ID)
	return len(duplicates) > 0, err
}

// pairs attaches lists or tags again that were detached, and detaches those that were attached
// if everything was restored that was moved to the trash: the links of tags that were merged
// would have neither tag otherwise.
func (u *undoing) pairs(ctx context.Context, assoc *query.Association, c *undo.Pairs, restored bool) error {
	touched := map[int64]bool{}
	if restored {
		if err := u.detach(ctx, assoc, c.Attached, touched); err != nil {
			return err
		}
	} else {
		for _, pair := range c.Attached {
			u.skipped[entityID{waymark.Links, pair[0]}] = true
		}
	}
	if err := u.attach(ctx, assoc, c.Detached, touched); err != nil {
		return err
	}
	now := u.s.now()
	return inBatches(u.request, slices.Sorted(maps.Keys(touched)), func(ids []int64) error {
		a := u.q.Args(now, u.user)
		_, err := u.q.Exec(ctx, `
			UPDATE links
			SET updated_at = $1
			WHERE id `+database.In(a, ids)+` AND user_id = $2`, a.Values...)
		return err
	})
}

// detach removes pairs. A change attaches few lists and tags, but often to many links.
func (u *undoing) detach(ctx context.Context, assoc *query.Association, pairs [][2]int64, touched map[int64]bool) error {
	return inBatches(u.request, pairs, func(pairs [][2]int64) error {
		pairs, err := u.changeable(ctx, assoc, pairs)
		if err != nil {
			return err
		}
		byLabel := map[int64][]int64{}
		for _, pair := range pairs {
			byLabel[pair[1]] = append(byLabel[pair[1]], pair[0])
		}
		for _, label := range slices.Sorted(maps.Keys(byLabel)) {
			a := u.q.Args(label)
			detached, err := database.QueryAll(ctx, u.q, database.ScanValue[int64], `
				DELETE FROM `+assoc.Table+`
				WHERE `+assoc.Column+` = $1 AND link_id `+database.In(a, byLabel[label])+`
				RETURNING link_id`, a.Values...)
			if err != nil {
				return err
			}
			u.touch(detached, touched)
		}
		return nil
	})
}

// attach inserts pairs.
func (u *undoing) attach(ctx context.Context, assoc *query.Association, pairs [][2]int64, touched map[int64]bool) error {
	return inBatches(u.request, pairs, func(pairs [][2]int64) error {
		pairs, err := u.changeable(ctx, assoc, pairs)
		if err != nil || len(pairs) == 0 {
			return err
		}
		if err := insertAssociations(ctx, u.q, assoc, pairs); err != nil {
			return err
		}
		ids := linksOf(pairs)
		u.touch(ids, touched)
		return u.s.checkLinks(ctx, u.q, assoc, ids)
	})
}

func (u *undoing) touch(ids []int64, touched map[int64]bool) {
	u.note(waymark.Links, ids, setOf(ids))
	for _, id := range ids {
		touched[id] = true
	}
}

// changeable returns the pairs whose link and whose list or tag exist, and of which one is the
// user's own. The others are skipped.
func (u *undoing) changeable(ctx context.Context, assoc *query.Association, pairs [][2]int64) ([][2]int64, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	labels := make([]int64, len(pairs))
	for i, pair := range pairs {
		labels[i] = pair[1]
	}
	ownerOfLink, err := u.owners(ctx, "links", linksOf(pairs))
	if err != nil {
		return nil, err
	}
	ownerOfLabel, err := u.owners(ctx, assoc.Entities, labels)
	if err != nil {
		return nil, err
	}
	var found [][2]int64
	for _, pair := range pairs {
		ofLink, linkExists := ownerOfLink[pair[0]]
		ofLabel, labelExists := ownerOfLabel[pair[1]]
		if linkExists && labelExists && (ofLink == u.user || ofLabel == u.user) {
			found = append(found, pair)
		} else {
			u.skipped[entityID{waymark.Links, pair[0]}] = true
		}
	}
	return found, nil
}

// owners returns the owners of the entities among ids, by id, those in the trash included.
func (u *undoing) owners(ctx context.Context, table string, ids []int64) (map[int64]waymark.UserID, error) {
	type row struct {
		id    int64
		owner waymark.UserID
	}
	owners := map[int64]waymark.UserID{}
	a := u.q.Args()
	for found, err := range database.QueryEach(ctx, u.q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.owner) }, `
		SELECT e.id, e.user_id
		FROM `+table+` AS e
		WHERE e.id `+database.In(a, unique(ids))+`
		ORDER BY e.id`+u.q.RowLock(), a.Values...) {
		if err != nil {
			return nil, err
		}
		owners[found.id] = found.owner
	}
	return owners, nil
}

// linksOf returns the links of pairs, each once.
func linksOf(pairs [][2]int64) []int64 {
	ids := make([]int64, len(pairs))
	for i, pair := range pairs {
		ids[i] = pair[0]
	}
	return unique(ids)
}

func setOf(ids []int64) map[int64]bool {
	set := make(map[int64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
