package crawl_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// withSnapshots makes a crawler keep snapshots of pages.
func withSnapshots(svc *crawler, quota int64) {
	svc.set(func(o *crawl.Options) { o.Parts, o.SnapshotQuota = waymark.TextParts|waymark.TextSnapshotPart, quota })
}

// writeArticle writes a page with a text to read.
func writeArticle(w http.ResponseWriter, about string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<html lang="en"><title>%s</title><nav>Menu</nav><article><p>%s</p></article>`, about, strings.Repeat(about+" needs flour, water, salt and time. ", 30))
}

func TestSnapshotIsKeptWhenThePageIsGoneAndRefreshedWhenItIsFetchedAgain(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		withSnapshots(svc, 1<<20)
		checks, requests := []string{"Bread", "", "Cake"}, 0
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			about := checks[requests]
			requests++
			if about == "" {
				w.WriteHeader(http.StatusNotFound)
			}
			writeArticle(w, about)
		})
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, s, ada, url)
		for i, want := range []string{"Bread", "Bread", "Cake"} {
			if i > 0 {
				if _, err := svc.RequestPages(t.Context(), ada, []int64{int64(link.ID)}); err != nil {
					t.Fatal(err)
				}
			}
			fetchPages(t, svc)
			found, html, err := s.Snapshots.TextHTML(t.Context(), ada.ID, link.ID)
			if err != nil || found.Title != want || !strings.HasPrefix(strings.ReplaceAll(html, "<div>", ""), "<p>"+want+" needs") || strings.Contains(html, "Menu") {
				t.Fatalf("check %d: got %+v with %.60q, error %v, want %s", i, found, html, err, want)
			}
			if checks[i] != "" && found.FetchedAt != c.Now() {
				t.Errorf("check %d: got the time %v, want %v", i, found.FetchedAt, c.Now())
			}
			if requests != i+1 {
				t.Errorf("got %d requests after check %d", requests, i)
			}
			c.advance(time.Hour)
		}
	})
}

func TestSnapshotOverTheQuotaIsNotStored(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		saving(svc, 10)
		url := site(t, func(w http.ResponseWriter, _ *http.Request) { writeArticle(w, "Bread") })
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, s, ada, url)
		fetchPages(t, svc)
		_, textErr := s.Snapshots.Text(t.Context(), ada.ID, link.ID)
		_, fullErr := s.Snapshots.Full(t.Context(), ada.ID, link.ID)
		if !errors.Is(textErr, waymark.ErrNotFound) || !errors.Is(fullErr, waymark.ErrNotFound) {
			t.Errorf("read what was saved: got %v and %v, want %v", textErr, fullErr, waymark.ErrNotFound)
		}
		wantWaiting(t, s, 0)
	})
}

// TestUsersChooseWhichSnapshotsAreMade turns snapshots off for a user, for one link, and on for another link, and
// turns pictures off.
func TestUsersChooseWhichSnapshotsAreMade(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		withSnapshots(svc, 1<<20)
		svc.set(func(o *crawl.Options) { o.Parts |= waymark.ThumbnailPart | waymark.IconPart })
		requests := map[string]int{}
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			requests[r.URL.Path]++
			writeArticle(w, "Bread")
		})
		ada := storetest.User(t, s, "ada")
		links := addLinks(t, s, ada, waymark.LinkInput{URL: url + "a"}, waymark.LinkInput{URL: url + "b"}, waymark.LinkInput{URL: url + "c", Title: new("C"), Description: new("C")})
		choose := func(link waymark.Link, choice waymark.SnapshotChoice) {
			t.Helper()
			if _, err := editLink(t, s, ada, link.ID, waymark.LinkInput{URL: link.URL, Snapshots: &choice}); err != nil {
				t.Fatal(err)
			}
		}
		wantSnapshots := func(want ...bool) {
			t.Helper()
			for range links { // a page of a host a second
				fetchPages(t, svc)
				c.advance(time.Minute)
			}
			for i, link := range links {
				if _, err := s.Snapshots.Text(t.Context(), ada.ID, link.ID); (err == nil) != want[i] || err != nil && !errors.Is(err, waymark.ErrNotFound) {
					t.Errorf("link %d: got %v, want a snapshot: %t", i, err, want[i])
				}
			}
			wantWaiting(t, s, 0)
		}
		choose(links[0], waymark.NoSnapshots) // the requests of all wait
		choose(links[1], waymark.TextSnapshots)
		if _, _, err := s.Accounts.ChangeSettings(t.Context(), ada.ID, func(s *waymark.Settings, _ *waymark.DefaultVisibility) error {
			s.Snapshots, s.NoPictures = waymark.NoSnapshots, true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		wantSnapshots(false, true, false)
		if requests["/a"] != 1 || requests["/b"] != 1 || len(requests) != 2 {
			t.Errorf("got the requests %v, want one of /a for its texts and one of /b", requests)
		}

		choose(links[2], waymark.TextSnapshots)
		choose(links[1], waymark.NoSnapshots)
		if _, err := svc.RequestPages(t.Context(), ada, []int64{int64(links[0].ID), int64(links[1].ID), int64(links[2].ID)}); err != nil {
			t.Fatal(err)
		}
		wantSnapshots(false, true, true)
		later := addLinks(t, s, ada, waymark.LinkInput{URL: url + "d", Title: new("D"), Description: new("D")})
		wantWaiting(t, s, 0)
		wantSnapshots(false, true, true)
		if requests["/d"] != 0 {
			t.Errorf("%s was requested, of which nothing is wanted", later[0].URL)
		}
	})
}
