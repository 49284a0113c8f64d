package store

import (
	"context"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// pairs attaches detached lists or tags again. It detaches attached ones only if everything could leave the trash:
// otherwise links of merged tags would lose both tags.
func (u *reverter) pairs(ctx context.Context, assoc *query.Association, step undo.Step, isInserted bool) error {
	pairs := waymark.Map(step.Rows, func(row undo.Row) [2]int64 {
		return [2]int64{row.ID, max(integerOf(row.Before[assoc.Column]), integerOf(row.After[assoc.Column]))}
	})
	var changed [][2]int64
	var err error
	switch {
	case isInserted && u.notRestored:
		for _, link := range linksOf(pairs) {
			u.skip(waymark.Links, link)
		}
		return nil
	case isInserted:
		changed, err = u.detach(ctx, assoc, pairs)
	default:
		changed, err = u.attach(ctx, assoc, pairs)
	}
	links := linksOf(changed)
	u.note(waymark.Links, links, setOf(links))
	return err
}

// detach removes pairs, and returns those that existed. A change has few labels, often of many links.
func (u *reverter) detach(ctx context.Context, assoc *query.Association, pairs [][2]int64) (all [][2]int64, err error) {
	err = table.InBatches(ctx, pairs, func(pairs [][2]int64) error {
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
			detached, err := returnPairs(ctx, u.q, assoc, `
				DELETE FROM `+assoc.Table+`
				WHERE `+assoc.Column+` = $1 AND link_id `+database.In(a, byLabel[label]), a.Values...)
			if err != nil {
				return err
			}
			all = append(all, detached...)
		}
		return nil
	})
	return all, err
}

// attach inserts pairs, and returns which are new. It can give a link twice as many lists or tags as the limit, because
// others may have been attached since, but not more: each undo would add some. The rest is skipped.
func (u *reverter) attach(ctx context.Context, assoc *query.Association, pairs [][2]int64) (all [][2]int64, err error) {
	err = table.InBatches(ctx, pairs, func(pairs [][2]int64) error {
		pairs, err := u.changeable(ctx, assoc, pairs)
		if err != nil {
			return err
		}
		_, count, err := attachedTo(ctx, u.q, assoc, linksOf(pairs))
		if err != nil {
			return err
		}
		pairs = slices.DeleteFunc(pairs, func(pair [2]int64) bool {
			link := pair[0]
			if count[link] >= 2*limitOf(assoc) {
				u.skipped[entityID{waymark.Links, link}] = true
				return true
			}
			count[link]++
			return false
		})
		if len(pairs) == 0 {
			return nil
		}
		a := u.q.Args()
		attached, err := returnPairs(ctx, u.q, assoc, insertAssociationsSQL(a, assoc, pairs), a.Values...)
		all = append(all, attached...)
		return err
	})
	return all, err
}

// changeable returns the pairs whose link and whose list or tag exist. The link, or the list or
// tag, must be the user's own. The others are skipped.
func (u *reverter) changeable(ctx context.Context, assoc *query.Association, pairs [][2]int64) ([][2]int64, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	labels := waymark.Map(pairs, func(pair [2]int64) int64 { return pair[1] })
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
func (u *reverter) owners(ctx context.Context, table string, ids []int64) (map[int64]waymark.UserID, error) {
	return readOwners(ctx, u.q, table, ids, `
		ORDER BY e.id`+u.q.RowLock())
}
