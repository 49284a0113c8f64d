package store

import (
	"context"

	"waymark/internal/database"
)

// association is the table that says which links are in which lists, or have which
// tags.
type association struct {
	table    string
	column   string // the id of the list or tag
	entities string // the table of the lists or tags
}

var (
	linkLists = association{table: "link_lists", column: "list_id", entities: "lists"}
	linkTags  = association{table: "link_tags", column: "tag_id", entities: "tags"}
)

// insert inserts pairs of a link and a list or tag; those that exist stay.
func (assoc *association) insert(ctx context.Context, q database.Querier, pairs [][2]int64) error {
	if len(pairs) == 0 {
		return nil
	}
	a := q.Args()
	_, err := q.Exec(ctx, `
		INSERT INTO `+assoc.table+` (link_id, `+assoc.column+`, link_visible_to)
		SELECT e.id, CAST(value->>1 AS BIGINT), e.visible_to
		FROM `+a.Rows(pairs)+joinInOrder+`links AS e
		WHERE e.id = CAST(value->>0 AS BIGINT)
		ON CONFLICT DO NOTHING`, a.Values...)
	return err
}
