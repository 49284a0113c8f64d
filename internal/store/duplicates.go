package store

import (
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// DuplicateGroup are duplicates with the key after which the next group comes.
type DuplicateGroup struct {
	Key int64
	waymark.Duplicates
}

// DuplicatePage is a part of a user's duplicates.
type DuplicatePage struct {
	Groups []DuplicateGroup
	Last   int64 // the key after which the next page begins
	More   bool
}

// FirstDuplicate is less than all keys of groups.
const FirstDuplicate = -1

// weakBits are those in which the keys of a weak group differ.
const weakBits = 1<<32 - 1

// MaxCounted is where CountDuplicates stops counting: with a million links it would take longer than the page.
const MaxCounted = 1000

// Duplicates returns groups of owner's active links that have one waymark.URLKey, or, if weak, one waymark.WeakURLKey and
// several of those. The groups come in the order of hashes, after one of them. A link that is kept apart from all others
// of a group is left out, and so are those after the first waymark.MaxDuplicates.
func (s *Store) Duplicates(ctx context.Context, owner waymark.UserID, weak bool, after int64, limit int) (page DuplicatePage, err error) {
	err = s.db.ReadTx(ctx, func(q database.Querier) error {
		page, err = readDuplicates(ctx, q, owner, weak, after, limit)
		return err
	})
	return page, err
}

func readDuplicates(ctx context.Context, q database.Querier, owner waymark.UserID, weak bool, after int64, limit int) (page DuplicatePage, err error) {
	page.Last = after
	for len(page.Groups) < limit {
		keys, err := duplicateKeys(ctx, q, owner, weak, page.Last, limit+1)
		if err != nil || len(keys) == 0 {
			return page, err
		}
		page.More = len(keys) > limit
		groups, err := readGroups(ctx, q, owner, weak, keys[:min(limit, len(keys))])
		if err != nil {
			return page, err
		}
		for _, g := range groups {
			if len(page.Groups) == limit {
				page.More = true
				return page, nil
			}
			page.Groups, page.Last = append(page.Groups, g), g.Key
		}
		if !page.More {
			return page, nil
		}
		page.Last = keys[limit-1]
	}
	return page, nil
}

// duplicateKeys returns the largest url_key that links of each group can have. It reads along the index links_url_key.
func duplicateKeys(ctx context.Context, q database.Querier, owner waymark.UserID, weak bool, after int64, limit int) (keys []int64, err error) {
	if !weak {
		return database.QueryAll(ctx, q, database.ScanValue[int64], `
			SELECT url_key
			FROM links
			WHERE user_id = $1 AND url_key > $2 AND visible_to IS NOT NULL
			GROUP BY url_key
			HAVING count(*) > 1
			ORDER BY url_key
			LIMIT $3`, owner, after, limit)
	}
	for len(keys) < limit {
		found, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
			SELECT k.url_key | 4294967295
			FROM links AS k
			WHERE k.user_id = $1 AND k.url_key > $2 AND k.visible_to IS NOT NULL AND EXISTS (
				SELECT 1
				FROM links AS l
				WHERE l.user_id = $1 AND l.url_key > k.url_key AND l.url_key <= (k.url_key | 4294967295) AND l.visible_to IS NOT NULL)
			ORDER BY k.url_key
			LIMIT $3`, owner, after, limit)
		if keys = slices.Compact(append(keys, found...)); err != nil || len(found) < limit {
			return keys, err
		}
		after = keys[len(keys)-1]
	}
	return keys[:limit], nil
}

// readGroups returns the groups with these keys that have at least two links which are not kept apart.
func readGroups(ctx context.Context, q database.Querier, owner waymark.UserID, weak bool, keys []int64) (groups []DuplicateGroup, err error) {
	type member struct {
		key, id int64
		url     string
	}
	ranges := waymark.Map(keys, func(key int64) [2]int64 {
		if weak {
			return [2]int64{key &^ weakBits, key}
		}
		return [2]int64{key, key}
	})
	a := q.Args(owner)
	members, err := database.QueryAll(ctx, q, func(rows *sql.Rows, m *member) error { return rows.Scan(&m.key, &m.id, &m.url) }, `
		SELECT CAST(value->>1 AS BIGINT), e.id, e.url
		FROM `+a.Rows(ranges)+database.JoinInOrder+`links AS e
		WHERE e.user_id = $1 AND e.url_key BETWEEN CAST(value->>0 AS BIGINT) AND CAST(value->>1 AS BIGINT) AND e.visible_to IS NOT NULL
		ORDER BY 1, e.created_at, e.id`, a.Values...)
	if err != nil || len(members) < 2 {
		return nil, err
	}
	apart, err := readApart(ctx, q, owner, keys)
	if err != nil {
		return nil, err
	}
	isPair := func(a, b member) bool {
		return a.id != b.id && a.key == b.key && !apart[apartPair(a.url, b.url)] && waymark.WeakURLKey(a.url) == waymark.WeakURLKey(b.url)
	}
	// A weak group whose only pairs have one URLKey is shown as those.
	isShown := func(a, b member) bool {
		return isPair(a, b) && weak == (waymark.URLKey(a.url) != waymark.URLKey(b.url))
	}
	var chosen []member
	for start := 0; start < len(members); {
		end := start
		for end < len(members) && members[end].key == members[start].key {
			end++
		}
		group := members[start:min(end, start+waymark.MaxDuplicates)]
		start = end
		with := func(is func(a, b member) bool) []member {
			return slices.DeleteFunc(slices.Clone(group), func(m member) bool {
				return !slices.ContainsFunc(group, func(other member) bool { return is(m, other) })
			})
		}
		if len(with(isShown)) > 1 {
			chosen = append(chosen, with(isPair)...)
		}
	}
	ids := waymark.Map(chosen, func(m member) int64 { return m.id })
	links, err := readAll(ctx, q, owner, ids, linkRows(nil))
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(links); {
		end := i
		for end < len(links) && chosen[end].key == chosen[i].key {
			end++
		}
		groups = append(groups, DuplicateGroup{chosen[i].key, waymark.NewDuplicates(links[i:end], 0)})
		i = end
	}
	return groups, nil
}

// DuplicatesOf returns the group of Duplicates with one waymark.URLKey in which a link stands, or one without links.
func (s *Store) DuplicatesOf(ctx context.Context, owner waymark.UserID, link waymark.Link) (DuplicateGroup, error) {
	groups, err := readGroups(ctx, s.db.Querier(), owner, false, []int64{table.URLKey(link.URL)})
	for _, g := range groups {
		if slices.ContainsFunc(g.Links, func(l waymark.Link) bool { return l.ID == link.ID }) {
			return g, err
		}
	}
	return DuplicateGroup{}, err
}

// CountDuplicates counts the groups of Duplicates with one waymark.URLKey, and the weak ones, up to MaxCounted together.
func (s *Store) CountDuplicates(ctx context.Context, owner waymark.UserID) (exact, weak int, err error) {
	count := func(q database.Querier, weak bool, keys []int64) (int, error) {
		if len(keys) == 0 {
			return 0, nil
		}
		known, err := apartKeys(ctx, q, owner)
		if err != nil {
			return 0, err
		}
		n := len(keys)
		keys = slices.DeleteFunc(keys, func(key int64) bool { return !known[key>>32] })
		groups, err := readGroups(ctx, q, owner, weak, keys)
		return n - len(keys) + len(groups), err
	}
	err = s.db.ReadTx(ctx, func(q database.Querier) error {
		exactKeys, weakKeys, err := allDuplicateKeys(ctx, q, owner)
		if err == nil {
			exact, err = count(q, false, exactKeys)
		}
		if err == nil {
			weak, err = count(q, true, weakKeys[:min(len(weakKeys), max(0, MaxCounted-exact))])
		}
		return err
	})
	return exact, weak, err
}

// allDuplicateKeys returns the duplicateKeys of both kinds, at most MaxCounted of each: one look at each key is faster
// than a search for each.
func allDuplicateKeys(ctx context.Context, q database.Querier, owner waymark.UserID) (exact, weak []int64, err error) {
	last := int64(FirstDuplicate)
	add := func(keys []int64, key int64) []int64 {
		if n := len(keys); n == MaxCounted || n > 0 && keys[n-1] == key {
			return keys
		}
		return append(keys, key)
	}
	for key, err := range database.QueryEach(ctx, q, database.ScanValue[int64], `
		SELECT url_key
		FROM links
		WHERE user_id = $1 AND visible_to IS NOT NULL
		ORDER BY url_key`, owner) {
		if err != nil {
			return nil, nil, err
		}
		switch {
		case key == last:
			exact = add(exact, key)
		case key>>32 == last>>32:
			weak = add(weak, key|weakBits)
		}
		if last = key; len(exact) == MaxCounted {
			break
		}
	}
	return exact, weak, nil
}

// KeepApart remembers that a user's own active links are not to be merged, none with another one. It returns a
// waymark.ValidationError unless they are at least two of one waymark.WeakURLKey.
func (s *Store) KeepApart(ctx context.Context, user waymark.User, ids []waymark.LinkID) error {
	return s.userTx(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		a := q.Args(user.ID)
		found, err := links.All(ctx, q, "e.user_id = $1 AND e.visible_to IS NOT NULL AND e.id "+database.In(a, ids)+" ORDER BY e.id"+q.RowLock(), a.Values...)
		if err != nil {
			return err
		}
		isOther := func(l waymark.Link) bool { return waymark.WeakURLKey(l.URL) != waymark.WeakURLKey(found[0].URL) }
		if len(found) < 2 || len(found) > waymark.MaxDuplicates || slices.ContainsFunc(found, isOther) {
			return waymark.Invalid(waymark.FieldLinks, waymark.RuleExists)
		}
		return s.keepApart(ctx, q, user.ID, waymark.Links, table.WeakURLKey(found[0].URL), waymark.Map(found, func(l waymark.Link) string { return string(table.URLHash(l.URL)) }))
	})
}

// KeepTagsApart remembers that the user's tags with these names are not to be merged.
func (s *Store) KeepTagsApart(ctx context.Context, user waymark.UserID, names []string) error {
	return s.userTx(ctx, user, func(ctx context.Context, q database.Querier) error {
		return s.keepApart(ctx, q, user, waymark.Tags, 0, waymark.Map(names, waymark.Fold))
	})
}

// keepApart inserts all pairs of different values.
func (s *Store) keepApart(ctx context.Context, q database.Querier, user waymark.UserID, kind waymark.EntityKind, key int64, values []string) error {
	values = table.Unique(values)
	var pairs []table.KeptApartRow
	for i, first := range values {
		for _, second := range values[i+1:] {
			pairs = append(pairs, table.KeptApartRow{Owner: user, Entity: kind.String(), Key: key, A: first, B: second})
		}
	}
	return s.insertApart(ctx, q, pairs)
}

func (s *Store) insertApart(ctx context.Context, q database.Querier, pairs []table.KeptApartRow) error {
	return table.InBatches(ctx, pairs, func(pairs []table.KeptApartRow) error {
		a := q.Args()
		ids, err := database.QueryAll(ctx, q, database.ScanValue[int64], table.KeptApart.InsertSQL(a, pairs)+`
			ON CONFLICT DO NOTHING
			RETURNING id`, a.Values...)
		if err != nil {
			return err
		}
		return s.record(undo.Step{Table: table.KeptApart.Name, Rows: waymark.Map(ids, func(id int64) undo.Row {
			return undo.Row{ID: id, After: undo.Values{versionColumn: nil}}
		})})
	})
}

// readApart returns the pairs of a user's links that are kept apart in the groups with these keys.
func readApart(ctx context.Context, q database.Querier, owner waymark.UserID, keys []int64) (map[[2]string]bool, error) {
	a := q.Args(owner, waymark.Links.String())
	weak := table.Unique(waymark.Map(keys, func(key int64) int64 { return key >> 32 }))
	return pairSet(table.KeptApart.All(ctx, q, "e.user_id = $1 AND e.entity = $2 AND e.key "+database.In(a, weak), a.Values...))
}

func pairSet(pairs []table.KeptApartRow, err error) (map[[2]string]bool, error) {
	set := make(map[[2]string]bool, len(pairs))
	for _, p := range pairs {
		set[[2]string{p.A, p.B}] = true
	}
	return set, err
}

// apartKeys returns the halves of keys, see table.WeakURLKey, in which links are kept apart.
func apartKeys(ctx context.Context, q database.Querier, owner waymark.UserID) (map[int64]bool, error) {
	keys, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
		SELECT DISTINCT key
		FROM kept_apart
		WHERE user_id = $1 AND entity = $2`, owner, waymark.Links.String())
	return setOf(keys), err
}

// apartPair returns how kept_apart has two URLs.
func apartPair(one, other string) [2]string {
	a, b := string(table.URLHash(one)), string(table.URLHash(other))
	return [2]string{min(a, b), max(a, b)}
}

// SavedURL is the URL of a link.
type SavedURL struct {
	Link waymark.LinkID
	URL  string
}

// SimilarURLs returns owner's active links with the waymark.URLKey of a URL, the oldest first.
func (s *Store) SimilarURLs(ctx context.Context, owner waymark.UserID, url string) ([]SavedURL, error) {
	scan := func(rows *sql.Rows, u *SavedURL) error { return rows.Scan(&u.Link, &u.URL) }
	return database.QueryAll(ctx, s.db.Querier(), scan, `
		SELECT e.id, e.url
		FROM links AS e
		WHERE e.user_id = $1 AND e.url_key = $2 AND e.visible_to IS NOT NULL
		ORDER BY e.id`, owner, table.URLKey(url))
}
