package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Once calls do and stores the response that do returns, in one transaction with the changes
// that do makes through its store. If a response is stored for the key already, Once returns
// that one instead. So a client that does not know the result of a request can send it again.
//
// If do returns an error, Once returns it and nothing is stored. do may run more than once: see
// database.DB.WriteTx.
func (s *Store) Once(ctx context.Context, r OnceRequest, do func(ctx context.Context, s *Store) (Response, error)) (Response, error) {
	running := runningKey{r.User, r.Key}
	if !s.idempotency.begin(running) {
		return Response{}, ErrKeyInProgress
	}
	defer s.idempotency.end(running)
	var response Response
	once := func(ctx context.Context, q database.Querier) error {
		// On PostgreSQL the request may be running on another server, or its COMMIT may still
		// be waiting.
		switch free, err := q.TryLock(ctx, r.lock()); {
		case err != nil:
			return err
		case !free:
			return ErrKeyInProgress
		}
		stored, found, err := s.storedResponse(ctx, q, r)
		if err != nil || found {
			response = stored
			return err
		}
		if response, err = do(ctx, s.within(q)); err != nil {
			return err
		}
		return s.storeResponse(ctx, q, r, response)
	}
	err := s.bulkIf(ctx, r.Bulk, r.User, s.db.WriteTx, once)
	return response, err
}

// lock returns the key of the lock that a transaction holds for the request.
func (r OnceRequest) lock() int64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "idempotency key %d %s", r.User, r.Key))
	return int64(binary.BigEndian.Uint64(sum[:])) //nolint:gosec // any 64 bits
}

// storedResponse returns the response that is stored for the key of a request, if there is
// one. It returns ErrKeyReused if that belongs to another request.
func (s *Store) storedResponse(ctx context.Context, q database.Querier, r OnceRequest) (response Response, found bool, err error) {
	type row struct {
		Response
		hash    []byte
		created waymark.Time
	}
	scan := func(rows *sql.Rows, into *row) error {
		return rows.Scan(&into.hash, &into.created, &into.Status, &into.Body)
	}
	stored, err := database.QueryOne(ctx, q, scan, `
		SELECT request_hash, created_at, status, response
		FROM idempotency_keys
		WHERE user_id = $1 AND idempotency_key = $2`, r.User, r.Key)
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		return Response{}, false, nil
	case err != nil:
		return Response{}, false, err
	case stored.created < s.now().Add(-s.idempotency.age):
		_, err := q.Exec(ctx, `
			DELETE FROM idempotency_keys
			WHERE user_id = $1 AND idempotency_key = $2`, r.User, r.Key)
		return Response{}, false, err
	case string(stored.hash) != string(r.Hash[:]):
		return Response{}, false, ErrKeyReused
	case stored.Status == 0:
		return Response{}, false, ErrResponseEmptied
	}
	return stored.Response, true, nil
}

// storeResponse stores a response, and deletes the oldest ones of the user that no longer
// fit. The position of a response is the number of bytes of all earlier ones, so the newest
// row and a range of an index show which those are.
func (s *Store) storeResponse(ctx context.Context, q database.Querier, r OnceRequest, response Response) error {
	if int64(len(response.Body)) > s.idempotency.maxBytes {
		return ErrResponseTooLarge
	}
	position, err := database.QueryOne(ctx, q, database.ScanValue[int64], `
		SELECT position + bytes
		FROM idempotency_keys
		WHERE user_id = $1
		ORDER BY position DESC
		LIMIT 1`, r.User)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	bytes := min(s.idempotency.maxBytes, max(minResponseBytes, int64(len(response.Body))))
	others := 0
	if response.Others {
		others = 1
	}
	if _, err := q.Exec(ctx, `
		INSERT INTO idempotency_keys (user_id, idempotency_key, request_hash, created_at, position, bytes, status, response, others)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		r.User, r.Key, r.Hash[:], s.now(), position, bytes, response.Status, response.Body, others); err != nil {
		return err
	}
	_, err = q.Exec(ctx, `
		DELETE FROM idempotency_keys
		WHERE user_id = $1 AND position < $2`, r.User, position+bytes-s.idempotency.maxBytes)
	return err
}

// PruneResponses deletes the responses of Once that are too old. Call it regularly.
func (s *Store) PruneResponses(ctx context.Context) error {
	return s.pruneOld(ctx, "idempotency_keys", "user_id, idempotency_key", s.now().Add(-s.idempotency.age))
}
