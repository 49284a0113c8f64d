package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// transferEntities makes one user the owner of another's active links, lists, tags and notes.
// Where the new owner has a list or tag of the same name, or a link with the same URL, the new
// owner's entity gets the associations and notes; the old owner keeps the other entity.
func transferEntities(ctx context.Context, q database.Querier, from, to waymark.UserID) error {
	for _, text := range transferSQL {
		if _, err := q.Exec(ctx, text, from, to); err != nil {
			return err
		}
	}
	return nil
}

// sameURLs joins the links of two users that have the same URL.
const sameURLs = `
		FROM links AS l
		JOIN links AS kept ON kept.user_id = $2 AND kept.url_hash = l.url_hash AND kept.visible_to IS NOT NULL`

// transferSQL are the statements of transferEntities, in which $1 is the old owner, and $2 the new one.
var transferSQL = []string{
	// The tag of the new owner with the same name gets the links.
	`INSERT INTO link_tags (link_id, tag_id)
	SELECT a.link_id, kept.id
	FROM tags AS t
	JOIN tags AS kept ON kept.user_id = $2 AND kept.name_folded = t.name_folded AND kept.visible_to IS NOT NULL
	JOIN link_tags AS a ON a.tag_id = t.id
	WHERE t.user_id = $1 AND t.visible_to IS NOT NULL
	ON CONFLICT DO NOTHING`,
	`UPDATE tags
	SET user_id = $2
	WHERE user_id = $1 AND visible_to IS NOT NULL AND name_folded NOT IN (
		SELECT name_folded
		FROM tags
		WHERE user_id = $2 AND visible_to IS NOT NULL)`,
	// The new owner can have several lists of the same name: the oldest one gets the links of the old owner's list,
	// and the sublists of that list stand in no list then.
	`INSERT INTO link_lists (link_id, list_id)
	SELECT a.link_id, kept.id
	FROM lists AS l
	JOIN (
		SELECT MIN(id) AS id, name_folded
		FROM lists
		WHERE user_id = $2 AND visible_to IS NOT NULL
		GROUP BY name_folded) AS kept ON kept.name_folded = l.name_folded
	JOIN link_lists AS a ON a.list_id = l.id
	WHERE l.user_id = $1 AND l.visible_to IS NOT NULL
	ON CONFLICT DO NOTHING`,
	`UPDATE lists
	SET user_id = $2
	WHERE user_id = $1 AND visible_to IS NOT NULL AND name_folded NOT IN (
		SELECT name_folded
		FROM lists
		WHERE user_id = $2 AND visible_to IS NOT NULL)`,
	`UPDATE lists
	SET parent_id = NULL, position = 0
	WHERE user_id IN ($1, $2) AND parent_id IN (
		SELECT p.id
		FROM lists AS p
		WHERE p.user_id <> lists.user_id)`,
	// A link whose URL the new owner has is merged with theirs.
	`INSERT INTO link_tags (link_id, tag_id)
	SELECT kept.id, a.tag_id` + sameURLs + `
	JOIN link_tags AS a ON a.link_id = l.id
	WHERE l.user_id = $1 AND l.visible_to IS NOT NULL
	ON CONFLICT DO NOTHING`,
	`INSERT INTO link_lists (link_id, list_id)
	SELECT kept.id, a.list_id` + sameURLs + `
	JOIN link_lists AS a ON a.link_id = l.id
	WHERE l.user_id = $1 AND l.visible_to IS NOT NULL
	ON CONFLICT DO NOTHING`,
	`UPDATE notes
	SET link_id = moved.kept_id
	FROM (
		SELECT l.id, kept.id AS kept_id` + sameURLs + `
		WHERE l.user_id = $1 AND l.visible_to IS NOT NULL) AS moved
	WHERE notes.link_id = moved.id`,
	`UPDATE links
	SET user_id = $2
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
}

// ofTransferred is the end of a statement on rows of links.
const ofTransferred = `
	SET user_id = $2
	WHERE user_id = $1 AND link_id IN (
		SELECT id
		FROM links
		WHERE user_id = $2)`
