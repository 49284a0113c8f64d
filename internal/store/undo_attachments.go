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

// pairs attaches detached lists or tags again. It detaches attached ones if everything was restored
// from the trash: the links of tags that were merged would have neither tag otherwise. A link that
// would have too many lists or tags is skipped.
func (u *reverter) pairs(ctx context.Context, assoc *query.Association, c *undo.Pairs, restored bool) error {
	links := linksOf(c.Detached)
	before, err := u.aboveLimit(ctx, assoc, links)
	if err != nil {
		return err
	}
	var detached [][2]int64
	if restored {
		if detached, err = u.detach(ctx, assoc, c.Attached); err != nil {
			return err
		}
	} else {
		for _, pair := range c.Attached {
			u.skipped[entityID{waymark.Links, pair[0]}] = true
		}
	}
	attached, err := u.attach(ctx, assoc, c.Detached)
	if err != nil {
		return err
	}
	after, err := u.aboveLimit(ctx, assoc, links)
	if err != nil {
		return err
	}
	// A link keeps what it has, and gets back what it had.
	maps.DeleteFunc(after, func(link int64, n int) bool { return n <= max(before[link], c.AboveLimit[link]) })
	if attached, detached, err = u.revert(ctx, assoc, attached, detached, after); err != nil {
		return err
	}
	touched := linksOf(slices.Concat(attached, detached))
	u.note(waymark.Links, touched, setOf(touched))
	return table.InBatches(u.request, touched, func(ids []int64) error { return u.touchLinks(ctx, ids) })
}

// aboveLimit is Store.aboveLimit for any number of links.
func (u *reverter) aboveLimit(ctx context.Context, assoc *query.Association, links []int64) (map[int64]int, error) {
	all := map[int64]int{}
	err := table.InBatches(u.request, links, func(links []int64) error {
		counts, err := u.s.aboveLimit(ctx, u.q, assoc, links)
		maps.Copy(all, counts)
		return err
	})
	return all, err
}

// revert deletes pairs that were attached, and inserts pairs that were detached. It returns the
// pairs of other links.
func (u *reverter) revert(ctx context.Context, assoc *query.Association, attached, detached [][2]int64, links map[int64]int) (keptAttached, keptDetached [][2]int64, err error) {
	for link := range links {
		u.skipped[entityID{waymark.Links, link}] = true
	}
	divide := func(pairs [][2]int64) (ofThem, others [][2]int64) {
		for _, pair := range pairs {
			if links[pair[0]] > 0 {
				ofThem = append(ofThem, pair)
			} else {
				others = append(others, pair)
			}
		}
		return ofThem, others
	}
	attached, keptAttached = divide(attached)
	detached, keptDetached = divide(detached)
	if err := table.InBatches(u.request, attached, func(pairs [][2]int64) error {
		a := u.q.Args()
		_, err := u.q.Exec(ctx, `
			DELETE FROM `+assoc.Table+`
			WHERE (link_id, `+assoc.Column+`) IN (
				SELECT CAST(value->>0 AS BIGINT), CAST(value->>1 AS BIGINT)
				FROM `+a.Rows(pairs)+`)`, a.Values...)
		return err
	}); err != nil {
		return nil, nil, err
	}
	err = table.InBatches(u.request, detached, func(pairs [][2]int64) error { return insertAssociations(ctx, u.q, assoc, pairs) })
	return keptAttached, keptDetached, err
}

// detach removes pairs, and returns which existed. A change has few labels, often of many links.
func (u *reverter) detach(ctx context.Context, assoc *query.Association, pairs [][2]int64) (all [][2]int64, err error) {
	err = table.InBatches(u.request, pairs, func(pairs [][2]int64) error {
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

// attach inserts pairs, and returns which are new.
func (u *reverter) attach(ctx context.Context, assoc *query.Association, pairs [][2]int64) (all [][2]int64, err error) {
	err = table.InBatches(u.request, pairs, func(pairs [][2]int64) error {
		pairs, err := u.changeable(ctx, assoc, pairs)
		if err != nil || len(pairs) == 0 {
			return err
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
