package store

import (
	"context"
	"errors"
	"iter"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// reader returns the entities with these ids, in that order, with what the viewer sees of their fields
// in other tables. ids are at most query.BatchSize. Ids without a row are left out. It returns
// errLargeBatch if several entities take more than batchBytes.
type reader[T any] func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]T, error)

// condition returns a condition on the row e. A nil condition is always satisfied.
type condition = query.Condition

// readRows yields the entities with these ids in order. It reads them in batches, while the caller
// iterates, so about batchBytes are in memory at a time. Between two batches it uses no connection.
func readRows[T any](ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64, read reader[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for batch, err := range readBatches(ctx, q, viewer, ids, read) {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entity := range batch {
				if !yield(entity, nil) {
					return
				}
			}
		}
	}
}

// readBatches is readRows, but yields the batches. A batch that is too large is read again in halves.
func readBatches[T any](ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64, read reader[T]) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		for n := query.BatchSize; len(ids) > 0; {
			n = min(n, len(ids))
			batch, err := read(ctx, q, viewer, ids[:n])
			if errors.Is(err, errLargeBatch) {
				n /= 2
				continue
			}
			if !yield(batch, err) || err != nil {
				return
			}
			ids = ids[n:]
			n = min(2*n, query.BatchSize)
		}
	}
}

// collect returns the entities of a sequence, about n of them.
func collect[T any](entities iter.Seq2[T, error], n int) ([]T, error) {
	all := slices.Grow([]T(nil), n)
	for entity, err := range entities {
		if err != nil {
			return nil, err
		}
		all = append(all, entity)
	}
	return all, nil
}

// readAll reads any number of entities.
func readAll[T any](ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64, read reader[T]) ([]T, error) {
	return collect(readRows(ctx, q, viewer, ids, read), len(ids))
}

// batchBytes is about the maximum memory of a batch, unless it has a single entity.
const batchBytes = 1 << 20

// errLargeBatch means that entities take more than batchBytes. They can be read in smaller batches.
var errLargeBatch = errors.New("the rows are too large for one batch")

// inOrder returns rows in the order of their ids. It skips ids without a row.
func inOrder[T any](ids []int64, idOf func(*T) int64, sizeOf func(*T) int, rows iter.Seq2[T, error]) ([]T, error) {
	index := make(map[int64]int, len(ids))
	for i, id := range ids {
		index[id] = i
	}
	found := make([]T, len(ids))
	filled := make([]bool, len(ids))
	size := 0
	var row T // outside the loop: it is allocated once
	for read, err := range rows {
		if err != nil {
			return nil, err
		}
		row = read
		if size += sizeOf(&row); size > batchBytes && len(ids) > 1 {
			return nil, errLargeBatch
		}
		i := index[idOf(&row)]
		found[i], filled[i] = row, true
	}
	ordered := found[:0]
	for i := range found {
		if filled[i] {
			ordered = append(ordered, found[i])
		}
	}
	return ordered, nil
}

// The sizes of entities in memory, without their texts.
const (
	linkBytes = 350
	listBytes = 150
	tagBytes  = 120
	noteBytes = 120
)

func sizeOfLink(l *waymark.Link) int {
	size := linkBytes + len(l.URL) + len(l.Title) + len(l.Description) + len(l.ImageURL)
	for i := range l.Lists {
		size += sizeOfList(&l.Lists[i])
	}
	for i := range l.Tags {
		size += sizeOfTag(&l.Tags[i])
	}
	return size
}

func sizeOfList(l *waymark.List) int { return listBytes + len(l.Name) + len(l.Description) }
func sizeOfTag(t *waymark.Tag) int   { return tagBytes + len(t.Name) }
func sizeOfNote(n *waymark.Note) int { return noteBytes + len(n.Text) }
