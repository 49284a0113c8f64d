package bench

import "strings"

// baselineSQL is all SQL of the baseline. It is written for Waymark's tables: it must be
// adapted if they change.
type baselineSQL struct {
	key    string // owner of the key with a hash, at a time
	link   string // one link by id
	page   string // the newest links, up to a number, and the total
	insert string
}

// newBaselineSQL returns the statements for PostgreSQL or for SQLite. In SQLite those for
// links have the user as first parameter. In PostgreSQL they find the user themselves:
// they have the parameters of key before their own. "visible_to + 0" keeps the planner from
// an index of visible_to where it has the id of a row.
func newBaselineSQL(postgres bool) baselineSQL {
	const key = `
		SELECT k.user_id
		FROM api_keys AS k
		JOIN users AS u ON u.id = k.user_id
		WHERE k.hash = $1 AND NOT u.disabled AND (k.expires_at = 0 OR k.expires_at > $2)`
	const columns = `
		SELECT e.id, e.user_id, e.url, e.title, e.description, e.image_url, e.visibility, e.status, e.check_disabled, e.unread, e.archived, e.favorite,
			e.created_at, e.updated_at,
			(SELECT JSON_ROWS(JSON_ROW(l.id, l.user_id, l.name, l.description, l.visibility, l.created_at, l.updated_at) ORDER BY l.name_key, l.name_folded, l.name, l.id)
			FROM link_lists AS m JOIN lists AS l ON l.id = m.list_id
			WHERE m.link_id = e.id AND l.visible_to + 0 IN (0, -1, USER_ID)),
			(SELECT JSON_ROWS(JSON_ROW(t.id, t.user_id, t.name, t.visibility, t.created_at, t.updated_at) ORDER BY t.name_key, t.name_folded, t.name, t.id)
			FROM link_tags AS m JOIN tags AS t ON t.id = m.tag_id
			WHERE m.link_id = e.id AND t.visible_to + 0 IN (0, -1, USER_ID))`
	const link = columns + `
		FROM OWNER links AS e
		WHERE e.id = PARAMETER AND e.visible_to + 0 IN (0, -1, USER_ID)`
	newest := func(scope string) string {
		return `
			SELECT * FROM (
				SELECT n.id, n.created_at
				FROM links AS n
				WHERE n.visible_to = ` + scope + `
				ORDER BY n.created_at DESC, n.id DESC
				LIMIT PARAMETER) AS scope`
	}
	page := columns + `,
			(SELECT CAST(sum(c.count) AS BIGINT) FROM counters AS c WHERE c.entity = 'links' AND c.visible_to IN (0, -1, USER_ID))
		FROM OWNER LATERAL (` + newest("0") + ` UNION ALL ` + newest("-1") + ` UNION ALL ` + newest("USER_ID") + `
			ORDER BY created_at DESC, id DESC
			LIMIT PARAMETER) AS p
		CROSS JOIN links AS e
		WHERE e.id = p.id
		ORDER BY p.created_at DESC, p.id DESC`
	const insert = `
		INSERT INTO links (user_id, url, url_hash, url_key, url_folded, title, title_folded, description, description_folded,
			image_url, visibility, status, check_disabled, unread, archived, favorite, from_page, snapshots, created_at, updated_at, seen_at, deleted_at, title_key)
		VALUES ($1, $2, $3, 0, $2, 'A new link', 'a new link', '', '', '', 3, 1, false, false, false, false, 0, '', 1, 1, 0, 0, BYTES)`

	replace := strings.NewReplacer("JSON_ROWS", "json_group_array", "JSON_ROW", "json_array",
		"OWNER ", "", "LATERAL ", "", "USER_ID", "$1", "PARAMETER", "$2", "BYTES", "x'00'")
	if postgres {
		replace = strings.NewReplacer("JSON_ROWS", "json_agg", "JSON_ROW", "json_build_array",
			"OWNER ", "("+key+") AS owner CROSS JOIN ", "USER_ID", "owner.user_id", "PARAMETER", "$3", "BYTES", `'\x00'`)
	}
	return baselineSQL{key: key, link: replace.Replace(link), page: replace.Replace(page), insert: replace.Replace(insert)}
}
