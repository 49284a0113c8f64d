package service_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// saving makes a service save full snapshots.
func saving(svc *service.Service, quota int64) {
	svc.PageParts, svc.SnapshotQuota = waymark.TextParts|waymark.TextSnapshotPart|waymark.FullSnapshotPart, quota
}

// writePageWithImage writes a page with an image on the same server.
func writePageWithImage(w http.ResponseWriter, r *http.Request, about string) {
	if r.URL.Path == "/image.png" {
		fmt.Fprint(w, "\x89PNG\r\n\x1a\n")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<title>%s</title><script>alert(1)</script><p>%s</p><img src="/image.png">`, about, strings.Repeat(about+" ", 30))
}

func TestWholePageIsSavedWithItsImagesInTheSameVisit(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *service.Service, s *store.Store) {
		saving(svc, 1<<20)
		pages, gone := 0, false
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				pages++
				if gone {
					w.WriteHeader(http.StatusNotFound)
				}
			}
			writePageWithImage(w, r, "Bread")
		})
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, svc, ada, url)
		saved := c.Now()
		for range 2 { // the page that is gone leaves the one that was saved
			fetchPages(t, svc)
			found, err := s.FullSnapshot(t.Context(), ada.ID, link.ID)
			file, err2 := s.FullSnapshotHTML(t.Context(), ada.ID, link.ID)
			if err != nil || err2 != nil || found.FetchedAt != saved || !strings.Contains(file, `<img src="data:image/png;base64,`) || strings.Contains(file, "script") {
				t.Errorf("got %+v with %q, errors %v, %v", found, file, err, err2)
			}
			gone = true
			c.advance(time.Hour)
			if _, err := svc.RequestPages(t.Context(), ada, []int64{int64(link.ID)}); err != nil {
				t.Fatal(err)
			}
		}
		if pages != 2 {
			t.Errorf("got %d requests for the page, want one for each check", pages)
		}
	})
}

func TestWholePageOverTheQuotaIsNotSaved(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *service.Service, s *store.Store) {
		saving(svc, 10)
		url := site(t, func(w http.ResponseWriter, r *http.Request) { writePageWithImage(w, r, "Bread") })
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, svc, ada, url)
		fetchPages(t, svc)
		if _, err := s.FullSnapshot(t.Context(), ada.ID, link.ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("read what was saved: got %v, want %v", err, waymark.ErrNotFound)
		}
		wantWaiting(t, s, 0)
	})
}

func TestArchivesHaveWholePagesAndAnImportCleansThem(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *service.Service, s *store.Store) {
		saving(svc, 1<<20)
		ada, eve, fay, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "eve"), storetest.User(t, s, "fay"), storetest.User(t, s, "bob")
		addUnfetched(t, svc, ada, site(t, func(w http.ResponseWriter, r *http.Request) { writePageWithImage(w, r, "Bread") }))
		fetchPages(t, svc)
		file := export(t, svc, ada, service.ExportArchive)
		if n := strings.Count(file, `{"type":"full_snapshot"`); n != 1 {
			t.Fatalf("got %d full snapshots, want 1:\n%s", n, file)
		}
		for range 2 {
			if _, problems := importArchive(t, svc, s, eve, strings.NewReader(file)); len(problems) > 0 {
				t.Errorf("got problems %q", problems)
			}
			if got := export(t, svc, eve, service.ExportArchive); got != file {
				t.Errorf("got\n%s\nwant\n%s", got, file)
			}
		}
		hostile := strings.Replace(file, "<body>", `<body onload=x()><script>x()</script><img src=\"https://spy.example/\">`, 1)
		// A link that was there before loses the page again when the import is undone.
		_, url, _ := strings.Cut(file, `"url":"`)
		url, _, _ = strings.Cut(url, `"`)
		before := addLinks(t, svc, fay, waymark.LinkInput{URL: url})[0]
		i, _ := importArchive(t, svc, s, fay, strings.NewReader(hostile))
		if got, err := s.FullSnapshotHTML(t.Context(), fay.ID, before.ID); err != nil || strings.Contains(got, "x()") || strings.Contains(got, "spy.example") || !strings.Contains(got, "data:image/png") {
			t.Errorf("got %q, error %v", got, err)
		}
		if _, err := svc.UndoImport(t.Context(), fay, i.ID, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.FullSnapshot(t.Context(), fay.ID, before.ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("after the undo: got error %v, want %v", err, waymark.ErrNotFound)
		}
		saving(svc, 10)
		if _, problems := importArchive(t, svc, s, bob, strings.NewReader(file)); len(problems) != 2 || !strings.Contains(problems[1], waymark.ErrSnapshotQuota.Error()) {
			t.Errorf("over the quota: got problems %q, want those of the text and of the page", problems)
		}
	})
}
