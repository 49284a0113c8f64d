package service

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"waymark/internal/auth"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// UndoOptions say who may undo a change, and what kind of change it is.
type UndoOptions struct {
	User    waymark.User
	Session waymark.SessionID // the change can only be undone in the same session
	APIKey  waymark.APIKeyID  // instead of a session, if a program makes the change: see Syncs
	Bulk    bool              // the change is one of many entities

	// Series is the token of several changes, one for each number. Each can be undone alone, and all together. "" for a
	// change with a token of its own.
	Series string
	Number int64
}

// NewSeries returns a token for UndoOptions.Series.
func NewSeries() string {
	token, _ := auth.NewToken()
	return token
}

// hashInSeries returns the hash under which a change of a series is stored.
func hashInSeries(series string, number int64) ([]byte, error) {
	hash, ok := auth.TokenHash(series)
	if !ok {
		return nil, waymark.ErrNotFound
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(hash, uint64(number))) //nolint:gosec // any bits will do
	return sum[:], nil
}

// WithUndo calls do, and returns the right to undo the changes that do makes through its
// Service. All of them are one transaction. On PostgreSQL do may run more than once, so it must
// assign its results. It has no searches: call SelectLinks
// before.
func (s *Service) WithUndo(ctx context.Context, o UndoOptions, do func(ctx context.Context, s *Service) error) (waymark.Undo, error) {
	token, hash := auth.NewToken()
	if o.Series != "" {
		var err error
		if hash, err = hashInSeries(o.Series, o.Number); err != nil {
			return waymark.Undo{}, err
		}
	}
	r := store.UndoRequest{User: o.User.ID, Session: o.Session, APIKey: o.APIKey, Hash: hash, Bulk: o.Bulk}
	ok, err := s.Undoable(ctx, r, func(ctx context.Context, tx *store.Store) error { return do(ctx, s.within(tx)) })
	if !ok || err != nil {
		return waymark.Undo{}, err
	}
	return waymark.Undo{Token: token}, nil
}

// Undo undoes a change once: see store.Store.Undo. It returns waymark.ErrNotFound if the token is
// unknown, used, a day old, or belongs to another session or API key.
func (s *Service) Undo(ctx context.Context, o UndoOptions, token string) (waymark.UndoResult, error) {
	hash, ok := auth.TokenHash(token)
	if !ok {
		return waymark.UndoResult{}, waymark.ErrNotFound
	}
	return s.Store.Undo(ctx, store.UndoRequest{User: o.User.ID, Session: o.Session, APIKey: o.APIKey, Hash: hash})
}

// UndoSeries undoes the changes of a series that have these numbers, as Undo does.
func (s *Service) UndoSeries(ctx context.Context, o UndoOptions, numbers []int64) (waymark.UndoResult, error) {
	var hashes [][]byte
	for _, number := range numbers {
		hash, err := hashInSeries(o.Series, number)
		if err != nil {
			return waymark.UndoResult{}, err
		}
		hashes = append(hashes, hash)
	}
	if len(hashes) == 0 {
		return waymark.UndoResult{}, waymark.ErrNotFound
	}
	return s.Store.Undo(ctx, store.UndoRequest{User: o.User.ID, Session: o.Session, Hash: hashes[0]}, hashes[1:]...)
}

// within returns the service on a transaction.
func (s *Service) within(tx *store.Store) *Service {
	return New(tx)
}
