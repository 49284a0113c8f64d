package service_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/fetch"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// withSnapshots makes a service keep snapshots of pages.
func withSnapshots(svc *service.Service, quota int64) {
	svc.PageParts, svc.SnapshotQuota = waymark.TextParts|waymark.TextSnapshotPart, quota
}

// writeArticle writes a page with a text to read.
func writeArticle(w http.ResponseWriter, about string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<html lang="en"><title>%s</title><nav>Menu</nav><article><p>%s</p></article>`, about, strings.Repeat(about+" needs flour, water, salt and time. ", 30))
}

func TestSnapshotIsKeptWhenThePageIsGoneAndRefreshedWhenItIsFetchedAgain(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *service.Service, s *store.Store) {
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
		link := addUnfetched(t, svc, ada, url)
		for i, want := range []string{"Bread", "Bread", "Cake"} {
			if i > 0 {
				if _, err := svc.RequestPages(t.Context(), ada, []int64{int64(link.ID)}); err != nil {
					t.Fatal(err)
				}
			}
			fetchPages(t, svc)
			found, html, err := s.TextSnapshotHTML(t.Context(), ada.ID, link.ID)
			if err != nil || found.Title != want || !strings.HasPrefix(html, "<div><p>"+want+" needs") && !strings.HasPrefix(html, "<p>"+want+" needs") || strings.Contains(html, "Menu") {
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

func TestPageThatBreaksOffIsSavedLater(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *service.Service, s *store.Store) {
		withSnapshots(svc, 1<<20)
		broken := true
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			if broken {
				w.Header().Set("Content-Length", "100000")
			}
			writeArticle(w, "Bread")
		})
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, svc, ada, url)
		for range 2 {
			fetchPages(t, svc)
			_, err := s.TextSnapshot(t.Context(), ada.ID, link.ID)
			if (err == nil) == broken {
				t.Fatalf("the page breaks off: %t, got error %v", broken, err)
			}
			if got, err := s.Link(t.Context(), ada.ID, link.ID); err != nil || got.Title != "Bread" {
				t.Errorf("got the title %q, error %v", got.Title, err)
			}
			broken = false
			c.advance(time.Hour)
		}
	})
}

func TestSnapshotOverTheQuotaIsNotStored(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *service.Service, s *store.Store) {
		withSnapshots(svc, 10)
		url := site(t, func(w http.ResponseWriter, _ *http.Request) { writeArticle(w, "Bread") })
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, svc, ada, url)
		fetchPages(t, svc)
		if _, err := s.TextSnapshot(t.Context(), ada.ID, link.ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("read what was saved: got %v, want %v", err, waymark.ErrNotFound)
		}
		wantWaiting(t, s, 0)
	})
}

func TestArchivesHaveTheSnapshotsOfPages(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *service.Service, s *store.Store) {
		withSnapshots(svc, 1<<20)
		ada, eve, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "eve"), storetest.User(t, s, "bob")
		for _, about := range []string{"Bread", "Cake"} {
			link := addUnfetched(t, svc, ada, site(t, func(w http.ResponseWriter, _ *http.Request) { writeArticle(w, about) }))
			fetchPages(t, svc)
			if about == "Cake" {
				if err := svc.DeleteLink(t.Context(), ada, link.ID); err != nil {
					t.Fatal(err)
				}
			}
			c.advance(time.Hour)
		}
		file := export(t, svc, ada, service.ExportArchive)
		if n := strings.Count(file, `{"type":"text_snapshot"`); n != 2 {
			t.Fatalf("got %d snapshots, want 2:\n%s", n, file)
		}
		for range 2 {
			if _, problems := importArchive(t, svc, s, eve, strings.NewReader(file)); len(problems) > 0 {
				t.Errorf("got problems %q", problems)
			}
			if got := export(t, svc, eve, service.ExportArchive); got != file {
				t.Errorf("got\n%s\nwant\n%s", got, file)
			}
		}
		// A link that was there before loses the snapshot again when the import is undone.
		fay := storetest.User(t, s, "fay")
		_, url, _ := strings.Cut(file, `"url":"`)
		url, _, _ = strings.Cut(url, `"`)
		before := addLinks(t, svc, fay, waymark.LinkInput{URL: url})[0]
		i, _ := importArchive(t, svc, s, fay, strings.NewReader(file))
		if _, err := s.TextSnapshot(t.Context(), fay.ID, before.ID); err != nil {
			t.Errorf("the link has no snapshot: %v", err)
		}
		if _, err := svc.UndoImport(t.Context(), fay, i.ID, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.TextSnapshot(t.Context(), fay.ID, before.ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("after the undo: got error %v, want %v", err, waymark.ErrNotFound)
		}
		withSnapshots(svc, 10)
		if _, problems := importArchive(t, svc, s, bob, strings.NewReader(file)); len(problems) != 2 || !strings.Contains(problems[0], waymark.ErrSnapshotQuota.Error()) {
			t.Errorf("over the quota: got problems %q", problems)
		}
	})
}

func TestImportedSnapshotsAreCleaned(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *service.Service, s *store.Store) {
		withSnapshots(svc, 1<<20)
		ada := storetest.User(t, s, "ada")
		_, problems := importArchive(t, svc, s, ada, strings.NewReader(`{"format":"waymark-archive","version":1}
{"type":"link","number":1,"url":"https://a.example/"}
{"type":"text_snapshot","link":1,"html":"<p onclick='x()'>Text<script>alert(1)</script><img src='https://spy.example/'></p>"}
{"type":"link","number":2,"url":"https://b.example/"}
{"type":"text_snapshot","link":2,"url":"https://b.example/page","html":"<script>alert(1)</script>"}
{"type":"end","entities":4}
`))
		if want := []string{"line 5: https://b.example/page: the snapshot has no text"}; !slices.Equal(problems, want) {
			t.Errorf("got problems %q, want %q", problems, want)
		}
		link, err := s.LinkByURL(t.Context(), ada.ID, "https://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		if _, html, err := s.TextSnapshotHTML(t.Context(), ada.ID, link.ID); err != nil || html != "<p>Text</p>" {
			t.Errorf("got %q, error %v, want the text alone", html, err)
		}
	})
}

// TestUsersChooseWhichSnapshotsAreMade turns snapshots off for a user, for one link, and on for another link, and
// turns pictures off.
func TestUsersChooseWhichSnapshotsAreMade(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *service.Service, s *store.Store) {
		withSnapshots(svc, 1<<20)
		svc.PageParts |= waymark.ThumbnailPart | waymark.IconPart
		requests := map[string]int{}
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			requests[r.URL.Path]++
			writeArticle(w, "Bread")
		})
		ada := storetest.User(t, s, "ada")
		links := addLinks(t, svc, ada, waymark.LinkInput{URL: url + "a"}, waymark.LinkInput{URL: url + "b"}, waymark.LinkInput{URL: url + "c", Title: new("C"), Description: new("C")})
		choose := func(link waymark.Link, choice waymark.SnapshotChoice) {
			t.Helper()
			if _, err := svc.EditLink(t.Context(), ada, link.ID, waymark.LinkInput{URL: link.URL, Snapshots: &choice}); err != nil {
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
				if _, err := s.TextSnapshot(t.Context(), ada.ID, link.ID); (err == nil) != want[i] || err != nil && !errors.Is(err, waymark.ErrNotFound) {
					t.Errorf("link %d: got %v, want a snapshot: %t", i, err, want[i])
				}
			}
			wantWaiting(t, s, 0)
		}
		choose(links[0], waymark.NoSnapshots) // the requests of all wait
		choose(links[1], waymark.TextSnapshots)
		if _, _, err := s.ChangeSettings(t.Context(), ada.ID, func(s *waymark.Settings, _ *waymark.DefaultVisibility) error {
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
		later := addLinks(t, svc, ada, waymark.LinkInput{URL: url + "d", Title: new("D"), Description: new("D")})
		wantWaiting(t, s, 0)
		wantSnapshots(false, true, true)
		if requests["/d"] != 0 {
			t.Errorf("%s was requested, of which nothing is wanted", later[0].URL)
		}
	})
}

func TestASavedLinkIsRequestedOnce(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *service.Service, s *store.Store) {
		withSnapshots(svc, 1<<20)
		svc.Pages = service.NewPages(fetch.New(fetchOptions()), service.PageOptions{Wait: 30 * time.Second, Tries: 3, Timeout: 30 * time.Second, Parallel: 1})
		requests := 0
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			writeArticle(w, "Bread")
		})
		link := save(t, svc, storetest.User(t, s, "ada"), waymark.LinkInput{URL: url})
		fetchPages(t, svc) // waits, because one page is fetched at a time
		found, err := s.TextSnapshot(t.Context(), link.Owner, link.ID)
		if err != nil || link.Title != "Bread" || found.Title != "Bread" || requests != 1 {
			t.Errorf("got a link %q and a snapshot of %q, %v, after %d requests, want Bread after one", link.Title, found.Title, err, requests)
		}
	})
}
