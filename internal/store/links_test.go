package store_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/query"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// The columns with folded texts are NULL if those are equal.
func TestFoldedTextIsStoredIfItDiffers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := storetest.CreateLinks(t, s, ada, waymark.LinkDraft{Link: waymark.Link{
			URL: "https://a.example/", Title: "Straße", Visibility: waymark.Private, Status: waymark.StatusOK,
		}})[0]
		stored := func() []any {
			t.Helper()
			rows, err := s.Rows(t.Context(), "SELECT url_folded, title_folded, description_folded, length(url_hash) FROM links")
			check(t, err)
			return rows[0]
		}
		wantEqual(t, "new link", stored(), []any{nil, "strasse", nil, int64(16)})
		if _, err := s.ChangeLink(t.Context(), ada, link.ID, nil, nil, func(link *waymark.Link, _ waymark.Target) error {
			link.URL, link.Title, link.Description = "https://a.example/B", "strasse", "B"
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "changed link", stored(), []any{"https://a.example/b", nil, "b", int64(16)})
	})
}

// New links are not read before the response needs them. The
// last one is moved to the trash in between.
func TestNewLinksInFullListsAreReadInBatches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		lists := make([]waymark.List, 50)
		inLists := make([]waymark.Ref, len(lists))
		for i := range lists {
			name := fmt.Sprint("list ", i)
			lists[i] = waymark.List{Name: name, Description: strings.Repeat("d", 4000), Visibility: waymark.Private}
			inLists[i] = waymark.Ref{Name: name}
		}
		if _, err := s.CreateLists(t.Context(), ada.ID, lists); err != nil {
			t.Fatal(err)
		}
		drafts := make([]waymark.LinkDraft, query.BatchSize+1)
		for i := range drafts {
			drafts[i] = storetest.Draft(i)
			drafts[i].Lists = inLists
		}
		created, err := s.CreateLinks(t.Context(), ada, drafts)
		check(t, err)
		var got int
		var last waymark.LinkID
		err = created.Stream(t.Context(), s, func(total int, links iter.Seq2[waymark.Link, error]) error {
			for link, err := range links {
				if err != nil {
					return err
				}
				if got++; got == 1 {
					last = link.ID + waymark.LinkID(len(drafts)-1)
					moveToTrash(t, s, ada, waymark.Links, last)
				}
				if len(link.Lists) != len(lists) {
					t.Errorf("link %d has %d lists, want %d", link.ID, len(link.Lists), len(lists))
				}
			}
			return nil
		})
		if err != nil || got != len(drafts)-1 {
			t.Errorf("got %d links, %v, want all but the one that was moved to the trash", got, err)
		}
	})
}
