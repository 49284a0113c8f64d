package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// reverter undoes recorded changes in one transaction.
type reverter struct {
	s             *Store
	q             database.Querier
	user          waymark.UserID
	request       context.Context //nolint:containedctx // the context of the transaction does not end with the request
	done, skipped map[entityID]bool
}

func newReverter(request context.Context, s *Store, q database.Querier, user waymark.UserID) *reverter {
	return &reverter{s: s, q: q, user: user, request: request, done: map[entityID]bool{}, skipped: map[entityID]bool{}}
}

// entityID is the id of an entity of any kind.
type entityID struct {
	kind waymark.EntityKind
	id   int64
}

func (u *reverter) result() waymark.UndoResult {
	for e := range u.skipped {
		delete(u.done, e)
	}
	return waymark.UndoResult{Done: len(u.done), Skipped: len(u.skipped)}
}

// note counts each of the ids as done if it is in done, and as skipped otherwise.
func (u *reverter) note(kind waymark.EntityKind, ids []int64, done map[int64]bool) {
	for _, id := range ids {
		if done[id] {
			u.done[entityID{kind, id}] = true
		} else {
			u.skipped[entityID{kind, id}] = true
		}
	}
}

// linksOf returns the links of pairs, each once.
func linksOf(pairs [][2]int64) []int64 {
	ids := waymark.Map(pairs, func(pair [2]int64) int64 { return pair[0] })
	return table.Unique(ids)
}

func setOf(ids []int64) map[int64]bool {
	set := make(map[int64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
