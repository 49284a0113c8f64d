package crawl_test

import (
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

// saving makes a crawler save full snapshots.
func saving(svc *crawler, quota int64) {
	svc.set(func(o *crawl.Options) {
		o.Parts, o.SnapshotQuota = waymark.TextParts|waymark.TextSnapshotPart|waymark.FullSnapshotPart, quota
	})
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
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
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
		link := addUnfetched(t, s, ada, url)
		saved := c.Now()
		for range 2 { // a page that is gone leaves its saved snapshot
			fetchPages(t, svc)
			found, err := s.Snapshots.Full(t.Context(), ada.ID, link.ID)
			file, err2 := storetest.FullHTML(t, s, ada.ID, link.ID)
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
			t.Errorf("got %d requests for the page, want one for each fetch", pages)
		}
	})
}

func TestAPageOfABrowserIsNotFetchedForSnapshots(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		saving(svc, 1<<20)
		url := site(t, func(w http.ResponseWriter, r *http.Request) { writePageWithImage(w, r, "Please sign in") })
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, s, ada, url)
		storetest.AttachPage(t, s, link, "<p>What I see", "<p>What I see</p>")
		fetchPages(t, svc)
		file, err := storetest.FullHTML(t, s, ada.ID, link.ID)
		_, text, err2 := s.Snapshots.TextHTML(t.Context(), ada.ID, link.ID)
		if err != nil || err2 != nil || file != "<p>What I see" || text != "<p>What I see</p>" {
			t.Errorf("got the page %q and the text %q, errors %v, %v", file, text, err, err2)
		}
		if stats := svc.Stats().Parts; stats[waymark.TextSnapshotPart].Done+stats[waymark.FullSnapshotPart].Done != 0 {
			t.Errorf("got %+v, want no snapshot to be made", stats)
		}
		wantWaiting(t, s, 0)
	})
}
