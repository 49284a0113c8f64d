package store

import (
	"context"
	"errors"
	"iter"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// readPieces yields the entities with these ids in order, piece by piece.
func readPieces[T any](ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64, read reader[T]) iter.Seq2[[]T, error] {
	return inPieces(ids, func(ids []int64) ([]T, error) {
		piece, err := read(ctx, q, viewer, ids)
		if err == nil && len(piece) != len(ids) {
			err = errMissingRows
		}
		return piece, err
	})
}

// inPieces calls read with as many of the ids at a time as one piece can have, and yields
// the pieces.
func inPieces[T any](ids []int64, read func(ids []int64) ([]T, error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		for n := query.BatchSize; len(ids) > 0; {
			n = min(n, len(ids))
			piece, err := read(ids[:n])
			if errors.Is(err, errLargePiece) {
				n /= 2
				continue
			}
			if !yield(piece, err) || err != nil {
				return
			}
			ids = ids[n:]
			n = min(2*n, query.BatchSize)
		}
	}
}

// oneByOne yields the entities of pieces, and reads one piece ahead.
func oneByOne[T any](pieces iter.Seq2[[]T, error]) iter.Seq2[T, error] {
	return inSequence(readAhead(pieces))
}

// inSequence yields the entities of pieces. Unlike oneByOne it reads nothing ahead: the transaction
// can be used by others between two entities.
func inSequence[T any](pieces iter.Seq2[[]T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for piece, err := range pieces {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entity := range piece {
				if !yield(entity, nil) {
					return
				}
			}
		}
	}
}

// errMissingRows means that entities are missing although their ids were found in the same
// snapshot.
var errMissingRows = errors.New("rows of a result are missing")

// readAll reads any number of entities.
func readAll[T any](ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64, read reader[T]) ([]T, error) {
	entities := make([]T, 0, len(ids))
	for piece, err := range readPieces(ctx, q, viewer, ids, read) {
		if err != nil {
			return nil, err
		}
		entities = append(entities, piece...)
	}
	return entities, nil
}
