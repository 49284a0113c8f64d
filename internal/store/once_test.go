package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// addList returns what Once runs: it creates a list, and responds with text.
func addList(owner waymark.User, text string) func(context.Context, *store.Store) (store.Response, error) {
	return func(ctx context.Context, s *store.Store) (store.Response, error) {
		_, err := s.CreateLists(ctx, owner.ID, []waymark.List{{Name: "A"}})
		return store.Response{Status: 200, Body: []byte(text)}, err
	}
}

func wantLists(t *testing.T, s *store.Store, owner waymark.User, want int) {
	t.Helper()
	page, err := s.Lists(owner.ID, waymark.Order{By: waymark.SortByID}, waymark.Pagination{Limit: 1}).Page(t.Context())
	if err != nil || page.Total != want {
		t.Errorf("there are %d lists, %v, want %d", page.Total, err, want)
	}
}

// wantOnce calls Once for a key, and checks the response.
func wantOnce(t *testing.T, s *store.Store, owner waymark.User, key, text, want string) {
	t.Helper()
	got, err := s.Once(t.Context(), store.OnceRequest{User: owner.ID, Key: key}, addList(owner, text))
	if err != nil || string(got.Body) != want {
		t.Errorf("key %s: got %.20q, %v, want %.20q", key, got.Body, err, want)
	}
}

func TestResponseIsStoredForItsTime(t *testing.T) {
	now := waymark.FromTime(time.Now())
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		wantOnce(t, s, ada, "key", "first", "first")
		now = now.Add(23 * time.Hour)
		if err := s.PruneResponses(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantOnce(t, s, ada, "key", "second", "first")
		now = now.Add(2 * time.Hour)
		wantOnce(t, s, ada, "key", "third", "third")
		for i := range 1005 { // more than one transaction deletes
			wantOnce(t, s, ada, fmt.Sprint(i), "many", "many")
		}
		now = now.Add(25 * time.Hour)
		if err := s.PruneResponses(t.Context()); err != nil {
			t.Fatal(err)
		}
		if rows, err := s.Rows(t.Context(), "SELECT 1 FROM idempotency_keys"); err != nil || len(rows) != 0 {
			t.Errorf("there are %d old responses, %v, want none", len(rows), err)
		}
	})
}

func TestNewResponsesReplaceTheOldestOnes(t *testing.T) {
	storetest.EachWith(t, store.Options{ResponseBytes: 40_000}, func(t *testing.T, s *store.Store) {
		ada, ben := storetest.User(t, s, "ada"), storetest.User(t, s, "ben")
		wantOnce(t, s, ben, "0", "of ben", "of ben")
		for i := range 20 { // each counts as 4 KiB
			wantOnce(t, s, ada, fmt.Sprint(i), "first", "first")
		}
		rows, err := s.Rows(t.Context(), "SELECT idempotency_key FROM idempotency_keys WHERE user_id = $1 ORDER BY position", ada.ID)
		if err != nil || len(rows) != 9 || fmt.Sprint(rows[0][0]) != "11" {
			t.Errorf("got responses %v, %v, want those of the keys 11 to 19", rows, err)
		}
		wantOnce(t, s, ada, "19", "second", "first")
		wantOnce(t, s, ada, "0", "second", "second")
		wantOnce(t, s, ada, "large", strings.Repeat("a", 30_000), strings.Repeat("a", 30_000))
		wantOnce(t, s, ada, "18", "third", "third")
		wantOnce(t, s, ben, "0", "second", "of ben")
	})
}

func TestFailedRequestStoresNothing(t *testing.T) {
	failure := errors.New("failed")
	storetest.EachWith(t, store.Options{ResponseBytes: 100}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		request := store.OnceRequest{User: ada.ID, Key: "key"}
		_, err := s.Once(t.Context(), request, func(ctx context.Context, part *store.Store) (store.Response, error) {
			_, err := addList(ada, "")(ctx, part)
			return store.Response{}, errors.Join(failure, err)
		})
		wantError(t, "a change that fails", err, failure)
		_, err = s.Once(t.Context(), request, addList(ada, strings.Repeat("a", 101)))
		wantError(t, "a response of 101 bytes", err, store.ErrResponseTooLarge)
		wantLists(t, s, ada, 0)
		wantOnce(t, s, ada, "key", "first", "first")
		wantLists(t, s, ada, 1)
	})
}

func TestRejectedChangeIsRolledBackAndItsResponseStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		reject := func(ctx context.Context, part *store.Store) (store.Response, error) {
			_, err := part.CreateTags(ctx, ada.ID, []waymark.Tag{{Name: "a"}, {Name: "a"}})
			wantError(t, "two tags with one name", err, waymark.ErrConflict)
			found, err := part.SuggestTags(ada.ID, "a", waymark.NoLimit).Page(ctx)
			if found.Total > 0 {
				t.Errorf("got tags %v, want none", found)
			}
			return store.Response{Status: 422, Body: []byte("taken")}, err
		}
		for range 2 {
			got, err := s.Once(t.Context(), store.OnceRequest{User: ada.ID, Key: "key"}, reject)
			if err != nil || got.Status != 422 || string(got.Body) != "taken" {
				t.Errorf("got %d %q, %v, want 422", got.Status, got.Body, err)
			}
		}
	})
}

func TestKeyOfARunningRequestIsInProgress(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		s := storetest.OpenWith(t, o)
		servers := map[string]*store.Store{"the same server": s}
		if o.Database != "" {
			servers["another server"] = storetest.OpenWith(t, o)
		}
		ada := storetest.User(t, s, "ada")
		request := store.OnceRequest{User: ada.ID, Key: "key"}
		started, proceed, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			_, err := s.Once(t.Context(), request, func(ctx context.Context, part *store.Store) (store.Response, error) {
				close(started)
				<-proceed
				return addList(ada, "first")(ctx, part)
			})
			result <- err
		}()
		<-started
		for name, server := range servers {
			_, err := server.Once(t.Context(), request, addList(ada, "second"))
			wantError(t, "a request to "+name, err, store.ErrKeyInProgress)
		}
		close(proceed)
		wantError(t, "the first request", <-result, nil)
		for _, server := range servers {
			wantOnce(t, server, ada, "key", "second", "first")
		}
		wantLists(t, s, ada, 1)
	})
}

func TestChangeAndResponseAreOneTransaction(t *testing.T) {
	var statements []string
	traced := false
	s := storetest.OpenWith(t, store.Options{Trace: func(text string) {
		if traced && (strings.Contains(text, "INSERT INTO") || text == "COMMIT") {
			statements = append(statements, strings.Join(strings.Fields(text)[:min(3, len(strings.Fields(text)))], " "))
		}
	}})
	ada := storetest.User(t, s, "ada")
	traced = true
	wantOnce(t, s, ada, "key", "first", "first")
	traced = false
	if got, want := strings.Join(statements, "; "), "INSERT INTO lists; INSERT INTO idempotency_keys; COMMIT"; got != want {
		t.Errorf("got the statements %q, want %q", got, want)
	}
}

func TestClearingTheTrashDeletesStoredResponses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		wantOnce(t, s, ada, "key", "secret", "secret")
		if err := s.ClearTrash(t.Context(), ada.ID, waymark.Lists); err != nil {
			t.Fatal(err)
		}
		if rows, err := s.Rows(t.Context(), "SELECT 1 FROM idempotency_keys"); err != nil || len(rows) != 0 {
			t.Errorf("there are %d stored responses, %v, want none", len(rows), err)
		}
	})
}
