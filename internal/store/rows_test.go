package store_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// wantBatches fails the test unless a listing reads its entities while emit receives them:
// statements run after the first entity. A listing in one batch runs none.
func wantBatches[T any](t *testing.T, statements *atomic.Int64, stream func(ctx context.Context, emit store.Emit[T]) error, idOf func(*T) int64, wantIDs int, several bool) {
	t.Helper()
	var atFirst int64
	var ids []int64
	err := stream(t.Context(), func(_ int, entities iter.Seq2[T, error]) error {
		for entity, err := range entities {
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				atFirst = statements.Load()
			}
			ids = append(ids, idOf(&entity))
		}
		return nil
	})
	if err != nil || len(ids) != wantIDs {
		t.Fatalf("got %d entities (error %v), want %d", len(ids), err, wantIDs)
	}
	for i, id := range ids {
		if id != int64(i+1) {
			t.Fatalf("got the ids %v, want them in order", ids)
		}
	}
	if later := statements.Load() - atFirst; later > 0 != several {
		t.Errorf("%d statements ran after the first entity, want some: %v", later, several)
	}
}

func TestLargePageIsReadInBatches(t *testing.T) {
	var statements atomic.Int64
	trace := func(string) { statements.Add(1) }
	storetest.EachWith(t, store.Options{Trace: trace}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		const count = 60
		long := strings.Repeat("x", 100_000)
		drafts := make([]waymark.LinkDraft, count)
		lists := make([]waymark.List, 400)
		for i := range lists {
			lists[i] = waymark.List{Name: fmt.Sprintf("%03d", i), Description: strings.Repeat("y", 4000*(i%2)), Visibility: waymark.Private}
		}
		if _, err := s.CreateLists(t.Context(), ada.ID, lists); err != nil {
			t.Fatal(err)
		}
		for i := range drafts {
			drafts[i] = storetest.Draft(i)
			drafts[i].Lists, drafts[i].Tags = nil, nil
			if i%2 == 0 {
				drafts[i].Link.Description = long
			} else {
				for n := range 50 {
					drafts[i].Lists = append(drafts[i].Lists, waymark.Ref{ID: int64(1 + (i*50+n)%400)})
				}
			}
		}
		storetest.CreateLinks(t, s, ada, drafts...)
		for i := range count {
			if _, err := s.CreateNote(t.Context(), waymark.Note{Owner: ada.ID, Link: 1, Text: fmt.Sprint(i, long), Visibility: waymark.Private}); err != nil {
				t.Fatal(err)
			}
		}
		first := waymark.Pagination{Limit: count}
		linkID := func(l *waymark.Link) int64 { return int64(l.ID) }
		noteID := func(n *waymark.Note) int64 { return int64(n.ID) }
		listID := func(l *waymark.List) int64 { return int64(l.ID) }

		wantBatches(t, &statements, s.Links(ada.ID, byID, first).Stream, linkID, count, true)
		wantBatches(t, &statements, s.Links(ada.ID, byID, unlimited).Stream, linkID, count, true)
		wantBatches(t, &statements, s.SearchLinks(ada.ID, where(inURL("h")), byID, waymark.Pagination{Limit: 100}).Stream, linkID, count, true)
		wantBatches(t, &statements, s.Lists(ada.ID, byID, waymark.Pagination{Limit: 500}).Stream, listID, 400, false)
		wantBatches(t, &statements, s.SuggestLists(ada.ID, "", waymark.NoLimit).Stream, listID, 400, false)
		wantBatches(t, &statements, s.NotesOfLink(ada.ID, 1, waymark.Pagination{Limit: 100}).Stream, noteID, count, true)
		wantBatches(t, &statements, s.Links(ada.ID, byID, waymark.Pagination{Limit: 5}).Stream, linkID, 5, false)
		var ids []int64
		for i := range count {
			ids = append(ids, int64(i+1))
		}
		edited, err := s.EditLinks(t.Context(), ada, ids, waymark.BulkEdit{})
		check(t, err)
		wantBatches(t, &statements, func(ctx context.Context, emit store.Emit[waymark.Link]) error { return edited.Stream(ctx, s, emit) }, linkID, count, true)
		if _, err := s.DeleteMany(t.Context(), ada, waymark.Links, ids); err != nil {
			t.Fatal(err)
		}
		before := statements.Load()
		wantBatches(t, &statements, s.TrashedLinks(ada.ID).Stream, linkID, count, true)
		streamed := statements.Load() - before
		one, err := s.TrashedLinks(ada.ID).Page(t.Context())
		if paged := statements.Load() - before - streamed; paged != streamed {
			t.Errorf("%d statements read a page, want the %d of a stream", paged, streamed)
		}
		if err != nil || len(one.Entities[1].Lists) != 50 || len(one.Entities[0].Description) != len(long) {
			t.Errorf("got links without their texts or lists (error %v)", err)
		}
	})
}
