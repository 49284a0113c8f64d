package accounts_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"waymark/internal/accounts"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// eachDatabase runs a test with the accounts of an empty store of each database.
func eachDatabase(t *testing.T, run func(t *testing.T, a *accounts.Accounts, s *store.Store)) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) { run(t, accounts.New(s, accounts.Options{}), s) })
}

func addUser(t *testing.T, a *accounts.Accounts, name string) waymark.User {
	t.Helper()
	user, err := a.AddUser(t.Context(), name, "")
	check(t, err)
	return user
}

func TestAddUser(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		if first := addUser(t, a, "first"); !first.Admin {
			t.Errorf("got %+v, want an administrator: nobody else could add users", first)
		}
		added, err := a.AddUser(t.Context(), "Ölaf", "correct horse")
		check(t, err)
		if added.Admin || added.Disabled || added.DefaultVisibility != waymark.DefaultsTo(waymark.Private) || added.CreatedAt == 0 {
			t.Errorf("got %+v, want a user with private entities by default", added)
		}
		got, err := s.Accounts.UserByName(t.Context(), "öLAF")
		if err != nil || got != added {
			t.Errorf("name in other case: got %+v, %v, want %+v", got, err, added)
		}
		if _, err := a.AddUser(t.Context(), "ÖLAF", ""); !errors.Is(err, waymark.ErrConflict) || err.Error() != `user "ÖLAF" already exists` {
			t.Errorf("duplicate name: got error %v, want ErrConflict with the name", err)
		}
	})
}

func TestAddUserRejectsInvalidInput(t *testing.T) {
	a := accounts.New(storetest.Open(t), accounts.Options{})
	for _, test := range []struct{ name, user, password, want string }{
		{"empty name", "", "", "must not be empty"},
		{"name with a space", "a b", "", "space"},
		{"password too short", "ann", "1234567", "too short"},
	} {
		if _, err := a.AddUser(t.Context(), test.user, test.password); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestEditUser(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ann := addUser(t, a, "ann")
		addUser(t, a, "ben")
		name, admin := "Ännchen", true
		got, err := a.EditUser(t.Context(), "ANN", accounts.UserEdit{Name: &name, Admin: &admin})
		ann.Name, ann.Admin = name, true
		if err != nil || got != ann {
			t.Fatalf("got %+v, %v, want %+v", got, err, ann)
		}
		if got, err := s.Accounts.UserByName(t.Context(), "äNNCHEN"); err != nil || got != ann {
			t.Errorf("the new name in other case: got %+v, %v, want %+v", got, err, ann)
		}
		taken := "BEN"
		if _, err := a.EditUser(t.Context(), name, accounts.UserEdit{Name: &taken}); !errors.Is(err, waymark.ErrConflict) || err.Error() != `user "BEN" already exists` {
			t.Errorf("a name in use: got error %v, want ErrConflict with that name", err)
		}
		if _, err := a.EditUser(t.Context(), "ann", accounts.UserEdit{Name: &name}); !errors.Is(err, waymark.ErrNotFound) || err.Error() != `user "ann" not found` {
			t.Errorf("the old name: got error %v, want ErrNotFound with that name", err)
		}
		invalid := "a b"
		if _, err := a.EditUser(t.Context(), name, accounts.UserEdit{Name: &invalid}); err == nil || !strings.Contains(err.Error(), "space") {
			t.Errorf("a name with a space: got error %v", err)
		}
	})
}

func TestSavedSearchesFollowTheNewNameOfAUser(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ann, ben := addUser(t, a, "ann"), addUser(t, a, "Ben")
		for _, owner := range []waymark.User{ann, ben} {
			for _, query := range []string{"by:BEN go", "by=ben", "by:ann", "-by:ben", "by:bend"} {
				if _, err := s.Accounts.CreateSavedSearch(t.Context(), waymark.SavedSearch{Owner: owner.ID, Name: query, Query: query}); err != nil {
					t.Fatal(err)
				}
			}
		}
		name := "be&n"
		if _, err := a.EditUser(t.Context(), "ben", accounts.UserEdit{Name: &name}); err != nil {
			t.Fatal(err)
		}
		for _, owner := range []waymark.User{ann, ben} {
			searches, err := s.Accounts.SavedSearches(t.Context(), owner.ID)
			check(t, err)
			got := map[string]string{}
			for _, search := range searches {
				got[search.Name] = search.Query
			}
			want := map[string]string{
				"by:BEN go": "by:be&n go", "by=ben": "by=ben", "by:ann": "by:ann", "-by:ben": "-by:be&n", "by:bend": "by:bend",
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", owner.Name, got, want)
			}
		}
	})
}
