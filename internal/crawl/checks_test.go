package crawl_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/fetch/check"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

const day = 24 * time.Hour

// eachDatabaseChecking is eachDatabaseAt with a crawler that checks links of this machine.
func eachDatabaseChecking(t *testing.T, run func(t *testing.T, c *testClock, svc *crawler, s *store.Store)) {
	eachWithParts(t, waymark.TextParts, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		svc.set(func(o *crawl.Options) { o.Checks = true })
		run(t, c, svc, s)
	})
}

// newChecking returns another server on the same database.
func newChecking(s *store.Store) *crawler {
	svc := newFetching(s)
	svc.set(func(o *crawl.Options) { o.Checks = true })
	return svc
}

// checkAfter plans the checks, lets a time pass, and makes those that are due.
func checkAfter(t *testing.T, c *testClock, svc *crawler, d time.Duration) {
	t.Helper()
	must(t, svc.PlanChecks(t.Context()))
	c.advance(d)
	must(t, svc.CheckLinks(t.Context()))
}

func wantChecks(t *testing.T, s *store.Store, link waymark.Link, result waymark.CheckResult, status waymark.Status) waymark.LinkChecks {
	t.Helper()
	checks, err := s.Queue.LinkChecks(t.Context(), link.Owner, link.ID)
	must(t, err)
	l, err := s.Link(t.Context(), link.Owner, link.ID)
	must(t, err)
	if checks.Result != result || l.Status != status {
		t.Errorf("got the result %q and the status %d, want %q and %d", checks.Result, l.Status, result, status)
	}
	if l.UpdatedAt != link.UpdatedAt {
		t.Error("updated_at has changed: it is the time when a user changed the link")
	}
	return checks
}

// statusSite is a server that responds with a status, which the test changes.
func statusSite(t *testing.T) (url string, status *int, requests *int) {
	status, requests = new(int), new(int)
	*status = http.StatusOK
	var mu sync.Mutex
	return site(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodGet || *status < 300 {
			*requests++ // each check once
		}
		w.WriteHeader(*status)
	}), status, requests
}

func TestALinkIsBrokenAfterThreeDeadDays(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url, status, requests := statusSite(t)
		link := addLinks(t, s, ada, waymark.LinkInput{URL: url})[0]
		broken := func() []int64 {
			ids, err := s.MatchingLinks(t.Context(), ada.ID, waymark.LinkFilter{Where: waymark.IsBroken})
			must(t, err)
			return ids
		}
		*status = http.StatusNotFound
		for i, step := range []struct {
			after    time.Duration
			requests int
			status   waymark.Status
		}{{day, 1, 1}, {23 * time.Hour, 1, 1}, {time.Hour, 2, 1}, {3 * day, 3, 3}, {6 * day, 3, 3}, {day, 4, 3}} {
			checkAfter(t, c, svc, step.after)
			checks := wantChecks(t, s, link, waymark.CheckDead, step.status)
			if *requests != step.requests || checks.Code != 404 || checks.Reason != "status" || len(checks.Checks) != step.requests {
				t.Errorf("step %d: got %d checks and %+v, want %d checks", i, *requests, checks, step.requests)
			}
			if got := broken(); slices.Equal(got, []int64{int64(link.ID)}) != (step.status == waymark.StatusBroken) {
				t.Errorf("step %d: the search for broken links has %d", i, got)
			}
		}
		*status = http.StatusOK
		checkAfter(t, c, svc, 14*day)
		checks := wantChecks(t, s, link, waymark.CheckOK, waymark.StatusOK)
		if want := c.Now().Add(30 * day); checks.DueAt != want {
			t.Errorf("got the next check at %s, want %s", checks.DueAt, want)
		}
		if got := broken(); len(got) != 0 {
			t.Errorf("the search for broken links has %d", got)
		}
		want := map[crawl.CountedResult]int{{Result: waymark.CheckDead, Reason: check.Status}: 4, {Result: waymark.CheckOK}: 1}
		if got := svc.Stats().Checks; !maps.Equal(got, want) {
			t.Errorf("got the counts %v, want %v", got, want)
		}
	})
}

func TestAMovedLinkOffersTheNewURL(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		after := titled(t, "After")
		link := addLinks(t, s, ada, waymark.LinkInput{URL: site(t, http.RedirectHandler(after, http.StatusMovedPermanently).ServeHTTP)})[0]
		checkAfter(t, c, svc, day)
		if checks := wantChecks(t, s, link, waymark.CheckMoved, waymark.StatusMoved); checks.NewURL != after {
			t.Errorf("got the URL %q, want %q", checks.NewURL, after)
		}
		link, err := editLink(t, s, ada, link.ID, waymark.LinkInput{URL: after})
		must(t, err)
		if checks := wantChecks(t, s, link, waymark.CheckNone, waymark.StatusOK); checks.Checks != nil {
			t.Errorf("got %+v, want that the checks of the old URL are forgotten", checks)
		}
		checkAfter(t, c, svc, day)
		wantChecks(t, s, link, waymark.CheckOK, waymark.StatusOK)
	})
}

func TestAnURLThatChangesDuringTheCheckGetsNoResult(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		after, _, requests := statusSite(t)
		var link waymark.Link
		link = addLinks(t, s, ada, waymark.LinkInput{URL: site(t, func(w http.ResponseWriter, _ *http.Request) {
			var err error
			if link, err = editLink(t, s, ada, link.ID, waymark.LinkInput{URL: after}); err != nil {
				t.Error(err)
			}
		})})[0]
		checkAfter(t, c, svc, day)
		wantChecks(t, s, link, waymark.CheckNone, waymark.StatusOK)
		checkAfter(t, c, svc, day)
		wantChecks(t, s, link, waymark.CheckOK, waymark.StatusOK)
		if *requests != 1 {
			t.Errorf("got %d checks of the new URL, want 1", *requests)
		}
	})
}

func TestLinksThatAreNotToBeCheckedAreNotChecked(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url, _, requests := statusSite(t)
		yes, no := true, false
		links := addLinks(t, s, ada,
			waymark.LinkInput{URL: url + "disabled", CheckDisabled: &yes},
			waymark.LinkInput{URL: url + "disabled-later"},
			waymark.LinkInput{URL: url + "trash"})
		must(t, svc.PlanChecks(t.Context()))
		if _, err := editLink(t, s, ada, links[1].ID, waymark.LinkInput{URL: links[1].URL, CheckDisabled: &yes}); err != nil {
			t.Fatal(err)
		}
		must(t, s.Delete(t.Context(), ada, waymark.Links, int64(links[2].ID)))
		for range 3 {
			checkAfter(t, c, svc, 30*day)
		}
		all, err := s.Queue.CheckableLinks(t.Context(), 0, true)
		if err != nil || len(all) != 0 {
			t.Errorf("got the links %v (%v), want none", all, err)
		}
		if *requests != 0 {
			t.Errorf("got %d checks, want none", *requests)
		}
		// Both are planned again when they are to be checked.
		if _, err := editLink(t, s, ada, links[1].ID, waymark.LinkInput{URL: links[1].URL, CheckDisabled: &no}); err != nil {
			t.Fatal(err)
		}
		checkAfter(t, c, svc, 0)
		checkAfter(t, c, svc, day)
		if *requests != 1 {
			t.Errorf("got %d checks, want 1", *requests)
		}
	})
}

func TestChosenLinksAreCheckedAtOnce(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url, _, requests := statusSite(t)
		var inputs []waymark.LinkInput
		for i := range 10 {
			inputs = append(inputs, waymark.LinkInput{URL: url + strconv.Itoa(i)})
		}
		addLinks(t, s, ada, inputs...)
		for _, want := range []struct {
			all    bool
			checks int
		}{{false, 10}, {false, 10}, {true, 20}} { // they are due once
			links, err := s.Queue.CheckableLinks(t.Context(), ada.ID, want.all)
			must(t, err)
			var checked []string
			must(t, svc.CheckThese(t.Context(), links, func(link crawl.CheckedLink) error {
				checked = append(checked, link.Link.URL)
				return nil
			}))
			if *requests != want.checks || len(checked) != len(links) {
				t.Errorf("got %d checks and %d results, want %d and %d", *requests, len(checked), want.checks, len(links))
			}
		}
	})
}

func TestACheckWaitsForThePauseOfTheHost(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFetching(s)
		svc.set(func(o *crawl.Options) { o.Checks, o.CheckWait, o.HostPause = true, time.Minute, 10*time.Millisecond })
		ada := storetest.User(t, s, "ada")
		url, _, _ := statusSite(t)
		for _, link := range addLinks(t, s, ada, waymark.LinkInput{URL: url + "a"}, waymark.LinkInput{URL: url + "b"}) {
			must(t, svc.CheckNow(t.Context(), ada, link.ID, true))
			wantChecks(t, s, link, waymark.CheckOK, waymark.StatusOK)
		}
	})
}

// TestASlowLinkIsCheckedInTheBackground does not wait for a page, and checks it later.
func TestASlowLinkIsCheckedInTheBackground(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		svc.set(func(o *crawl.Options) { o.Checks, o.CheckWait = true, time.Millisecond })
		ada := storetest.User(t, s, "ada")
		responds := make(chan struct{})
		url := site(t, func(http.ResponseWriter, *http.Request) { <-responds })
		link := addLinks(t, s, ada, waymark.LinkInput{URL: url})[0]
		must(t, svc.CheckNow(t.Context(), ada, link.ID, true))
		close(responds)
		if checks := wantChecks(t, s, link, waymark.CheckNone, waymark.StatusOK); checks.DueAt == 0 || checks.DueAt > c.Now().Add(time.Minute) {
			t.Errorf("got the next check at %s, want it soon after %s", checks.DueAt, c.Now())
		}
		c.advance(time.Minute)
		must(t, svc.CheckLinks(t.Context()))
		wantChecks(t, s, link, waymark.CheckOK, waymark.StatusOK)
	})
}

// TestUsersTurnOffWhatTheServerDoes neither fetches the pages nor checks the links of a user who has
// turned it off, and those of another.
func TestUsersTurnOffWhatTheServerDoes(t *testing.T) {
	eachDatabaseChecking(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		url, _, requests := statusSite(t)
		before := addLinks(t, s, ada, waymark.LinkInput{URL: url})[0]
		checkAfter(t, c, svc, day)
		if *requests != 1 {
			t.Fatalf("got %d checks, want 1", *requests)
		}
		wantWaiting(t, s, 1)
		set := func(on bool) {
			t.Helper()
			if _, _, err := s.Accounts.ChangeSettings(t.Context(), ada.ID, func(s *waymark.Settings, _ *waymark.DefaultVisibility) error {
				s.NoMetadata, s.NoChecks = !on, !on
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		set(false)
		wantWaiting(t, s, 0)
		save(t, svc, s, ada, waymark.LinkInput{URL: url + "/new"})
		wantWaiting(t, s, 0)
		checkAfter(t, c, svc, 60*day)
		if *requests != 1 {
			t.Errorf("turned off: got %d requests, want no more than the one before", *requests)
		}
		wantChecks(t, s, before, waymark.CheckOK, waymark.StatusOK)
		if err := svc.CheckNow(t.Context(), ada, before.ID, true); !errors.Is(err, crawl.ErrChecksOff) {
			t.Errorf("got the error %v, want ErrChecksOff", err)
		}
		if links, err := s.Queue.CheckableLinks(t.Context(), 0, true); err != nil || len(links) != 0 {
			t.Errorf("got %d links for waymark check, %v, want none", len(links), err)
		}
		if queue, err := s.Queue.CheckQueue(t.Context()); err != nil || queue.Due != 0 {
			t.Errorf("got %d due links, %v, want none", queue.Due, err)
		}
		addLinks(t, s, bob, waymark.LinkInput{URL: url + "/bob"})
		wantWaiting(t, s, 1)
		checkAfter(t, c, svc, day)
		if *requests != 2 {
			t.Errorf("another user: got %d requests, want 2", *requests)
		}
		set(true)
		checkAfter(t, c, svc, 2*time.Second)
		if *requests != 3 {
			t.Errorf("turned on again: got %d requests, want 3", *requests)
		}
	})
}
