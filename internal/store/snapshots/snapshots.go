// Package snapshots stores what is kept of the pages of links: text snapshots with the words that
// searches find, full snapshots, and pictures.
package snapshots

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"waymark/internal/database"
	"waymark/internal/fetch/article"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Store reads and writes the snapshots and pictures of a database.
type Store struct {
	db      *database.DB
	dialect *query.Dialect
	now     func() waymark.Time
	any     atomic.Bool // see Any
}

// New returns the snapshots of a database.
func New(db *database.DB, now func() waymark.Time) *Store {
	return &Store{db: db, dialect: query.NewDialect(db.Kind()), now: now}
}

// Exchange gives each of two links the snapshot that the other one has in a table, the text snapshots or the full ones.
func (s *Store) Exchange(ctx context.Context, q database.Querier, name string, one, other waymark.LinkID) error {
	columns := FullSnapshots.ColumnTypes()
	if name == TextSnapshots.Name {
		columns = TextSnapshots.ColumnTypes()
	}
	var set []string
	for _, c := range columns {
		if c.Name != "link_id" && c.Name != "user_id" {
			set = append(set, c.Name+" = o."+c.Name)
		}
	}
	n, err := q.Exec(ctx, `
		UPDATE `+name+`
		SET `+strings.Join(set, ", ")+`
		FROM (
			SELECT *
			FROM `+name+`
			WHERE link_id IN ($1, $2)) AS o
		WHERE `+name+`.link_id IN ($1, $2) AND o.link_id <> `+name+`.link_id`, one, other)
	if err == nil && n == 0 { // only one has a snapshot
		_, err = q.Exec(ctx, `
			UPDATE `+name+`
			SET link_id = $1 + $2 - link_id
			WHERE link_id IN ($1, $2)`, one, other)
	}
	if err != nil || name != TextSnapshots.Name {
		return err
	}
	for _, link := range []waymark.LinkID{one, other} {
		html, err := storedHTML(ctx, q, name, link, maxTextSize)
		if errors.Is(err, waymark.ErrNotFound) {
			err = s.ForgetWords(ctx, q, link)
		} else if err == nil {
			err = s.IndexWords(ctx, q, link, article.Text(html))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
