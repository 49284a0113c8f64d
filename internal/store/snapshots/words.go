package snapshots

import (
	"context"
	"math"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// IndexWords stores the words of a link's snapshot, so that searches find it, and how long its text takes to read. They
// replace those of an older snapshot. It appends the link to the log of changes, which makes cached counts invalid.
func (s *Store) IndexWords(ctx context.Context, q database.Querier, link waymark.LinkID, text string) error {
	return indexWords(ctx, q, s.dialect, link, text)
}

func indexWords(ctx context.Context, q database.Querier, dialect *query.Dialect, link waymark.LinkID, text string) error {
	if _, err := q.Exec(ctx, dialect.SaveSnapshotWords, link, strings.Join(waymark.SnapshotWords(text), " ")); err != nil {
		return err
	}
	return setMinutes(ctx, q, link, waymark.Minutes(text))
}

// ForgetWords deletes the words of a link's snapshot. Triggers do so for a deleted link.
func (s *Store) ForgetWords(ctx context.Context, q database.Querier, link waymark.LinkID) error {
	if _, err := q.Exec(ctx, s.dialect.DeleteSnapshotWords, link); err != nil {
		return err
	}
	return setMinutes(ctx, q, link, 0)
}

// setMinutes writes how long the text of a link takes to read. A trigger appends the link to the log of changes.
func setMinutes(ctx context.Context, q database.Querier, link waymark.LinkID, minutes int) error {
	_, err := q.Exec(ctx, `
		UPDATE links
		SET minutes = $2
		WHERE id = $1`, link, min(minutes, math.MaxUint16))
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
