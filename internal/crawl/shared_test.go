package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

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
		must(t, svc.PlanChecks(ctx))
		c.advance(day)
		if err := svc.CheckLinks(ctx); err != nil {
			t.Errorf("got error %v, want none", err)
		}
		wantChecks(t, s, link, waymark.CheckNone, waymark.StatusOK)
		checkAfter(t, c, newChecking(s), 0)
		wantChecks(t, s, link, waymark.CheckOK, waymark.StatusOK)
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
		must(t, svc.PlanChecks(t.Context()))
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

func TestServersShareThePagesAndTheChecks(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var mu sync.Mutex
		requests := map[string]int{}
		url := site(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			requests[r.URL.Path]++
			fmt.Fprint(w, "<title>Page</title>")
		})
		const links = 12
		for i := range links {
			addUnfetched(t, s, ada, url+strconv.Itoa(i))
		}
		servers := []*crawler{svc, newChecking(s)}
		together := func(run func(server *crawler)) {
			var running sync.WaitGroup
			for _, server := range append(servers, servers...) {
				running.Go(func() { run(server) })
			}
			running.Wait()
		}
		for i, run := range []func(server *crawler){
			func(server *crawler) { fetchPages(t, server) },
			func(server *crawler) { checkAfter(t, c, server, 0) },
		} {
			together(run)
			c.advance(day)
			together(run)
			for path, n := range requests {
				if n != i+1 {
					t.Errorf("%s was requested %d times, want %d", path, n, i+1)
				}
			}
		}
		if len(requests) != links {
			t.Errorf("got %d pages, want %d", len(requests), links)
		}
		wantWaiting(t, s, 0)
	})
}

func TestUsersShareThePagesAndTheChecks(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var inputs []waymark.LinkInput
		for i := range 200 {
			inputs = append(inputs, waymark.LinkInput{URL: "https://site.example/" + strconv.Itoa(i)})
		}
		addLinks(t, s, ada, inputs...)
		plan := func() {
			for range 2 { // the second time from the first link again
				must(t, svc.PlanChecks(t.Context()))
			}
			c.advance(day)
		}
		plan()
		late := addUnfetched(t, s, bob, "https://late.example/")
		plan()
		page, checked := false, false
		for range 60 { // each claim is bob's with a probability of one half
			claimedPage, err := s.Queue.ClaimPage(t.Context(), c.Now().Add(time.Hour))
			claimedCheck, err2 := s.Queue.ClaimCheck(t.Context(), c.Now().Add(time.Hour))
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			page, checked = page || claimedPage.Link == late.ID, checked || claimedCheck.Link == late.ID
		}
		if !page || !checked {
			t.Errorf("the link of bob waits for those of ada: fetched %t, checked %t", page, checked)
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
