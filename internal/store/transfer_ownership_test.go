package store_test

import (
	"fmt"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestRemovedUserGivesEntitiesToAnother(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob, cleo := storetest.User(t, s, "ada"), storetest.User(t, s, "bob"), storetest.User(t, s, "cleo")
		create := func(owner waymark.User, url string, v waymark.Visibility, lists, tags []string) waymark.Link {
			return storetest.CreateLinks(t, s, owner, waymark.LinkDraft{
				Link:  waymark.Link{URL: url, Title: owner.Name + "'s", Visibility: v, Status: waymark.StatusOK},
				Lists: refs(lists...), Tags: refs(tags...),
			})[0]
		}
		same := create(ada, "https://same.example/", waymark.Public, []string{"Reading", "ada's"}, []string{"Go"})
		own := create(ada, "https://ada.example/", waymark.Internal, []string{"reading"}, []string{"go", "new"})
		public := create(ada, "https://public.example/", waymark.Public, nil, nil)
		trashed := create(ada, "https://trash.example/", waymark.Private, nil, nil)
		moveToTrash(t, s, ada, waymark.Links, trashed.ID)
		kept := create(bob, "https://same.example/", waymark.Private, []string{"READING"}, []string{"go", "bob's"})
		adas := createNote(t, s, ada, same.ID, "ada's note", waymark.Private)
		cleos := createNote(t, s, cleo, same.ID, "cleo's note", waymark.Private)

		wantError(t, "an unknown receiver", s.RemoveUser(ctx, ada.ID, 999, anyUser), waymark.ErrNotFound)
		wantError(t, "remove", s.RemoveUser(ctx, ada.ID, bob.ID, anyUser), nil)

		merged, err := s.Link(ctx, bob.ID, kept.ID)
		wantError(t, "the merged link", err, nil)
		if merged.Title != "bob's" || merged.Visibility != waymark.Private {
			t.Errorf("got link %+v, want bob's title and visibility", merged)
		}
		wantEqual(t, "its lists", names(merged.Lists, func(l waymark.List) string { return l.Name }), []string{"READING", "ada's"})
		wantEqual(t, "its tags", names(merged.Tags, func(tag waymark.Tag) string { return tag.Name }), []string{"bob's", "go"})
		moved, err := s.Link(ctx, bob.ID, own.ID)
		wantError(t, "the moved link", err, nil)
		if moved.Owner != bob.ID || moved.Visibility != waymark.Internal || moved.CreatedAt != own.CreatedAt {
			t.Errorf("got link %+v, want ada's with another owner", moved)
		}
		wantEqual(t, "its lists", names(moved.Lists, func(l waymark.List) string { return l.Name }), []string{"READING"})
		wantEqual(t, "its tags", names(moved.Tags, func(tag waymark.Tag) string { return tag.Name }), []string{"go", "new"})
		for id, owner := range map[waymark.NoteID]waymark.UserID{adas.ID: bob.ID, cleos.ID: cleo.ID} {
			rows, err := s.Rows(ctx, "SELECT user_id, link_id FROM notes WHERE id = $1", id)
			wantError(t, "read the note", err, nil)
			wantEqual(t, "owner and link of the note", rows, [][]any{{int64(owner), int64(kept.ID)}})
		}
		for _, gone := range []waymark.LinkID{same.ID, trashed.ID} {
			_, err := s.Link(ctx, bob.ID, gone)
			wantError(t, "a link that was merged or in the trash", err, waymark.ErrNotFound)
		}
		_, err = s.Link(ctx, cleo.ID, public.ID)
		wantError(t, "the public link for cleo", err, nil)
		rows, err := s.Rows(ctx, "SELECT count(*) FROM links WHERE user_id = $1", bob.ID)
		wantError(t, "count", err, nil)
		wantEqual(t, "bob's links", rows, [][]any{{int64(3)}})
		wantEqual(t, "search by tag", len(searchIDs(t, s, bob, where(labeled(waymark.Tags, refs("go"))))), 2)
	})
}

func names[T any](entities []T, name func(T) string) []string {
	var all []string
	for _, e := range entities {
		all = append(all, name(e))
	}
	slices.Sort(all)
	return all
}

func TestPeopleHaveLinksAndTimes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		wantError(t, "password", s.Accounts.SetPasswordHash(ctx, bob.ID, "hash", ""), nil)
		storetest.Fill(t, s, ada, 10)
		ada, err := s.Accounts.SetUserState(ctx, ada.ID, func(u *waymark.User) { u.Admin = true }, anyUser)
		wantError(t, "administrator", err, nil)
		for user, expires := range map[waymark.UserID]waymark.Time{ada.ID: 1, bob.ID: 1 << 60} { // that of ada has expired
			reset := waymark.PasswordReset{CreatedBy: ada.ID, ExpiresAt: expires}
			wantError(t, "reset", s.Accounts.CreatePasswordReset(ctx, user, reset, []byte(fmt.Sprint(user))), nil)
		}
		want := []waymark.UserSummary{{User: ada, Links: 10}, {User: bob, LastSeenAt: 9, PasswordReset: waymark.PasswordReset{CreatedBy: ada.ID, ExpiresAt: 1 << 60}}}
		createSession(t, s, waymark.Session{UserID: bob.ID, LastSeenAt: 7}, "1")
		key, err := s.Accounts.CreateAPIKey(ctx, waymark.APIKey{Owner: bob.ID, Name: "phone"}, []byte("2"))
		wantError(t, "key", err, nil)
		wantError(t, "use of the key", s.Accounts.SaveAPIKeyUse(ctx, map[waymark.APIKeyID]waymark.Time{key.ID: 9}), nil)
		got, err := s.Accounts.UserSummaries(ctx)
		wantError(t, "users", err, nil)
		wantEqual(t, "users", got, want)
		wantError(t, "end the session", s.Accounts.DeleteOtherSessions(ctx, bob.ID, 0), nil)
		wantError(t, "delete the key", s.Accounts.DeleteAPIKey(ctx, bob.ID, "phone"), nil)
		got, err = s.Accounts.UserSummaries(ctx)
		wantError(t, "users", err, nil)
		wantEqual(t, "users without sessions and keys", got, want)
		summary, err := s.Summary(ctx)
		if err != nil || summary.Users != 2 || summary.Links != 10 || summary.Size == 0 || summary.Database == "" {
			t.Errorf("got %+v, %v, want 2 users, 10 links and a size", summary, err)
		}
	})
}
