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

func TestServersShareTheChecks(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var mu sync.Mutex
		requests := map[string]int{}
		url := site(t, func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			requests[r.URL.Path]++
		})
		var inputs []waymark.LinkInput
		for i := range 40 {
			inputs = append(inputs, waymark.LinkInput{URL: url + strconv.Itoa(i)})
		}
		addLinks(t, s, ada, inputs...)
		servers := []*crawler{svc, newChecking(s)}
		var running sync.WaitGroup
		for _, server := range servers {
			running.Go(func() { checkAfter(t, c, server, 0) })
		}
		running.Wait()
		c.advance(day)
		for _, server := range servers {
			for range 2 {
				running.Go(func() { checkAfter(t, c, server, 0) })
			}
		}
		running.Wait()
		for path, n := range requests {
			if n != 1 {
				t.Errorf("%s was checked %d times, want once", path, n)
			}
		}
		if len(requests) != len(inputs) {
			t.Errorf("got %d checks, want %d", len(requests), len(inputs))
		}
	})
}

func TestChecksOfAStoppedServerAreClaimedAgain(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		ctx, stop := context.WithCancel(t.Context())
		link := addLinks(t, s, ada, waymark.LinkInput{URL: site(t, func(_ http.ResponseWriter, r *http.Request) {
			if ctx.Err() == nil {
				stop()
				<-r.Context().Done()
			}
		})})[0]
		if err := svc.PlanChecks(ctx); err != nil {
			t.Fatal(err)
		}
		c.advance(day)
		if err := svc.CheckLinks(ctx); err != nil {
			t.Errorf("got error %v, want none", err)
		}
		wantChecks(t, s, link, waymark.CheckNone, waymark.StatusOK)
		checkAfter(t, c, newChecking(s), 0)
		wantChecks(t, s, link, waymark.CheckOK, waymark.StatusOK)
	})
}

func TestUsersShareTheChecks(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var inputs []waymark.LinkInput
		for i := range 200 {
			inputs = append(inputs, waymark.LinkInput{URL: "https://site.example/" + strconv.Itoa(i)})
		}
		addLinks(t, s, ada, inputs...)
		if err := svc.PlanChecks(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.advance(day)
		late := addLinks(t, s, bob, waymark.LinkInput{URL: "https://late.example/"})[0]
		if err := svc.PlanChecks(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := svc.PlanChecks(t.Context()); err != nil { // from the first link again
			t.Fatal(err)
		}
		c.advance(day)
		for range 60 { // each claim is bob's with a probability of one half
			claimed, err := s.Queue.ClaimCheck(t.Context(), c.Now().Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			if claimed.Link == late.ID && claimed.Owner == bob.ID && claimed.URL == late.URL {
				return
			}
		}
		t.Error("the link of bob waits for those of ada")
	})
}

func TestChecksOfAHostAreApart(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		svc.set(func(o *crawl.Options) {
			o.Tries, o.Timeout, o.Parallel, o.HostPause = 3, 30*time.Second, 1, time.Second
		})
		svc.set(func(o *crawl.Options) { o.Checks = true })
		requests, retryAfter := 0, ""
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			if requests++; retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
				w.WriteHeader(http.StatusTooManyRequests)
			}
		})
		for i := range 6 {
			addLinks(t, s, ada, waymark.LinkInput{URL: url + strconv.Itoa(i)})
		}
		checkAfter(t, c, svc, day)
		for second := range 4 {
			if requests != second+1 {
				t.Errorf("after %d seconds: got %d requests, want %d", second, requests, second+1)
			}
			if second == 3 {
				retryAfter = "3600"
			}
			checkAfter(t, c, svc, time.Second)
		}
		// The server has asked for an hour without requests.
		checkAfter(t, c, svc, time.Hour-time.Second)
		if requests != 5 {
			t.Errorf("within the time of Retry-After: got %d requests, want 5", requests)
		}
		checkAfter(t, c, svc, time.Second)
		if requests != 6 {
			t.Errorf("after the time of Retry-After: got %d requests, want 6", requests)
		}
	})
}

func TestFirstChecksAreSpread(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var inputs []waymark.LinkInput
		for i := range 400 {
			inputs = append(inputs, waymark.LinkInput{URL: fmt.Sprintf("https://site.example/%d", i)})
		}
		addLinks(t, s, ada, inputs...)
		if err := svc.PlanChecks(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, hour := range []int{6, 12, 18, 24} {
			c.advance(6 * time.Hour)
			queue, err := s.Queue.CheckQueue(t.Context())
			// 60 links are at least six standard deviations.
			if want := 400 * hour / 24; err != nil || queue.Due < want-60 || queue.Due > want+60 {
				t.Errorf("after %d hours: got %d due links (%v), want about %d", hour, queue.Due, err, want)
			}
		}
	})
}
