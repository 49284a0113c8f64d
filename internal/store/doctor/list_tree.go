package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// misplacedSQL selects the active lists, and where they stand, to which no way leads from a list that stands in no
// list, through active lists of the same owner: those in a circle, for example, and those that are too deep.
var misplacedSQL = fmt.Sprintf(`
		WITH RECURSIVE placed (id, user_id, depth) AS (
			SELECT id, user_id, 1
			FROM lists
			WHERE parent_id IS NULL AND visible_to IS NOT NULL
			UNION ALL
			SELECT l.id, l.user_id, placed.depth + 1
			FROM placed`+database.JoinInOrder+`lists AS l
			WHERE l.parent_id = placed.id AND l.user_id = placed.user_id AND l.visible_to IS NOT NULL AND placed.depth < %d
		)
		SELECT l.id, l.parent_id
		FROM lists AS l
		WHERE l.visible_to IS NOT NULL AND l.id NOT IN (SELECT id FROM placed)
		ORDER BY l.id`, waymark.MaxListDepth)

// checkListTree looks for lists that cannot stand where they do. The repair puts the outermost ones into no list.
func (d *doctor) checkListTree(ctx context.Context) (finding, error) {
	misplaced, err := database.QueryMap[int64, int64](ctx, d.db.Querier(), misplacedSQL)
	return finding{
		right:    "lists stand in lists of the same owner",
		wrong:    sentences("list %d cannot stand where it does", slices.Sorted(maps.Keys(misplaced))),
		repaired: "put into no list, unless they stand in another one of them",
		repair:   d.placeLists,
	}, err
}

func (d *doctor) placeLists(ctx context.Context) error {
	for {
		misplaced, err := database.QueryMap[int64, int64](ctx, d.db.Querier(), misplacedSQL)
		if err != nil || len(misplaced) == 0 {
			return err
		}
		ids := slices.Sorted(maps.Keys(misplaced))
		outermost := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
			_, above := misplaced[misplaced[id]]
			return above
		})
		if len(outermost) == 0 { // a circle
			outermost = ids[:1]
		}
		a := d.db.Querier().Args()
		if _, err := d.db.Exec(ctx, `
		UPDATE lists
		SET parent_id = NULL, position = 0
		WHERE id `+database.In(a, outermost), a.Values...); err != nil {
			return err
		}
	}
}
