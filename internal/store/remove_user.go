package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// RemoveUser deletes a user. Their active links, lists, tags and notes, and their passages get another owner,
// transferTo, or are deleted if that is zero. A link whose URL the new owner has is merged with
// theirs, and so are lists and tags of the same name. The user's trash and the one-time tokens
// that they created are deleted.
func (s *Store) RemoveUser(ctx context.Context, id, transferTo waymark.UserID, permit waymark.UserPermit) error {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		for _, locked := range table.Unique([]int64{int64(id), int64(transferTo)}) { // in the order of ids, against deadlocks
			if err := table.LockUser(ctx, q, waymark.UserID(locked)); err != nil {
				return err
			}
		}
		if _, err := accounts.PermitUser(ctx, q, id, permit); err != nil {
			return err
		}
		if transferTo != waymark.Guest {
			if _, err := table.Users.Get(ctx, q, "e.id = $1"+q.RowLock(), transferTo); err != nil {
				return err
			}
			if err := s.transferEntities(ctx, q, id, transferTo); err != nil {
				return err
			}
		}
		return table.OrNotFound(q.Exec(ctx, `
			DELETE FROM users
			WHERE id = $1`, id))
	})
	if err != nil {
		return err
	}
	s.eraseDeleted(ctx)
	return nil
}

// transferEntities makes one user the owner of another's active links, lists, tags and notes, and of all passages.
// Where the new owner has a list or tag of the same name, that one gets the links, and the old owner keeps the other
// one. A link whose URL the new owner has is merged with theirs.
func (s *Store) transferEntities(ctx context.Context, q database.Querier, from, to waymark.UserID) error {
	run := func(texts []string) error {
		for _, text := range texts {
			if _, err := q.Exec(ctx, text, from, to); err != nil {
				return err
			}
		}
		return nil
	}
	if err := run(slices.Concat(transferLabels(query.LinkTags), transferLabels(query.LinkLists))); err != nil {
		return err
	}
	pairs, err := database.QueryAll(ctx, q, scanPair, `
		SELECT l.id, kept.id
		FROM links AS l
		JOIN links AS kept ON kept.user_id = $2 AND kept.url_hash = l.url_hash AND kept.visible_to IS NOT NULL
		WHERE l.user_id = $1 AND l.visible_to IS NOT NULL
		ORDER BY l.id`, from, to)
	if err != nil {
		return err
	}
	if err := table.InBatches(ctx, pairs, func(pairs [][2]int64) error { return s.joinPairs(ctx, q, pairs) }); err != nil {
		return err
	}
	return run(transferSQL)
}

// joinPairs merges the first link of each pair with the second one.
func (s *Store) joinPairs(ctx context.Context, q database.Querier, pairs [][2]int64) error {
	a := q.Args()
	rows, err := links.All(ctx, q, "e.id "+database.In(a, slices.Concat(linksOf(pairs), waymark.Map(pairs, func(pair [2]int64) int64 { return pair[1] })))+" ORDER BY e.id"+q.RowLock(), a.Values...)
	if err != nil {
		return err
	}
	byID := map[int64]waymark.Link{}
	for _, l := range rows {
		byID[int64(l.ID)] = l
	}
	joins, err := readJoins(ctx, q, waymark.Map(pairs, func(pair [2]int64) waymark.Duplicates {
		return waymark.NewDuplicates([]waymark.Link{byID[pair[0]], byID[pair[1]]}, waymark.LinkID(pair[1]))
	}))
	if err != nil {
		return err
	}
	return s.joinLinks(ctx, q, joins)
}

// transferLabels returns the statements for the lists or the tags. The new owner can have several lists of the same
// name: the oldest one gets the links.
func transferLabels(assoc query.Association) []string {
	column, bySaver := "", ""
	if assoc.Kind == waymark.Lists {
		column, bySaver = ", by_saver", ", a.by_saver AND (SELECT l.user_id FROM links AS l WHERE l.id = a.link_id) IN ($1, $2)"
	}
	return []string{
		`INSERT INTO ` + assoc.Table + ` (link_id, ` + assoc.Column + column + `)
		SELECT a.link_id, kept.id` + bySaver + `
		FROM ` + assoc.Entities + ` AS e
		JOIN (
			SELECT MIN(id) AS id, name_folded
			FROM ` + assoc.Entities + `
			WHERE user_id = $2 AND visible_to IS NOT NULL
			GROUP BY name_folded) AS kept ON kept.name_folded = e.name_folded
		JOIN ` + assoc.Table + ` AS a ON a.` + assoc.Column + ` = e.id
		WHERE e.user_id = $1 AND e.visible_to IS NOT NULL
		ON CONFLICT DO NOTHING`,
		`UPDATE ` + assoc.Entities + `
		SET user_id = $2
		WHERE user_id = $1 AND visible_to IS NOT NULL AND name_folded NOT IN (
			SELECT name_folded
			FROM ` + assoc.Entities + `
			WHERE user_id = $2 AND visible_to IS NOT NULL)`,
	}
}

// transferSQL are the last statements of transferEntities, in which $1 is the old owner, and $2 the new one.
var transferSQL = []string{
	// The sublists of a list that keeps its owner, because the new one has one of the same name, stand in no list then.
	`UPDATE lists
	SET parent_id = NULL, position = 0
	WHERE user_id IN ($1, $2) AND parent_id IN (
		SELECT p.id
		FROM lists AS p
		WHERE p.user_id <> lists.user_id)`,
	`DELETE FROM list_editors
	WHERE user_id IN ($1, $2) AND list_id IN (
		SELECT id
		FROM lists
		WHERE user_id = $2)`,
	`UPDATE links
	SET user_id = $2, seen_at = 0
	WHERE user_id = $1 AND visible_to IS NOT NULL AND url_hash NOT IN (
		SELECT url_hash
		FROM links
		WHERE user_id = $2 AND visible_to IS NOT NULL)`,
	// The fetches of pages and the checks of links that are due.
	`UPDATE page_fetches
	SET user_id = $2
	WHERE user_id = $1`,
	`UPDATE link_checks
	SET user_id = $2
	WHERE user_id = $1`,
	// The snapshots and attachments of the links that now belong to the new owner.
	`UPDATE text_snapshots` + ofTransferred,
	`UPDATE full_snapshots` + ofTransferred,
	`UPDATE attachments` + ofTransferred,
	`UPDATE notes
	SET user_id = $2
	WHERE user_id = $1 AND visible_to IS NOT NULL`,
	`UPDATE passages
	SET user_id = $2
	WHERE user_id = $1`,
}

// ofTransferred is the end of a statement on rows of links.
const ofTransferred = `
	SET user_id = $2
	WHERE user_id = $1 AND link_id IN (
		SELECT id
		FROM links
		WHERE user_id = $2)`
