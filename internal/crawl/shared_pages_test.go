package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestServersShareThePages(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var mu sync.Mutex
		requests := map[string]int{}
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			requests[r.URL.Path]++
			fmt.Fprint(w, "<title>Page</title>")
		})
		var inputs []waymark.LinkInput
		for i := range 40 {
			inputs = append(inputs, waymark.LinkInput{URL: url + strconv.Itoa(i)})
		}
		addLinks(t, s, ada, inputs...)
		var running sync.WaitGroup
		for _, server := range []*crawler{svc, newFetching(s)} {
			for range 2 {
				running.Go(func() { fetchPages(t, server) })
			}
		}
		running.Wait()
		wantWaiting(t, s, 0)
		for path, n := range requests {
			if n != 1 {
				t.Errorf("%s was requested %d times, want once", path, n)
			}
		}
		if len(requests) != len(inputs) {
			t.Errorf("got %d pages, want %d", len(requests), len(inputs))
		}
	})
}

func TestPagesOfAStoppedServerAreClaimedAgain(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		ctx, stop := context.WithCancel(t.Context())
		stopped := false
		link := addUnfetched(t, s, ada, site(t, func(w http.ResponseWriter, r *http.Request) {
			if !stopped {
				stopped = true
				stop()
				<-r.Context().Done()
			}
			fmt.Fprint(w, "<title>Page</title>")
		}))
		if err := svc.FetchPages(ctx); err != nil {
			t.Errorf("got error %v, want none", err)
		}
		fetchPages(t, newFetching(s))
		wantLink(t, s, link.ID, "Page", "", "")
	})
}

func TestUsersShareTheFetchesOfPages(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var inputs []waymark.LinkInput
		for i := range 200 {
			inputs = append(inputs, waymark.LinkInput{URL: "https://site.example/" + strconv.Itoa(i)})
		}
		addLinks(t, s, ada, inputs...)
		c.advance(time.Minute)
		late := addUnfetched(t, s, bob, "https://late.example/")
		for range 60 { // each claim is bob's with a probability of one half
			claimed, err := s.Queue.ClaimPage(t.Context(), c.Now().Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			if claimed.Link == late.ID && claimed.Owner == bob.ID && claimed.URL == late.URL {
				return
			}
		}
		t.Error("the page of bob waits for those of ada")
	})
}

func TestRequestsToAHostAreApart(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		svc.set(func(o *crawl.Options) {
			o.Wait, o.Tries, o.Timeout, o.Parallel, o.HostPause = 300*time.Millisecond, 3, 30*time.Second, 1, time.Second
		})
		requests := 0
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			fmt.Fprint(w, "<title>Page</title>")
		})
		for i := range 5 {
			addUnfetched(t, s, ada, url+strconv.Itoa(i))
		}
		for second := range 5 {
			fetchPages(t, svc)
			if requests != second+1 {
				t.Errorf("after %d seconds: got %d requests, want %d", second, requests, second+1)
			}
			// Saving a link does not wait for the host either.
			save(t, svc, s, ada, waymark.LinkInput{URL: url + "new" + strconv.Itoa(second)})
			if requests != second+1 {
				t.Errorf("after %d seconds: the page of a new link was fetched", second)
			}
			c.advance(time.Second)
		}
		wantWaiting(t, s, 5)
	})
}

func TestALinkIsSavedWhileItsPageIsSlow(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		requests, finish := 0, make(chan struct{})
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			<-finish
			fmt.Fprint(w, "<title>Slow</title>")
		})
		svc.set(func(o *crawl.Options) {
			o.Wait, o.Tries, o.Timeout, o.Parallel = 10*time.Millisecond, 3, time.Minute, 1
		})
		link := save(t, svc, s, ada, waymark.LinkInput{URL: url})
		wantLink(t, s, link.ID, "127.0.0.1", "", "")
		close(finish)
		fetchPages(t, svc) // waits, because one page is fetched at a time
		wantLink(t, s, link.ID, "Slow", "", "")
		if requests != 1 {
			t.Errorf("got %d requests, want one", requests)
		}
	})
}
