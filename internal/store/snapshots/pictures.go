package snapshots

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// unusedPictureTime is how long a picture without a link is kept after a link got it. It is longer
// than a transaction, so that a link does not lose the picture that it is just getting.
const unusedPictureTime = time.Hour

// maxDeletedPictures is the maximum number of pictures that one transaction deletes.
const maxDeletedPictures = 200

// SetLinkPicture gives a link a picture of a kind, unless it was deleted or has another URL.
func (s *Store) SetLinkPicture(ctx context.Context, page queue.ClaimedPage, kind waymark.PictureKind, picture waymark.Picture) error {
	return table.UserTx(ctx, s.db, page.Owner, func(ctx context.Context, q database.Querier) error {
		a := q.Args()
		if _, err := q.Exec(ctx, `
			INSERT INTO pictures (hash, type, width, height, bytes, used_at, data)
			VALUES (`+a.Add(picture.Hash)+`, `+a.Add(picture.Type)+`, `+a.Add(picture.Width)+`, `+a.Add(picture.Height)+`, `+a.Add(len(picture.Data))+`, `+a.Add(s.now())+`, `+a.Unhex(a.Add(hex.EncodeToString(picture.Data)))+`)
			ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at`, a.Values...); err != nil {
			return err
		}
		_, err := q.Exec(ctx, `
			INSERT INTO link_pictures (link_id, kind, hash)
			SELECT e.id, $2, $3
			FROM links AS e
			WHERE e.id = $1 AND e.url = $4
			ON CONFLICT (link_id, kind) DO UPDATE SET hash = excluded.hash`, page.Link, kind, picture.Hash, page.URL)
		return err
	})
}

// LinkPictures returns the pictures, without data, of those links that the viewer sees.
func (s *Store) LinkPictures(ctx context.Context, viewer waymark.UserID, links []waymark.LinkID) (map[waymark.LinkID]waymark.LinkPictures, error) {
	found := map[waymark.LinkID]waymark.LinkPictures{}
	if len(links) == 0 {
		return found, nil
	}
	type linkPicture struct {
		link    waymark.LinkID
		kind    waymark.PictureKind
		picture waymark.Picture
	}
	scan := func(rows *sql.Rows, p *linkPicture) error {
		return rows.Scan(&p.link, &p.kind, &p.picture.Hash, &p.picture.Type, &p.picture.Width, &p.picture.Height)
	}
	q := s.db.Querier()
	a := q.Args()
	all, err := database.QueryAll(ctx, q, scan, `
		SELECT u.link_id, u.kind, i.hash, i.type, i.width, i.height
		FROM link_pictures AS u
		JOIN pictures AS i ON i.hash = u.hash
		JOIN links AS e ON e.id = u.link_id
		WHERE u.link_id `+database.In(a, links)+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer), a.Values...)
	for _, p := range all {
		of := found[p.link]
		if p.kind == waymark.SiteIcon {
			of.Icon = &p.picture
		} else {
			of.Thumbnail = &p.picture
		}
		found[p.link] = of
	}
	return found, err
}

// Picture returns a picture of a link that the viewer sees, or waymark.ErrNotFound.
func (s *Store) Picture(ctx context.Context, viewer waymark.UserID, hash string) (waymark.Picture, error) {
	if !table.StorableText(hash) {
		return waymark.Picture{}, waymark.ErrNotFound
	}
	scan := func(rows *sql.Rows, p *waymark.Picture) error {
		return rows.Scan(&p.Hash, &p.Type, &p.Width, &p.Height, &p.Data)
	}
	q := s.db.Querier()
	a := q.Args()
	return database.QueryOne(ctx, q, scan, `
		SELECT i.hash, i.type, i.width, i.height, i.data
		FROM pictures AS i
		WHERE i.hash = `+a.Add(hash)+` AND EXISTS (
			SELECT 1
			FROM link_pictures AS u
			JOIN links AS e ON e.id = u.link_id
			WHERE u.hash = i.hash AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer)+`)`, a.Values...)
}

// PictureBytes returns the bytes of all pictures, also of those that no link has any more.
func (s *Store) PictureBytes(ctx context.Context) (int64, error) {
	return database.QueryOne(ctx, s.db.Querier(), database.ScanValue[int64], `
		SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT)
		FROM pictures`)
}

// takenPictureTime is how long after a link got a picture another user can take its space. It is longer than
// a transaction, so that no link loses the picture that it is just getting.
const takenPictureTime = time.Minute

// TakePictureSpace makes room for a user's pictures. It deletes pictures of the user who has the most, if
// nobody else has them, the oldest first. That user keeps at least twice as many bytes, so that two users
// do not take from each other in turn. It returns the bytes of what it has deleted.
func (s *Store) TakePictureSpace(ctx context.Context, owner waymark.UserID) (freed int64, err error) {
	used, err := database.QueryMap[waymark.UserID, int64](ctx, s.db.Querier(), `
		SELECT h.user_id, CAST(sum(i.bytes) AS BIGINT)
		FROM (
			SELECT DISTINCT e.user_id, u.hash
			FROM link_pictures AS u
			JOIN links AS e ON e.id = u.link_id) AS h
		JOIN pictures AS i ON i.hash = h.hash
		GROUP BY h.user_id`)
	if err != nil {
		return 0, err
	}
	var most waymark.UserID
	for user, bytes := range used {
		if bytes > used[most] {
			most = user
		}
	}
	spare := used[most] - 2*used[owner]
	if spare <= 0 {
		return 0, nil
	}
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		freed, err = deletePicturesOf(ctx, q, most, s.now().Add(-takenPictureTime), spare/2)
		return err
	})
	return freed, err
}

// deletePicturesOf deletes up to maxDeletedPictures that only links of one user have, and that none got
// after until, until it has freed enough bytes.
func deletePicturesOf(ctx context.Context, q database.Querier, user waymark.UserID, until waymark.Time, enough int64) (freed int64, err error) {
	hashes, err := database.QueryAll(ctx, q, database.ScanValue[string], `
		SELECT i.hash
		FROM pictures AS i
		WHERE i.used_at <= $2 AND EXISTS (
			SELECT 1
			FROM link_pictures AS u
			JOIN links AS e ON e.id = u.link_id
			WHERE u.hash = i.hash AND e.user_id = $1) AND NOT EXISTS (
			SELECT 1
			FROM link_pictures AS u
			JOIN links AS e ON e.id = u.link_id
			WHERE u.hash = i.hash AND e.user_id <> $1)
		ORDER BY i.used_at
		LIMIT $3`, user, until, maxDeletedPictures)
	if err != nil {
		return 0, err
	}
	for _, hash := range hashes {
		if freed >= enough {
			break
		}
		if _, err := q.Exec(ctx, `
			DELETE FROM link_pictures
			WHERE hash = $1`, hash); err != nil {
			return 0, err
		}
		// A link that gets the picture now has changed used_at, so that the row is kept.
		bytes, err := database.QueryOne(ctx, q, database.ScanValue[int64], `
			DELETE FROM pictures
			WHERE hash = $1 AND used_at <= $2
			RETURNING bytes`, hash, until)
		if err != nil && !errors.Is(err, waymark.ErrNotFound) {
			return 0, err
		}
		freed += bytes
	}
	return freed, nil
}

// PrunePictures deletes pictures that no link has, except those given in the last hour.
func (s *Store) PrunePictures(ctx context.Context) error {
	for ctx.Err() == nil {
		var deleted int64
		if err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
			// A link that gets the picture now changes used_at, so that the row is kept.
			deleted, err = q.Exec(ctx, `
				DELETE FROM pictures
				WHERE used_at < $1 AND hash IN (
					SELECT i.hash
					FROM pictures AS i
					WHERE i.used_at < $1 AND NOT EXISTS (
						SELECT 1
						FROM link_pictures AS u
						WHERE u.hash = i.hash)
					LIMIT $2)`, s.now().Add(-unusedPictureTime), maxDeletedPictures)
			return err
		}); err != nil || deleted < maxDeletedPictures {
			return err
		}
	}
	return ctx.Err()
}
