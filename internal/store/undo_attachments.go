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
	all := waymark.Map(step.Rows, func(row undo.Row) membership {
		return membership{
			[2]int64{row.ID, max(integerOf(row.Before[assoc.Column]), integerOf(row.After[assoc.Column]))},
			integerOf(row.Before[bySaverColumn]) == 1,
		}
	})
	var changed []membership
	var err error
	switch {
	case isInserted && u.notRestored:
		for _, link := range linksOf(pairsOf(all)) {
			u.skip(waymark.Links, link)
		}
		return nil
	case isInserted:
		changed, err = u.detach(ctx, assoc, all)
	default:
		changed, err = u.attach(ctx, assoc, all)
	}
	links := linksOf(pairsOf(changed))
	u.note(waymark.Links, links, setOf(links))
	return err
}

// detach removes memberships, and returns those that existed. A change has few labels, often of many links.
func (u *reverter) detach(ctx context.Context, assoc *query.Association, wanted []membership) (all []membership, err error) {
	err = table.InBatches(ctx, wanted, func(wanted []membership) error {
		wanted, err := u.changeable(ctx, assoc, wanted)
		if err != nil {
			return err
		}
		byLabel := map[int64][]int64{}
		for _, m := range wanted {
			byLabel[m.pair[1]] = append(byLabel[m.pair[1]], m.pair[0])
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

// attach inserts memberships, and returns which are new. It can give a link twice as many lists or tags as the limit, because
// others may have been attached since, but not more: each undo would add some. The rest is skipped.
func (u *reverter) attach(ctx context.Context, assoc *query.Association, wanted []membership) (all []membership, err error) {
	err = table.InBatches(ctx, wanted, func(wanted []membership) error {
		wanted, err := u.changeable(ctx, assoc, wanted)
		if err != nil {
			return err
		}
		_, count, err := attachedTo(ctx, u.q, assoc, linksOf(pairsOf(wanted)))
		if err != nil {
			return err
		}
		pairs := map[bool][][2]int64{}
		for _, m := range wanted {
			link := m.pair[0]
			if count[link] >= 2*limitOf(assoc, waymark.MaxLinkFolders) {
				u.skipped[entityID{waymark.Links, link}] = true
				continue
			}
			count[link]++
			pairs[m.bySaver] = append(pairs[m.bySaver], m.pair)
		}
		for bySaver, pairs := range pairs {
			a := u.q.Args()
			attached, err := returnPairs(ctx, u.q, assoc, insertAssociationsSQL(a, assoc, pairs, bySaver), a.Values...)
			if err != nil {
				return err
			}
			all = append(all, attached...)
		}
		return nil
	})
	return all, err
}

// changeable returns the memberships whose link and whose list or tag exist, and which the user may change. The others
// are skipped.
func (u *reverter) changeable(ctx context.Context, assoc *query.Association, wanted []membership) ([]membership, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	labels := waymark.Map(wanted, func(m membership) int64 { return m.pair[1] })
	ownerOfLink, err := u.owners(ctx, "links", linksOf(pairsOf(wanted)))
	if err != nil {
		return nil, err
	}
	ownerOfLabel, err := u.owners(ctx, assoc.Entities, labels)
	if err != nil {
		return nil, err
	}
	targets := map[int64]waymark.Target{}
	if assoc.Kind == waymark.Lists {
		if targets, err = u.s.listTargets(ctx, u.q, u.user, table.Unique(labels)); err != nil {
			return nil, err
		}
	}
	user := waymark.User{ID: u.user}
	var found []membership
	for _, m := range wanted {
		ofLink, linkExists := ownerOfLink[m.pair[0]]
		ofLabel, labelExists := ownerOfLabel[m.pair[1]]
		target, ok := targets[m.pair[1]]
		if !ok {
			target = waymark.Target{Kind: assoc.Kind, Owner: ofLabel}
		}
		mayWrite := user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: ofLink}) == nil || user.MayWrite(target) == nil
		if linkExists && labelExists && mayWrite {
			found = append(found, m)
		} else {
			u.skipped[entityID{waymark.Links, m.pair[0]}] = true
		}
	}
	return found, nil
}

// owners returns the owners of the entities among ids, by id, those in the trash included.
func (u *reverter) owners(ctx context.Context, table string, ids []int64) (map[int64]waymark.UserID, error) {
	return readOwners(ctx, u.q, table, ids, `
		ORDER BY e.id`+u.q.RowLock())
}
