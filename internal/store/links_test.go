package store_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestCreateLinksStoresEveryField(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := waymark.Link{
			URL:           "https://example.org/Ünïcode?a=1&b=<2>#\"quoted\"'\\\u2028",
			Title:         "A\ttitle, with 'quotes', \"more\" and \\ 🌍 \u2029 \uFFFD <b>",
			Description:   "Lines\nof\r\ntext, %d $1 ? {}",
			ImageURL:      "https://example.org/a.png",
			Visibility:    waymark.Internal,
			Status:        waymark.StatusMoved,
			CheckDisabled: true,
		}
		created := storetest.CreateLinks(t, s, ada, waymark.LinkDraft{Link: link})[0]
		if created.ID <= 0 || created.CreatedAt == 0 || created.UpdatedAt != created.CreatedAt {
			t.Errorf("created link has id %d and times %s, %s", created.ID, created.CreatedAt, created.UpdatedAt)
		}
		link.ID, link.Owner, link.CreatedAt, link.UpdatedAt = created.ID, ada.ID, created.CreatedAt, created.UpdatedAt
		wantEqual(t, "created link", created, link)
		got, err := s.Link(t.Context(), ada.ID, created.ID)
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "link when read again", got, link)
	})
}

func TestCreateLinksReturnsLinksInOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		created := storetest.Fill(t, s, ada, 1000)
		read := allLinks(t, s, ada)
		for i, link := range created {
			if link.URL != storetest.Draft(i).Link.URL || link.Title != storetest.Draft(i).Link.Title {
				t.Fatalf("link %d is %s, want %s", i, link.URL, storetest.Draft(i).Link.URL)
			}
			wantEqual(t, fmt.Sprint("link ", i), read[i], link)
		}
	})
}

func TestCreateLinksRejectsURLsThatExist(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		storetest.Link(t, s, ada, "https://go.dev/", waymark.Private)
		drafts := make([]waymark.LinkDraft, 5)
		for i, url := range []string{"https://a.example/", "https://go.dev/", "https://b.example/", "https://a.example/", "https://GO.dev/"} {
			drafts[i].Link = waymark.Link{URL: url, Title: "x", Visibility: waymark.Private, Status: waymark.StatusOK}
		}
		drafts[0].Tags = refs("not created")
		_, err := s.CreateLinks(t.Context(), ada, drafts)
		var conflict *waymark.ConflictError
		if !errors.Is(err, waymark.ErrConflict) || !errors.As(err, &conflict) {
			t.Fatalf("got error %v, want a ConflictError", err)
		}
		wantEqual(t, "indexes of existing URLs", conflict.Indexes, []int{1, 3})
		if links := allLinks(t, s, ada); len(links) != 1 {
			t.Errorf("got %d links, want only the first one", len(links))
		}
		if tags, err := s.SuggestTags(ada.ID, "", 0).Page(t.Context()); err != nil || tags.Total != 0 {
			t.Errorf("got tags %v (error %v) of links that were not created", tags, err)
		}
		storetest.Link(t, s, bob, "https://go.dev/", waymark.Public) // another owner
	})
}

func TestConcurrentCreatesOfOneURLSucceedOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var created, rejected atomic.Int32
		var writers sync.WaitGroup
		for range 20 {
			writers.Go(func() {
				draft := waymark.LinkDraft{Link: waymark.Link{URL: "https://go.dev/", Title: "Go", Visibility: waymark.Private, Status: waymark.StatusOK}}
				draft.Tags, draft.Lists = refs("new tag"), refs("new list")
				switch _, err := s.CreateLinks(t.Context(), ada, []waymark.LinkDraft{draft}); {
				case err == nil:
					created.Add(1)
				case errors.Is(err, waymark.ErrConflict):
					rejected.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		writers.Wait()
		if created.Load() != 1 || rejected.Load() != 19 {
			t.Errorf("%d created, %d rejected, want 1 and 19", created.Load(), rejected.Load())
		}
	})
}

func TestChangeLinkRejectsAURLThatExists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Link(t, s, ada, "https://a.example/", waymark.Private)
		link := storetest.Link(t, s, ada, "https://b.example/", waymark.Private)
		tags := refs("not created")
		_, err := s.ChangeLink(t.Context(), ada, link.ID, nil, &tags, func(link *waymark.Link) error {
			link.URL = "https://a.example/"
			return nil
		})
		wantError(t, "change", err, waymark.ErrConflict)
		got, err := s.Link(t.Context(), ada.ID, link.ID)
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "link after the change", got, link)
	})
}

func TestHasURLFindsVisibleLinks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		for v := waymark.Public; v <= waymark.Private; v++ {
			link := storetest.Link(t, s, ada, "https://a.example/"+v.String(), v)
			if found, err := s.HasURL(t.Context(), bob.ID, link.URL); err != nil || found != (v != waymark.Private) {
				t.Errorf("%s, another user: found %t (error %v)", v, found, err)
			}
			moveToTrash(t, s, ada, waymark.Links, link.ID)
			if found, err := s.HasURL(t.Context(), ada.ID, link.URL); err != nil || found {
				t.Errorf("%s, in the trash: found %t (error %v), want false", v, found, err)
			}
		}
	})
}

func TestHasURLComparesExactly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Link(t, s, ada, "https://example.org/Path", waymark.Private)
		for url, want := range map[string]bool{
			"https://example.org/Path":     true,
			"https://example.org/path":     false,
			"https://example.org/Path/":    false,
			"":                             false,
			"https://example.org/Path\x00": false,
			"https://example.org/\xff":     false,
		} {
			if found, err := s.HasURL(t.Context(), ada.ID, url); err != nil || found != want {
				t.Errorf("%q: found %t (error %v), want %t", url, found, err, want)
			}
		}
	})
}

func TestCreateLinksOfADeletedUserFails(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		deleted := waymark.User{ID: 77, DefaultVisibility: waymark.DefaultsTo(waymark.Private)}
		draft := waymark.LinkDraft{Link: waymark.Link{URL: "https://a.example/", Title: "A", Visibility: waymark.Private, Status: waymark.StatusOK}}
		_, err := s.CreateLinks(t.Context(), deleted, []waymark.LinkDraft{draft})
		wantError(t, "create", err, waymark.ErrNotFound)
	})
}

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
			if err != nil {
				t.Fatal(err)
			}
			return rows[0]
		}
		wantEqual(t, "new link", stored(), []any{nil, "strasse", nil, int64(16)})
		if _, err := s.ChangeLink(t.Context(), ada, link.ID, nil, nil, func(link *waymark.Link) error {
			link.URL, link.Title, link.Description = "https://a.example/B", "strasse", "B"
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "changed link", stored(), []any{"https://a.example/b", nil, "b", int64(16)})
	})
}

// New links with much text in their lists are not read before the response needs them. The
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
		drafts := make([]waymark.LinkDraft, 100)
		for i := range drafts {
			drafts[i] = storetest.Draft(i)
			drafts[i].Lists = inLists
		}
		created, err := s.CreateLinks(t.Context(), ada, drafts)
		if err != nil {
			t.Fatal(err)
		}
		var got int
		var last waymark.LinkID
		err = created.Stream(t.Context(), func(total int, links iter.Seq2[waymark.Link, error]) error {
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
