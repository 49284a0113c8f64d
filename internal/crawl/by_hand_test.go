package crawl_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// addByHand saves one link, as a form does, without waiting for its page.
func addByHand(t *testing.T, s *store.Store, owner waymark.User, url string) waymark.Link {
	t.Helper()
	link, err := waymark.NewLink(owner, waymark.LinkInput{URL: url})
	must(t, err)
	if link, err = s.CreateLink(t.Context(), owner, waymark.LinkDraft{Link: link}); err != nil {
		t.Fatal(err)
	}
	return link
}

// TestALinkSavedByHandDoesNotWaitForAnImport has all jobs busy with the links of an import, whose server
// never responds.
func TestALinkSavedByHandDoesNotWaitForAnImport(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		const jobs = 2
		svc.set(func(o *crawl.Options) { o.Parallel, o.Wait = jobs, 10*time.Second })
		asked, finish := make(chan struct{}, 100), make(chan struct{})
		silent := site(t, func(http.ResponseWriter, *http.Request) {
			asked <- struct{}{}
			<-finish
		})
		var imported []waymark.LinkInput
		for i := range 40 {
			imported = append(imported, waymark.LinkInput{URL: silent + strconv.Itoa(i)})
		}
		addLinks(t, s, ada, imported...)
		var running sync.WaitGroup
		defer running.Wait()
		defer close(finish)
		for range jobs {
			running.Go(func() { _ = svc.FetchPages(t.Context()) })
			<-asked
		}

		fast := titled(t, "Bread")
		link := svc.FetchNew(t.Context(), ada, addByHand(t, s, ada, fast+"waited"))
		if link.Title != "Bread" {
			t.Errorf("saved and waited for: got the title %q, want that of the page", link.Title)
		}
		other := newFetching(s) // another server
		for _, server := range []*crawler{svc, other} {
			link := addByHand(t, s, ada, fast+fmt.Sprintf("%p", server))
			must(t, server.FetchPagesByHand(t.Context()))
			wantLink(t, s, link.ID, "Bread", "About Bread", fast+"i.png")
		}
	})
}

// TestALinkSavedByHandGoesBeforeOthersOfItsHost has many pages of a host planned, a second apart.
func TestALinkSavedByHandGoesBeforeOthersOfItsHost(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		svc.set(func(o *crawl.Options) { o.Parallel, o.HostPause, o.Wait = 1, time.Second, 300*time.Millisecond })
		var paths []string
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, strings.TrimPrefix(r.URL.Path, "/"))
			fmt.Fprint(w, "<title>Page</title>")
		})
		for i := range 20 {
			addUnfetched(t, s, ada, url+strconv.Itoa(i))
		}
		fetchPages(t, svc)
		for _, name := range []string{"a", "b"} {
			svc.FetchNew(t.Context(), ada, addByHand(t, s, ada, url+name))
		}
		fetchPages(t, svc) // postpones both
		for range 3 {
			c.advance(time.Second)
			fetchPages(t, svc)
		}
		if len(paths) != 4 || !strings.Contains(strings.Join(paths[1:3], ""), "a") || !strings.Contains(strings.Join(paths[1:3], ""), "b") {
			t.Errorf("got requests for %q, want a and b after the first", paths)
		}
	})
}
