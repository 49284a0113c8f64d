package snapshots

import (
	"context"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// IndexWords stores the words of a link's snapshot, so that searches find it. They replace the words
// of an older snapshot. It appends the link to the log of changes, which makes cached counts invalid.
func (s *Store) IndexWords(ctx context.Context, q database.Querier, link waymark.LinkID, text string) error {
	return indexWords(ctx, q, s.dialect, link, text)
}

func indexWords(ctx context.Context, q database.Querier, dialect *query.Dialect, link waymark.LinkID, text string) error {
	if _, err := q.Exec(ctx, dialect.SaveSnapshotWords, link, strings.Join(waymark.SnapshotWords(text), " ")); err != nil {
		return err
	}
	return logLink(ctx, q, link)
}

// ForgetWords deletes the words of a link's snapshot. Triggers do so for a deleted link.
func (s *Store) ForgetWords(ctx context.Context, q database.Querier, link waymark.LinkID) error {
	if _, err := q.Exec(ctx, s.dialect.DeleteSnapshotWords, link); err != nil {
		return err
	}
	return logLink(ctx, q, link)
}

// logLink appends a link to the log of changes.
func logLink(ctx context.Context, q database.Querier, link waymark.LinkID) error {
	_, err := q.Exec(ctx, `
		INSERT INTO changes (entity, id)
		VALUES ('links', $1)`, link)
	return err
}

// Any reports whether there are snapshots of pages to search. It runs no statement:
// RefreshSearchIndex looks for snapshots until it has found one.
func (s *Store) Any() bool { return s.any.Load() }

// LookForAny makes Any true if there is a snapshot.
func (s *Store) LookForAny(ctx context.Context) error {
	if s.any.Load() {
		return nil
	}
	found, err := database.Exists(ctx, s.db.Querier(), "snapshot_words")
	if found {
		s.any.Store(true)
	}
	return err
}
