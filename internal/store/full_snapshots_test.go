package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// saveWholePage stores a file as the page of a link.
func saveWholePage(t *testing.T, s *store.Store, link waymark.Link, file string) {
	t.Helper()
	check(t, s.Snapshots.SaveFull(t.Context(), claimOf(link), waymark.FullSnapshot{FetchedAt: 1e15, URL: "https://www.a.example/"}, file, noQuota))
}

func TestFullSnapshotIsReadAsItWasSavedByUsersWhoSeeTheLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		public, private := storetest.Link(t, s, ada, "https://a.example/", waymark.Public), storetest.Link(t, s, ada, "https://b.example/", waymark.Private)
		_, err := s.Snapshots.Full(t.Context(), ada.ID, public.ID)
		wantError(t, "no page", err, waymark.ErrNotFound)
		file := strings.Repeat("<p>a page</p>", 300_000) // more than a text may have
		for _, link := range []waymark.Link{public, private} {
			saveWholePage(t, s, link, "an older page")
			saveWholePage(t, s, link, file)
		}
		got, err := s.Snapshots.Full(t.Context(), ada.ID, private.ID)
		check(t, err)
		want := waymark.FullSnapshot{FetchedAt: 1e15, URL: "https://www.a.example/", Size: int64(len(file)), Bytes: got.Bytes}
		if diff := cmp.Diff(want, got); diff != "" || got.Bytes == 0 || got.Bytes > got.Size/100 {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
		for _, test := range []struct {
			name   string
			viewer waymark.UserID
			link   waymark.Link
			want   error
		}{
			{"own", ada.ID, private, nil},
			{"public", bob.ID, public, nil},
			{"private", bob.ID, private, waymark.ErrForbidden},
			{"guest", waymark.Guest, public, waymark.ErrNotFound},
		} {
			read, err := storetest.FullHTML(t, s, test.viewer, test.link.ID)
			wantError(t, test.name, err, test.want)
			if err == nil && read != file {
				t.Errorf("%s: got %d bytes, want the %d that were saved", test.name, len(read), len(file))
			}
		}
	})
}

func TestFullSnapshotsAndSnapshotsShareOneQuota(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		saveTextSnapshot(t, s, link, "text")
		text, err := snapshotBytes(t, s, ada.ID)
		check(t, err)
		saveWholePage(t, s, link, "<p>a page")
		page, err := s.Snapshots.Full(t.Context(), ada.ID, link.ID)
		check(t, err)
		wantBytes := func(user waymark.User, want int64) {
			t.Helper()
			if got, err := snapshotBytes(t, s, user.ID); err != nil || got != want {
				t.Errorf("got %d bytes (error %v), want %d", got, err, want)
			}
		}
		wantBytes(ada, text+page.Bytes)
		for want, quota := range map[error]int64{nil: text + page.Bytes, waymark.ErrSnapshotQuota: text + page.Bytes - 1} {
			wantError(t, "another page", s.Snapshots.SaveFull(t.Context(), claimOf(link), waymark.FullSnapshot{}, "<p>b page", quota), want)
		}
		changed := claimOf(link)
		changed.URL = "https://changed.example/"
		check(t, s.Snapshots.SaveFull(t.Context(), changed, waymark.FullSnapshot{}, "<p>of another URL", noQuota))
		wantBytes(ada, text+page.Bytes)

		check(t, s.RemoveUser(t.Context(), ada.ID, bob.ID, anyUser))
		wantBytes(bob, text+page.Bytes)
		check(t, s.Snapshots.Remove(t.Context(), bob, link.ID))
		wantBytes(bob, 0)
		_, err = s.Snapshots.Full(t.Context(), bob.ID, link.ID)
		wantError(t, "after it was removed", err, waymark.ErrNotFound)
	})
}
