package crawl_test

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/store"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// newPausing returns a server of a database that leaves a second between requests to a host.
func newPausing(s *store.Store) *crawler {
	svc := newFetching(s)
	svc.set(func(o *crawl.Options) {
		o.Tries, o.Timeout, o.Parallel, o.HostPause = 3, 30*time.Second, 2, time.Second
	})
	svc.set(func(o *crawl.Options) { o.Checks = true })
	return svc
}

// countingSite is a server that counts its requests, and responds as respond says.
func countingSite(t *testing.T, respond http.HandlerFunc) (url string, requests func() int) {
	var mu sync.Mutex
	n := 0
	url = site(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		n++
		respond(w, r)
	})
	return url, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// TestServersTogetherLeaveASecondBetweenRequestsToAHost runs two servers that fetch and check, and a
// command that checks.
func TestServersTogetherLeaveASecondBetweenRequestsToAHost(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url, requests := countingSite(t, func(w http.ResponseWriter, r *http.Request) { sendHTML("<title>Page</title>")(w, r) })
		servers := []*crawler{newPausing(s), newPausing(s)}
		const links = 4
		for i := range links {
			addLinks(t, s, ada, waymark.LinkInput{URL: url + strconv.Itoa(i)})
		}
		must(t, servers[0].PlanChecks(t.Context()))
		c.advance(day)
		for second := 1; requests() < 2*links; second++ {
			if second > 4*links {
				t.Fatalf("after %d seconds: got %d requests, want %d", second, requests(), 2*links)
			}
			var running sync.WaitGroup
			for _, server := range servers {
				running.Go(func() { fetchPages(t, server) })
				running.Go(func() { checkAfter(t, c, server, 0) })
			}
			running.Wait()
			if requests() > second {
				t.Fatalf("after %d seconds: got %d requests", second, requests())
			}
			c.advance(time.Second)
			must(t, s.Queue.PruneHosts(t.Context()))
		}
	})
}

func TestSavingLinksObeysRetryAfter(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url, requests := countingSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		for i := range 2 {
			save(t, svc, s, ada, waymark.LinkInput{URL: url + strconv.Itoa(i)})
		}
		if n := requests(); n != 1 {
			t.Errorf("got %d requests, want one", n)
		}
	})
}

func TestServersTogetherObeyRetryAfter(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url, requests := countingSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		fetching, checking := newPausing(s), newPausing(s)
		links := addLinks(t, s, ada, waymark.LinkInput{URL: url}, waymark.LinkInput{URL: url + "2"})
		fetchPages(t, fetching)
		skipped := 0
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // the clock stands, so a wait for the host would not end
		defer cancel()
		must(t, checking.CheckThese(ctx, []queue.CheckableLink{{ID: links[0].ID, URL: url}, {ID: links[1].ID, URL: url + "2"}}, func(checked crawl.CheckedLink) error {
			if checked.Result.Result == waymark.CheckNone {
				skipped++
			}
			return nil
		}))
		if n := requests(); n != 1 || skipped != 2 {
			t.Errorf("got %d requests and %d skipped links, want one request, and 2 links that another process skips", n, skipped)
		}
		must(t, s.Queue.PruneHosts(t.Context()))
		c.advance(time.Hour - time.Second)
		fetchPages(t, newPausing(s))
		if n := requests(); n != 1 {
			t.Errorf("within the time of Retry-After: got %d requests, want 1", n)
		}
		c.advance(time.Second)
		fetchPages(t, newPausing(s))
		if n := requests(); n != 2 {
			t.Errorf("after the time of Retry-After: got %d requests, want 2", n)
		}
	})
}
