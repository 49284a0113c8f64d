package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestDatabaseOfANewerWaymarkIsRefusedAndLeftAsItIs(t *testing.T) {
	storetest.EachPlace(t, func(t *testing.T, place store.Options) {
		s := storetest.OpenWith(t, place)
		storetest.User(t, s, "ada")
		if err := s.Change(t.Context(), func(_ context.Context, exec func(text string, args ...any) error) error {
			return exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
		}); err != nil {
			t.Fatal(err)
		}
		_, err := store.Open(t.Context(), place)
		if err == nil || !strings.Contains(err.Error(), "made by a newer Waymark") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("got error %v, want a sentence that says it is newer", err)
		}
		if users, err := s.Users(t.Context()); err != nil || len(users) != 1 {
			t.Errorf("afterwards there are %d users (error %v), want 1", len(users), err)
		}
	})
}

func TestSecondStartFindsNothingToMigrate(t *testing.T) {
	storetest.EachPlace(t, func(t *testing.T, place store.Options) {
		first := storetest.OpenWith(t, place)
		ada := storetest.User(t, first, "ada")
		links := storetest.Fill(t, first, ada, 10)
		wantSame(t, "links", linksOf(t, storetest.OpenWith(t, place), ada), links)
	})
}

func TestServersThatStartTogetherMigrateOnce(t *testing.T) {
	storetest.EachPlace(t, func(t *testing.T, place store.Options) {
		var servers sync.WaitGroup
		for i := range 5 {
			servers.Go(func() {
				s, err := store.Open(t.Context(), place)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := s.CreateUser(t.Context(), waymark.User{Name: fmt.Sprint("user", i), Visibility: waymark.Private}, ""); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		servers.Wait()
		if users, err := storetest.OpenWith(t, place).Users(t.Context()); err != nil || len(users) != 5 {
			t.Errorf("%d users (error %v), want 5", len(users), err)
		}
	})
}
