package bench

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
)

// statement is SQL text and its arguments.
type statement struct {
	text string
	args []any
}

// The columns that Waymark reads. The alias of the table is e.
const (
	linkColumns = `e.id, e.user_id, e.url, e.title, e.description, e.thumbnail, e.visibility, e.status,
		e.check_disabled, e.created_at, e.updated_at, e.deleted_at`
	listColumns = `e.id, e.user_id, e.name, e.description, e.visibility, e.created_at, e.updated_at, e.deleted_at`
	tagColumns  = `e.id, e.user_id, e.name, e.visibility, e.created_at, e.updated_at, e.deleted_at`
)

// arguments starts the arguments of a statement.
func (b *Baseline) arguments(values ...any) *database.Args {
	return database.NewArgs(b.kind, values...)
}

// keyOwner finds the API key and its owner.
func (b *Baseline) keyOwner() statement {
	return statement{`
		SELECT e.id, e.user_id, e.name, e.hash, e.access, e.created_at, e.last_used_at, e.expires_at,
			u.id, u.name, u.password_hash, u.admin, u.disabled, u.visibility, u.created_at
		FROM api_keys AS e
		JOIN users AS u ON u.id = e.user_id
		WHERE e.hash = $1`, []any{b.keyHash}}
}

// link finds an active link.
func (b *Baseline) link(id int64) statement {
	return statement{`
		SELECT ` + linkColumns + `
		FROM links AS e
		WHERE e.id = $1 AND e.visible_to IS NOT NULL`, []any{id}}
}

// totals counts the links in each of the user's scopes.
func (b *Baseline) totals() statement {
	return statement{`
		SELECT visible_to, CAST(sum(count) AS BIGINT)
		FROM counters
		WHERE entity = $1 AND visible_to IN ($2, $3, $4)
		GROUP BY visible_to`, []any{"links", 0, -1, b.user}}
}

// newest finds the newest links in scopes that are not empty.
func (b *Baseline) newest(scopes []int64, limit int) statement {
	a := b.arguments()
	var branches []string
	for i, scope := range scopes {
		branches = append(branches, "SELECT * FROM ("+a.LimitBranch(`
			SELECT e.created_at AS k0, e.id AS k1
			FROM links AS e
			WHERE e.visible_to = `+a.Add(scope)+`
			ORDER BY e.created_at DESC, e.id DESC`, limit)+") AS scan"+strconv.Itoa(i))
	}
	return statement{`
		SELECT ` + linkColumns + `, p.k0, p.k1
		FROM (
			` + strings.Join(branches, " UNION ALL ") + `
			ORDER BY k0 DESC, k1 DESC
			LIMIT ` + a.Add(limit) + ` OFFSET ` + a.Add(0) + `) AS p
		CROSS JOIN links AS e
		WHERE e.id = p.k1
		ORDER BY p.k0 DESC, p.k1 DESC`, a.Values}
}

// labelIDs finds the ids of the lists and the tags of links.
func (b *Baseline) labelIDs(links []int64) statement {
	a := b.arguments()
	condition := "WHERE m.link_id " + database.In(a, links)
	return statement{`
		SELECT false, m.link_id, m.list_id
		FROM link_lists AS m
		` + condition + `
		UNION ALL
		SELECT true, m.link_id, m.tag_id
		FROM link_tags AS m
		` + condition, a.Values}
}

// labels returns the statements that find the lists and the tags of links: first their
// ids, and then those of them that the user sees.
func (b *Baseline) labels(ctx context.Context, links []int64) ([]statement, error) {
	ids := b.labelIDs(links)
	rows, err := b.read.QueryContext(ctx, ids.text, ids.args...)
	if err != nil {
		return nil, err
	}
	lists, tags, err := scanLabelIDs(rows)
	if err != nil {
		return nil, err
	}
	statements := []statement{ids}
	for _, labels := range []struct {
		table, columns string
		ids            []int64
	}{{"lists", listColumns, lists}, {"tags", tagColumns, tags}} {
		if len(labels.ids) == 0 {
			continue
		}
		a := b.arguments()
		statements = append(statements, statement{`
			SELECT ` + labels.columns + `
			FROM ` + labels.table + ` AS e
			WHERE e.id ` + database.In(a, labels.ids) + ` AND +e.visible_to IN (0, -1, ` + a.Add(b.user) + `)`, a.Values})
	}
	return statements, nil
}

// scanLabelIDs returns each list and each tag once.
func scanLabelIDs(rows *sql.Rows) (lists, tags []int64, err error) {
	defer rows.Close()
	for rows.Next() {
		var isTag bool
		var link, id int64
		if err := rows.Scan(&isTag, &link, &id); err != nil {
			return nil, nil, err
		}
		switch {
		case isTag && !slices.Contains(tags, id):
			tags = append(tags, id)
		case !isTag && !slices.Contains(lists, id):
			lists = append(lists, id)
		}
	}
	return lists, tags, rows.Err()
}

// duplicateURLs finds links of the user with a URL hash.
func (b *Baseline) duplicateURLs(hash string) statement {
	a := b.arguments(b.user, 0)
	return statement{`
		SELECT url_hash
		FROM links
		WHERE url_hash ` + database.In(a, []string{hash}) + ` AND user_id = $1 AND id <> $2 AND visible_to IS NOT NULL`, a.Values}
}

// insertLink inserts a link with a URL and its hash, and returns its id.
func (b *Baseline) insertLink(url, hash string) statement {
	a := b.arguments()
	return statement{`
		INSERT INTO links (user_id, url, title, description, thumbnail, visibility, status, check_disabled, created_at, updated_at,
			url_hash, url_folded, title_folded, description_folded)
		SELECT CAST(value->>0 AS BIGINT), CAST(value->>1 AS TEXT), CAST(value->>2 AS TEXT), CAST(value->>3 AS TEXT), CAST(value->>4 AS TEXT),
			CAST(value->>5 AS BIGINT), CAST(value->>6 AS BIGINT), CAST(value->>7 AS BOOLEAN), CAST(value->>8 AS BIGINT), CAST(value->>9 AS BIGINT),
			CAST(value->>10 AS TEXT), CAST(value->>11 AS TEXT), CAST(value->>12 AS TEXT), CAST(value->>13 AS TEXT)
		FROM ` + a.Rows([][]any{{b.user, url, "A new link", "", "", 3, 1, false, 1, 1, hash, url, "a new link", ""}}) + `
		ORDER BY key
		RETURNING id`, a.Values}
}
