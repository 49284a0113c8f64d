package snapshots

import (
	"context"
	"database/sql"
	"errors"

	"waymark/internal/database"
	"waymark/internal/fetch/article"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// stored is the content of a snapshot.
type stored struct {
	link    waymark.LinkID
	bytes   int
	content []byte
}

// eachStored calls use with each snapshot of a table, one after the other.
func eachStored(ctx context.Context, q database.Querier, table string, use func(stored) error) error {
	scan := func(rows *sql.Rows, c *stored) error { return rows.Scan(&c.link, &c.bytes, &c.content) }
	last := waymark.LinkID(0)
	for {
		row, err := database.QueryOne(ctx, q, scan, `
			SELECT link_id, bytes, content
			FROM `+table+`
			WHERE link_id > $1
			ORDER BY link_id
			LIMIT 1`, last)
		if errors.Is(err, waymark.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := use(row); err != nil {
			return err
		}
		last = row.link
	}
}

// DamagedTexts returns the links whose text snapshots cannot be read, and the number of all text snapshots.
func DamagedTexts(ctx context.Context, q database.Querier) (damaged []waymark.LinkID, total int, err error) {
	return damagedIn(ctx, q, TextSnapshots.Name, maxTextSize)
}

// DamagedFull returns the links whose full snapshots cannot be read, and the number of all full snapshots.
func DamagedFull(ctx context.Context, q database.Querier) (damaged []waymark.LinkID, total int, err error) {
	return damagedIn(ctx, q, FullSnapshots.Name, singlefile.MaxBytes)
}

// DamagedPictures returns the hashes of the pictures whose data have another one, and the number of all pictures.
func DamagedPictures(ctx context.Context, q database.Querier) (damaged []string, total int, err error) {
	scan := func(rows *sql.Rows, p *waymark.Picture) error { return rows.Scan(&p.Hash, &p.Data) }
	for p, err := range database.QueryEach(ctx, q, scan, "SELECT hash, data FROM pictures") {
		if err != nil {
			return nil, 0, err
		}
		if total++; waymark.PictureHash(p.Data) != p.Hash {
			damaged = append(damaged, p.Hash)
		}
	}
	return damaged, total, nil
}

// damagedIn returns the links whose snapshots in a table cannot be read, and the number of all snapshots
// in it. The HTML of a snapshot has at most maxSize bytes.
func damagedIn(ctx context.Context, q database.Querier, name string, maxSize uint64) (damaged []waymark.LinkID, total int, err error) {
	err = eachStored(ctx, q, name, func(c stored) error {
		total++
		if _, err := decompress(c.content, maxSize); err != nil || len(c.content) != c.bytes {
			damaged = append(damaged, c.link)
		}
		return nil
	})
	return damaged, total, err
}

// IndexAll stores the words and minutes of all snapshots again. Snapshots that cannot be read are left out.
func IndexAll(ctx context.Context, q database.Querier, dialect *query.Dialect) error {
	for _, statement := range []string{"DELETE FROM snapshot_words", "UPDATE links SET minutes = 0 WHERE minutes > 0"} {
		if _, err := q.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return eachStored(ctx, q, TextSnapshots.Name, func(c stored) error {
		html, err := decompress(c.content, maxTextSize)
		if err != nil {
			return nil //nolint:nilerr // waymark doctor reports it
		}
		return indexWords(ctx, q, dialect, c.link, article.Text(html))
	})
}
