package service_test

import (
	"errors"
	"strings"
	"testing"

	"waymark/internal/auth"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// eachLibrary runs a test on a library over an empty store of each database.
func eachLibrary(t *testing.T, run func(t *testing.T, lib *service.Service, s *store.Store)) {
	storetest.Each(t, func(t *testing.T, s *store.Store) { run(t, service.New(s), s) })
}

func addUser(t *testing.T, lib *service.Service, name string) waymark.User {
	t.Helper()
	user, err := lib.AddUser(t.Context(), name, "")
	if err != nil {
		t.Fatalf("add user %s: %v", name, err)
	}
	return user
}

func TestAddUser(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib *service.Service, s *store.Store) {
		added, err := lib.AddUser(t.Context(), "Ölaf", "correct horse")
		if err != nil {
			t.Fatal(err)
		}
		if added.Admin || added.Disabled || added.Visibility != waymark.Private || added.CreatedAt == 0 {
			t.Errorf("got %+v, want a user whose entities are private", added)
		}
		got, err := s.UserByName(t.Context(), "öLAF")
		if err != nil || got != added {
			t.Errorf("by another case of the name: got %+v, %v, want %+v", got, err, added)
		}
		checkPassword(t, s, added, "correct horse", true)
		if _, err := lib.AddUser(t.Context(), "ÖLAF", ""); !errors.Is(err, waymark.ErrConflict) || err.Error() != `user "ÖLAF" already exists` {
			t.Errorf("a second one: got error %v, want ErrConflict that names the user", err)
		}
	})
}

func checkPassword(t *testing.T, s *store.Store, user waymark.User, password string, want bool) {
	t.Helper()
	hash, err := s.PasswordHash(t.Context(), user.ID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := auth.CheckPassword(t.Context(), hash, password)
	if err != nil || got != want {
		t.Errorf("password %q: got %t, %v, want %t", password, got, err, want)
	}
}

func TestAddUserRefuses(t *testing.T) {
	lib := service.New(storetest.Open(t))
	for _, test := range []struct{ name, user, password, want string }{
		{"no name", "", "", "must not be empty"},
		{"a name with a space", "a b", "", "space"},
		{"a name that is too long", strings.Repeat("ä", 256), "", "at most 255"},
		{"a password that is too short", "ann", "1234567", "too short"},
		{"a password that is too long", "ann", strings.Repeat("a", 1001), "too long"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := lib.AddUser(t.Context(), test.user, test.password)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one that says %q", err, test.want)
			}
		})
	}
}

func TestSetPassword(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib *service.Service, s *store.Store) {
		ann := addUser(t, lib, "ann")
		checkPassword(t, s, ann, "", false)
		for _, password := range []string{"correct horse", "battery staple"} {
			if err := lib.SetPassword(t.Context(), "ANN", password); err != nil {
				t.Fatal(err)
			}
			checkPassword(t, s, ann, password, true)
		}
		checkPassword(t, s, ann, "correct horse", false)
		if err := lib.SetPassword(t.Context(), "ann", ""); err == nil {
			t.Error("no password: got no error")
		}
		checkPassword(t, s, ann, "battery staple", true)
	})
}

func TestSetDefaultVisibility(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib *service.Service, s *store.Store) {
		addUser(t, lib, "ann")
		if err := lib.SetDefaultVisibility(t.Context(), "ann", waymark.Internal); err != nil {
			t.Fatal(err)
		}
		if got, err := s.UserByName(t.Context(), "ann"); err != nil || got.Visibility != waymark.Internal {
			t.Errorf("got %v, %v, want internal", got.Visibility, err)
		}
	})
}

func TestRemoveUserErasesEverythingOfTheirs(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib *service.Service, s *store.Store) {
		ann, ben := addUser(t, lib, "ann"), addUser(t, lib, "ben")
		storetest.Link(t, s, ann, "https://go.dev/", waymark.Public, "go")
		kept := storetest.Link(t, s, ben, "https://go.dev/", waymark.Public, "go")
		secret, _ := addKey(t, lib, "ann", "phone")
		if err := lib.RemoveUser(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		page, err := s.Links(ben.ID, waymark.Order{By: waymark.SortByID}, waymark.Pagination{Limit: 10}).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if page.Total != 1 || len(page.Entities) != 1 || page.Entities[0].ID != kept.ID {
			t.Errorf("got %d links %+v, want only the one that is ben's", page.Total, page.Entities)
		}
		if _, _, err := lib.Authenticate(t.Context(), secret); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("the key: got error %v, want ErrNotFound", err)
		}
		again := addUser(t, lib, "ann")
		if again.ID == ann.ID {
			t.Errorf("got id %d for another user a second time", again.ID)
		}
	})
}

func TestWhoIsNotThereIsNamed(t *testing.T) {
	lib := service.New(storetest.Open(t))
	_, _, addErr := lib.AddAPIKey(t.Context(), "nobody", "phone", waymark.AccessFull, 0)
	for name, err := range map[string]error{
		"set password":   lib.SetPassword(t.Context(), "nobody", "correct horse"),
		"remove":         lib.RemoveUser(t.Context(), "nobody"),
		"disable":        lib.DisableUser(t.Context(), "nobody", true),
		"set visibility": lib.SetDefaultVisibility(t.Context(), "nobody", waymark.Public),
		"add key":        addErr,
		"revoke key":     lib.RevokeAPIKey(t.Context(), "nobody", "phone"),
	} {
		if !errors.Is(err, waymark.ErrNotFound) || err.Error() != `user "nobody" not found` {
			t.Errorf("%s: got error %v, want ErrNotFound that names the user", name, err)
		}
	}
}
