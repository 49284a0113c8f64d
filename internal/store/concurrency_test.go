package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestConcurrentWritesKeepCountersAndIndexesCorrect(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		users := []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "bob"), storetest.User(t, s, "eve")}
		for _, user := range users {
			storetest.Fill(t, s, user, 30)
		}
		var writers sync.WaitGroup
		for w := range 9 {
			user := users[w%3]
			writers.Go(func() {
				for i := range 12 {
					if err := runWrite(t.Context(), s, user, w, i); err != nil && !errors.Is(err, waymark.ErrConflict) && !errors.Is(err, waymark.ErrNotFound) && !errors.Is(err, waymark.ErrForbidden) {
						t.Errorf("writer %d, write %d: %v", w, i, err)
					}
				}
			})
		}
		writers.Wait()
		checkCounters(t, s)
	})
}

// runWrite runs a write on the entities 1 to 90, so that concurrent writers change the same rows.
func runWrite(ctx context.Context, s *store.Store, user waymark.User, w, i int) error {
	var ids []int64
	for n := range 15 {
		ids = append(ids, int64(1+(w*7+i*11+n*n)%90))
	}
	v := waymark.Visibility(1 + (w+i)%3)
	switch (w + i) % 6 {
	case 0:
		_, err := s.DeleteMany(ctx, user.ID, waymark.Links, ids, ownedBy(user))
		return err
	case 1:
		return errors.Join(s.Restore(ctx, waymark.Links, ids[0], ownedBy(user)), s.Restore(ctx, waymark.Tags, ids[1]%40, ownedBy(user)))
	case 2:
		_, err := s.EditLinks(ctx, user, ids, waymark.BulkEdit{Visibility: &v, Tags: refs("one", fmt.Sprint("tag ", i)), Lists: refs(fmt.Sprint("list ", w%3)), TagsMode: waymark.RefsMode(i % 2)}, ownedBy(user))
		return err
	case 3:
		_, err := s.CreateLinks(ctx, user, []waymark.LinkDraft{storetest.Draft(100 + i), storetest.Draft(200 + w*100 + i)})
		return err
	case 4:
		_, err := s.DeleteMany(ctx, user.ID, waymark.Tags, ids, ownedBy(user))
		return err
	}
	if i%4 == 0 {
		return s.ClearTrash(ctx, user.ID, waymark.Tags)
	}
	_, err := s.EditTags(ctx, user.ID, ids, waymark.BulkEdit{Visibility: &v}, ownedBy(user))
	return err
}

func TestFullDatabaseKeepsAcknowledgedLinks(t *testing.T) {
	s := storetest.Open(t)
	pragma := func(text string) {
		t.Helper()
		if err := s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error { return exec("PRAGMA " + text) }); err != nil {
			t.Fatal(err)
		}
	}
	ada := storetest.User(t, s, "ada")
	var mu sync.Mutex
	var stored []string
	rejected := 0
	add := func(i int) error {
		draft := storetest.Draft(i)
		draft.Link.Description = strings.Repeat(draft.Link.Description+" ", 60)
		_, err := s.CreateLinks(t.Context(), ada, []waymark.LinkDraft{draft})
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			stored = append(stored, draft.Link.URL)
			return nil
		}
		wantError(t, "create without space", err, waymark.ErrUnavailable)
		rejected++
		return err
	}
	check := func() {
		t.Helper()
		var urls []string
		for _, link := range allLinks(t, s, ada) {
			urls = append(urls, link.URL)
		}
		slices.Sort(urls)
		slices.Sort(stored)
		wantEqual(t, "stored links", urls, stored)
		checkCounters(t, s)
	}

	rows, err := s.Rows(t.Context(), "PRAGMA page_count")
	if err != nil {
		t.Fatal(err)
	}
	pragma(fmt.Sprint("max_page_count = ", rows[0][0].(int64)+100)) //nolint:errcheck // a column of integers
	// Three single links fit. A batch of many links may not.
	for i := range 3 {
		if err := add(i); err != nil {
			t.Fatal(err)
		}
	}
	var writers sync.WaitGroup
	for w := range 20 {
		writers.Go(func() {
			for i := range 10 {
				add(100 + 10*w + i) //nolint:errcheck // add checks it
			}
		})
	}
	writers.Wait()
	if len(stored) == 0 || rejected == 0 {
		t.Errorf("%d links stored, %d rejected: want some of both", len(stored), rejected)
	}
	check()
	pragma("max_page_count = 1073741823")
	for i := range 20 {
		if err := add(2000 + i); err != nil {
			t.Errorf("create after the limit was raised: %v", err)
		}
	}
	check()
}

func TestLinksAreStoredAfterClose(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		o.Serve = true
		var links []waymark.Link
		var ada waymark.User
		for i := range 3 {
			s, err := store.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				ada = storetest.User(t, s, "ada")
				links = storetest.Fill(t, s, ada, 50)
			}
			wantEqual(t, fmt.Sprint("links, opened ", i+1, " times"), allLinks(t, s, ada), links)
			checkCounters(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A request of an administrator may run while their role ends.
func TestNoOneTimeTokenOutlivesTheRightsOfItsCreator(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := createAdmin(t, s, "ada"), storetest.User(t, s, "bob")
		setAdmin := func(admin bool) {
			if _, err := s.Accounts.ChangeUser(ctx, "ada", func(u *waymark.User) error { u.Admin = admin; return nil }, anyUser); err != nil {
				t.Error(err)
			}
		}
		for i := range 20 {
			setAdmin(true)
			hash := []byte(fmt.Sprint(i))
			var requests sync.WaitGroup
			requests.Go(func() { setAdmin(false) })
			for _, create := range []func() error{
				func() error {
					_, err := s.Accounts.CreateInvitation(ctx, waymark.Invitation{CreatedBy: ada.ID, ExpiresAt: 1 << 60}, hash)
					return err
				},
				func() error {
					return s.Accounts.CreatePasswordReset(ctx, bob.ID, waymark.PasswordReset{CreatedBy: ada.ID, ExpiresAt: 1 << 60}, hash)
				},
			} {
				requests.Go(func() {
					if err := create(); err != nil && !errors.Is(err, waymark.ErrForbidden) {
						t.Error(err)
					}
				})
			}
			requests.Wait()
			rows, err := s.Rows(ctx, "SELECT (SELECT count(*) FROM invitations), (SELECT count(*) FROM password_resets)")
			wantError(t, "count", err, nil)
			wantEqual(t, "invitations and resets", rows, [][]any{{int64(0), int64(0)}})
		}
	})
}
