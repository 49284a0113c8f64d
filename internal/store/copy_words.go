package store

import (
	"context"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/waymark"
)

// indexCopyWords stores the words of the copy of a link's page, so that searches find it, in place
// of those of an older copy. It appends the link to the log of changes, which makes cached counts
// invalid.
func (s *Store) indexCopyWords(ctx context.Context, q database.Querier, link waymark.LinkID, text string) error {
	if _, err := q.Exec(ctx, s.dialect.SaveCopyWords, link, strings.Join(waymark.CopyWords(text), " ")); err != nil {
		return err
	}
	return logLink(ctx, q, link)
}

// forgetCopyWords deletes the words of the copy of a link's page. Triggers delete those of a
// deleted link.
func (s *Store) forgetCopyWords(ctx context.Context, q database.Querier, link waymark.LinkID) error {
	if _, err := q.Exec(ctx, s.dialect.DeleteCopyWords, link); err != nil {
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

// HasCopies reports whether there are copies of pages to search. It runs no statement:
// RefreshSearchIndex looks for copies until it has found one.
func (s *Store) HasCopies() bool { return s.hasCopies.Load() }

// lookForCopies makes HasCopies true if there is a copy.
func (s *Store) lookForCopies(ctx context.Context) error {
	if s.hasCopies.Load() {
		return nil
	}
	found, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[bool], "SELECT EXISTS (SELECT 1 FROM copy_words)")
	if found {
		s.hasCopies.Store(true)
	}
	return err
}

// findCopies adds the ids of the links that satisfy the texts of a query of the index because of
// the copies of their pages, of all users.
func (s *Store) findCopies(ctx context.Context, q database.Querier, iq *linkindex.Query) error {
	for i := range iq.Texts {
		text := &iq.Texts[i]
		if text.CopyQuery == "" {
			continue
		}
		ids, err := database.QueryOne(ctx, q, database.ScanValue[string], s.dialect.CopyIDs, text.CopyQuery)
		if err != nil {
			return err
		}
		if text.Copies, err = database.DecodeIDs(ids); err != nil {
			return err
		}
	}
	return nil
}
