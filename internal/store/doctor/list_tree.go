package doctor

// This file checks in which lists lists stand.

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// checkListTree looks for lists that cannot stand where they do. With repair it puts them into no list.
func (d *doctor) checkListTree(ctx context.Context, repair bool) (Result, error) {
	var wrong map[waymark.ListID]string
	var err error
	if !repair {
		wrong, err = misplacedLists(ctx, d.db.Querier())
	} else {
		err = d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
			if d.db.Kind() == database.PostgreSQL { // SQLite has one writer
				if _, err := q.Exec(ctx, "LOCK TABLE lists IN SHARE ROW EXCLUSIVE MODE"); err != nil {
					return err
				}
			}
			if wrong, err = misplacedLists(ctx, q); err != nil {
				return err
			}
			for batch := range slices.Chunk(slices.Sorted(maps.Keys(wrong)), derivedBatch) {
				a := q.Args()
				if _, err := q.Exec(ctx, `
				UPDATE lists
				SET parent_id = NULL, position = 0
				WHERE id `+database.In(a, batch), a.Values...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return Result{}, err
	}
	var found []string
	for _, id := range slices.Sorted(maps.Keys(wrong)) {
		found = append(found, wrong[id])
	}
	switch {
	case len(found) == 0:
		return Result{Status: OK, Detail: "lists stand in lists of the same owner"}, nil
	case !repair:
		return Result{Status: Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	return Result{Status: Repaired, Detail: "put into no list: " + fewOf(found)}, nil
}

// misplacedLists returns the lists that have to leave the lists in which they stand, and why.
func misplacedLists(ctx context.Context, q database.Querier) (map[waymark.ListID]string, error) {
	type nested struct {
		id, parent                waymark.ListID
		isActive, missing, others bool
		inTrash                   bool
	}
	scan := func(rows *sql.Rows, n *nested) error {
		return rows.Scan(&n.id, &n.parent, &n.isActive, &n.missing, &n.others, &n.inTrash)
	}
	wrong, parents := map[waymark.ListID]string{}, map[waymark.ListID]waymark.ListID{}
	for n, err := range database.QueryEach(ctx, q, scan, `
		SELECT l.id, l.parent_id, l.visible_to IS NOT NULL, p.id IS NULL, coalesce(p.user_id <> l.user_id, false), p.visible_to IS NULL
		FROM lists AS l
		LEFT JOIN lists AS p ON p.id = l.parent_id
		WHERE l.parent_id IS NOT NULL`) {
		switch {
		case err != nil:
			return nil, err
		case n.missing:
			wrong[n.id] = fmt.Sprintf("list %d stands in list %d, which does not exist", n.id, n.parent)
		case n.others:
			wrong[n.id] = fmt.Sprintf("list %d stands in list %d of another user", n.id, n.parent)
		case n.isActive && n.inTrash:
			wrong[n.id] = fmt.Sprintf("list %d stands in list %d, which is in the trash", n.id, n.parent)
		case n.isActive: // others get a place when they are restored
			parents[n.id] = n.parent
		}
	}
	depths := map[waymark.ListID]int{} // of the lists that were seen, from 1
	for _, id := range slices.Sorted(maps.Keys(parents)) {
		var way []waymark.ListID // up to a list whose depth is known
		onWay := map[waymark.ListID]bool{}
		for list := id; list != 0 && depths[list] == 0 && !onWay[list]; list = parents[list] {
			way, onWay[list] = append(way, list), true
		}
		for _, list := range slices.Backward(way) {
			parent := parents[list]
			switch depth := depths[parent] + 1; {
			case parent != 0 && depth == 1:
				wrong[list] = fmt.Sprintf("list %d stands in itself", list)
			case depth > waymark.MaxListDepth:
				wrong[list] = fmt.Sprintf("list %d stands in more than %d lists", list, waymark.MaxListDepth-1)
			default:
				depths[list] = depth
				continue
			}
			depths[list] = 1
		}
	}
	return wrong, nil
}
