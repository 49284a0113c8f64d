package bench

import (
	"context"
	"encoding/json"
	"slices"
)

// question is a statement that finds something.
type question struct {
	text string
	args []any
}

// The columns and the tables of a link's questions.
const (
	linkColumns = `e.id, e.user_id, e.url, e.title, e.description, e.thumbnail, e.visibility, e.status,
		e.check_disabled, e.created_at, e.updated_at, e.deleted_at`
	listColumns = `e.id, e.user_id, e.name, e.description, e.visibility, e.created_at, e.updated_at, e.deleted_at`
	tagColumns  = `e.id, e.user_id, e.name, e.visibility, e.created_at, e.updated_at, e.deleted_at`
)

// rows is the FROM of the rows in a JSON array of arrays.
func (b *Bare) rows(place string) string {
	if b.postgres {
		return "jsonb_array_elements(CAST(" + place + " AS jsonb)) WITH ORDINALITY AS t (value, key)"
	}
	return "json_each(" + place + ")"
}

// who asks whose the key is.
func (b *Bare) who() question {
	return question{`
		SELECT u.id, u.name, u.admin, u.disabled, u.visibility, u.created_at,
			k.id, k.user_id, k.name, k.access, k.created_at, k.last_used_at, k.expires_at
		FROM keys AS k
		JOIN users AS u ON u.id = k.user_id
		WHERE k.hash = $1`, []any{b.hash}}
}

// link asks for an active link.
func (b *Bare) link(id int64) question {
	return question{`
		SELECT ` + linkColumns + `
		FROM links AS e
		WHERE e.id = $1 AND e.shelf IS NOT NULL`, []any{id}}
}

// among is the condition of being one of the ids in a JSON array of arrays.
func (b *Bare) among(place string) string {
	return "IN (SELECT CAST(value->>0 AS BIGINT) FROM " + b.rows(place) + ")"
}

// rowsOf is the JSON array of arrays for ids.
func rowsOf(ids []int64) string {
	rows := make([][1]int64, len(ids))
	for i, id := range ids {
		rows[i][0] = id
	}
	list, _ := json.Marshal(rows) //nolint:errchkjson // numbers always can be
	return string(list)
}

// pairs asks which lists links are in, and which tags they bear.
func (b *Bare) pairs(ids []int64) question {
	return question{`
		SELECT false, m.link_id, m.list_id
		FROM link_lists AS m
		WHERE m.link_id ` + b.among("$1") + `
		UNION ALL
		SELECT true, m.link_id, m.tag_id
		FROM link_tags AS m
		WHERE m.link_id ` + b.among("$1"), []any{rowsOf(ids)}}
}

// members asks for the pairs, and then for the lists and the tags in them.
func (b *Bare) members(ctx context.Context, ids []int64) ([]question, error) {
	pairs := b.pairs(ids)
	rows, err := b.read.QueryContext(ctx, pairs.text, pairs.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[bool][]int64{}
	for rows.Next() {
		var tag bool
		var link, entry int64
		if err := rows.Scan(&tag, &link, &entry); err != nil {
			return nil, err
		}
		if !slices.Contains(found[tag], entry) {
			found[tag] = append(found[tag], entry)
		}
	}
	questions := []question{pairs}
	for _, kind := range []struct {
		tag            bool
		table, columns string
	}{{false, "lists", listColumns}, {true, "tags", tagColumns}} {
		if ids := found[kind.tag]; len(ids) > 0 {
			questions = append(questions, question{`
				SELECT ` + kind.columns + `
				FROM ` + kind.table + ` AS e
				WHERE e.id ` + b.among("$2") + ` AND +e.shelf IN (0, $1)`, []any{b.user, rowsOf(ids)}})
		}
	}
	return questions, rows.Err()
}

// total asks how many links there are.
func (b *Bare) total() question {
	return question{`
		SELECT CAST(coalesce(sum(n) FILTER (WHERE shelf = 0), 0) AS BIGINT), CAST(coalesce(sum(n) FILTER (WHERE shelf <> 0), 0) AS BIGINT)
		FROM counters
		WHERE kind = $1 AND shelf IN (0, $2)`, []any{"links", b.user}}
}

// newest asks for the first page of links.
func (b *Bare) newest(size int) question {
	shelf := func(place, name string) string {
		return `SELECT * FROM (
			SELECT e.created_at AS k0, e.id AS k1
			FROM links AS e
			WHERE e.shelf = ` + place + `
			ORDER BY e.created_at DESC, e.id DESC
			LIMIT $1) AS ` + name
	}
	return question{`
		SELECT ` + linkColumns + `, p.k0, p.k1
		FROM (` + shelf("$2", "shelf0") + ` UNION ALL ` + shelf("$3", "shelf1") + `
			ORDER BY k0 DESC, k1 DESC
			LIMIT $4 OFFSET $5) AS p
		CROSS JOIN links AS e
		WHERE e.id = p.k1
		ORDER BY p.k0 DESC, p.k1 DESC`, []any{size, 0, b.user, size, 0}}
}
