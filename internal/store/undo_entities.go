package store

import (
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// touchedOnce finds the entities that were not changed since. The function that it returns
// reverts their updated_at: call it when everything else was undone.
func (u *reverter) touchedOnce(ctx context.Context, touched []undo.Touched) (untouch func(ctx context.Context) error, err error) {
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
func (u *reverter) created(ctx context.Context, r *undo.Record, c *undo.IDs) error {
	condition, args := "", []any{}
	if r.FirstNote != 0 && c.Kind == waymark.Links {
		condition, args = `NOT EXISTS (
				SELECT 1
				FROM notes AS n
				WHERE n.link_id = e.id AND n.user_id = e.user_id AND n.visible_to IS NOT NULL
					AND n.id >= $2)`, []any{r.FirstNote}
	}
	times, moved := c.TimeOf(), map[int64]bool{}
	err := inBatches(u.request, c.IDs, func(ids []int64) error {
		unchanged, err := u.unchanged(ctx, c.Kind, ids, times, condition, args...)
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

// linkNotes sets updated_at of the links of notes that were edited or restored since, so that created
// keeps these links. The links can be in the record of an earlier step.
func (u *reverter) linkNotes(ctx context.Context, c *undo.IDs) error {
	type row struct {
		id, link int64
		updated  waymark.Time
	}
	times := c.TimeOf()
	return inBatches(u.request, c.IDs, func(ids []int64) error {
		var edited []int64
		a := u.q.Args(u.user)
		for found, err := range database.QueryEach(ctx, u.q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.link, &r.updated) }, `
			SELECT e.id, e.link_id, e.updated_at
			FROM notes AS e
			WHERE e.id `+database.In(a, ids)+` AND e.user_id = $1 AND e.visible_to IS NOT NULL
			ORDER BY e.id`+u.q.RowLock(), a.Values...) {
			if err != nil {
				return err
			}
			if found.updated != times[found.id] {
				edited = append(edited, found.link)
			}
		}
		return u.touchLinks(ctx, edited)
	})
}

// touchLinks sets updated_at of links of the user.
func (u *reverter) touchLinks(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := u.q.Args(u.s.now(), u.user)
	_, err := u.q.Exec(ctx, `
		UPDATE links
		SET updated_at = $1
		WHERE id `+database.In(a, ids)+` AND user_id = $2`, a.Values...)
	return err
}

// createdForLinks deletes the lists or tags that were created for links and that have none, and
// moves those to the trash whose links are all there. Those with other links are kept: they are
// neither done nor skipped.
func (u *reverter) createdForLinks(ctx context.Context, c *undo.IDs) error {
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
// for which the condition is true, unless it is empty. In the condition, $2 is the first of args.
func (u *reverter) unchanged(ctx context.Context, kind waymark.EntityKind, ids []int64, times map[int64]waymark.Time, condition string, args ...any) (unchanged []int64, err error) {
	if condition != "" {
		condition = " AND " + condition
	}
	type row struct {
		id      int64
		updated waymark.Time
	}
	a := u.q.Args(append([]any{u.user}, args...)...)
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
func (u *reverter) trashed(ctx context.Context, c undo.IDs) error {
	all, err := readTrashed(ctx, u.q, c.Kind, c.IDs)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(e trashedEntity) bool { return e.owner != u.user || e.deletedAt != c.At })
	restored, err := u.s.restoreTrashed(ctx, u.request, u.q, c.Kind, all)
	u.note(c.Kind, c.IDs, restored)
	return err
}

// visibility reverts the visibility of entities.
func (u *reverter) visibility(ctx context.Context, c undo.Visibility) error {
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
