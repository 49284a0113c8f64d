package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/doctor"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// setPicture gives a link a picture with some data.
func setPicture(t *testing.T, s *store.Store, link waymark.Link, kind waymark.PictureKind, data string) {
	t.Helper()
	check(t, s.Snapshots.SetLinkPicture(t.Context(), queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}, kind, storetest.Picture(data)))
}

// wantPicture checks whether a viewer gets the picture with some data.
func wantPicture(t *testing.T, s *store.Store, viewer waymark.UserID, data string, want bool) {
	t.Helper()
	got, err := s.Snapshots.Picture(t.Context(), viewer, storetest.Picture(data).Hash)
	if want != (err == nil) || err != nil && !errors.Is(err, waymark.ErrNotFound) {
		t.Errorf("picture %q for user %d: got error %v, want the picture: %t", data, viewer, err, want)
	}
	if err == nil && !bytes.Equal(got.Data, []byte(data)) {
		t.Errorf("picture %q: got %q", data, got.Data)
	}
}

func wantPictures(t *testing.T, s *store.Store, want int) {
	t.Helper()
	rows, err := s.Rows(t.Context(), "SELECT hash FROM pictures")
	check(t, err)
	wantEqual(t, "number of pictures", len(rows), want)
}

func TestPictureIsSeenByThoseWhoSeeALinkWithIt(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		private := storetest.Link(t, s, ada, "https://a.example/private", waymark.Private)
		internal := storetest.Link(t, s, ada, "https://a.example/internal", waymark.Internal)
		public := storetest.Link(t, s, ada, "https://a.example/public", waymark.Public)
		for _, link := range []waymark.Link{private, internal, public} {
			setPicture(t, s, link, waymark.Thumbnail, link.URL)
		}
		setPicture(t, s, public, waymark.SiteIcon, "icon")
		setPicture(t, s, private, waymark.SiteIcon, "icon")
		for _, viewer := range []struct {
			id   waymark.UserID
			sees []waymark.Link
		}{
			{ada.ID, []waymark.Link{private, internal, public}}, {bob.ID, []waymark.Link{internal, public}}, {waymark.Guest, []waymark.Link{public}},
		} {
			sees := map[waymark.LinkID]bool{}
			for _, link := range viewer.sees {
				sees[link.ID] = true
			}
			for _, link := range []waymark.Link{private, internal, public} {
				wantPicture(t, s, viewer.id, link.URL, sees[link.ID])
			}
			wantPicture(t, s, viewer.id, "icon", true)
			found, err := s.Snapshots.LinkPictures(t.Context(), viewer.id, []waymark.LinkID{private.ID, internal.ID, public.ID})
			check(t, err)
			if len(found) != len(sees) {
				t.Errorf("pictures of links for user %d: got those of %d links, want %d", viewer.id, len(found), len(sees))
			}
			if got := found[public.ID]; got.Thumbnail == nil || got.Icon == nil || got.Icon.Hash != storetest.Picture("icon").Hash || got.Icon.Width != 64 || got.Icon.Height != 32 {
				t.Errorf("pictures of the public link: got %+v", got)
			}
		}
		moveToTrash(t, s, ada, waymark.Links, public.ID)
		wantPicture(t, s, ada.ID, public.URL, false)
		wantPicture(t, s, ada.ID, "icon", true)
		wantPicture(t, s, waymark.Guest, "icon", false)
	})
}

func TestPicturesThatNoLinkHasAreDeleted(t *testing.T) {
	now := waymark.FromTime(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		prune := func() {
			t.Helper()
			check(t, s.Snapshots.PrunePictures(t.Context()))
		}
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		first, second := storetest.Link(t, s, ada, "https://a.example/1", waymark.Private), storetest.Link(t, s, bob, "https://a.example/2", waymark.Private)
		setPicture(t, s, first, waymark.Thumbnail, "shared")
		setPicture(t, s, second, waymark.Thumbnail, "shared")
		setPicture(t, s, first, waymark.SiteIcon, "old icon")
		setPicture(t, s, first, waymark.SiteIcon, "icon")
		wantPictures(t, s, 3)
		prune()
		wantPictures(t, s, 3) // they may be used by a transaction that has not ended
		now = now.Add(2 * time.Hour)
		prune()
		wantPictures(t, s, 2)
		check(t, storetest.RemoveUser(t.Context(), s, ada.ID))
		prune()
		wantPicture(t, s, bob.ID, "shared", true)
		if _, err := s.ChangeLink(t.Context(), bob, second.ID, nil, nil, func(link *waymark.Link, _ waymark.Target) error {
			link.URL = "https://b.example/"
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		setPicture(t, s, second, waymark.Thumbnail, "of the old URL")
		wantPicture(t, s, bob.ID, "shared", false)
		wantPicture(t, s, bob.ID, "of the old URL", false)
		now = now.Add(2 * time.Hour)
		prune()
		wantPictures(t, s, 0)
	})
}

func TestDoctorDeletesDamagedPictures(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Private)
		damaged := storetest.Picture("icon")
		damaged.Data = []byte("damaged")
		check(t, s.Snapshots.SetLinkPicture(t.Context(), queue.ClaimedPage{Link: link.ID, Owner: ada.ID, URL: link.URL}, waymark.SiteIcon, damaged))
		setPicture(t, s, link, waymark.Thumbnail, "thumbnail")
		for _, want := range []doctor.Status{doctor.Problem, doctor.Repaired, doctor.OK} {
			var got doctor.Result
			check(t, doctor.Check(t.Context(), s.Database(), want == doctor.Repaired, func(r doctor.Result) {
				if r.Name == "pictures" {
					got = r
				}
			}))
			if got.Status != want {
				t.Errorf("got %v (%s), want %v", got.Status, got.Detail, want)
			}
		}
		wantPictures(t, s, 1)
	})
}

func TestTakePictureSpace(t *testing.T) {
	now := waymark.Time(1e15)
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var of []string
		for i := range 6 {
			link := storetest.Link(t, s, ada, fmt.Sprint("https://a.example/", i), waymark.Private)
			of = append(of, strings.Repeat(fmt.Sprint(i), 100))
			setPicture(t, s, link, waymark.Thumbnail, of[i])
			now = now.Add(time.Second)
		}
		shared := storetest.Link(t, s, bob, "https://b.example/", waymark.Private)
		setPicture(t, s, shared, waymark.Thumbnail, of[0]) // bob has it too, and it was used last
		take := func(user waymark.User, want int64) {
			t.Helper()
			if freed, err := s.Snapshots.TakePictureSpace(t.Context(), user.ID); err != nil || freed != want {
				t.Errorf("%s: freed %d bytes, %v, want %d", user.Name, freed, err, want)
			}
		}
		take(bob, 0) // all are too new
		now = now.Add(time.Hour)
		take(ada, 0) // has the most
		take(bob, 200)
		for i, data := range of {
			wantPicture(t, s, ada.ID, data, i != 1 && i != 2) // the oldest that bob does not have
		}
		take(bob, 100)
		take(bob, 100)
		take(bob, 0)
		wantPictures(t, s, 2)
	})
}
