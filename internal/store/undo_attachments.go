package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// pairs attaches lists or tags again that were detached, and detaches those that were attached
// if everything was restored that was moved to the trash: the links of tags that were merged
// would have neither tag otherwise.
func (u *undoing) pairs(ctx context.Context, assoc *query.Association, c *undo.Pairs, restored bool) error {
	before := map[int64]int{} // the result of aboveLimit
	if err := inBatches(u.request, linksOf(c.Detached), func(links []int64) error {
		counts, err := u.s.aboveLimit(ctx, u.q, assoc, links)
		maps.Copy(before, counts)
		return err
	}); err != nil {
		return err
	}
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
	if err := u.attach(ctx, assoc, c.Detached, before, touched); err != nil {
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

// attach inserts pairs. before has the links that are above the limit without the undo.
func (u *undoing) attach(ctx context.Context, assoc *query.Association, pairs [][2]int64, before map[int64]int, touched map[int64]bool) error {
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
		return u.s.checkLinks(ctx, u.q, assoc, ids, before)
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
