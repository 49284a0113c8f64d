package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/fetch"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// testClock is a time that only the test changes.
type testClock struct {
	mu  sync.Mutex
	now waymark.Time
}

func newTestClock() *testClock {
	return &testClock{now: waymark.FromTime(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))}
}

func (c *testClock) Now() waymark.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// allParts are what links want from their pages in most tests. The crawler of a test fetches some of it.
const allParts = waymark.TextParts | waymark.ThumbnailPart | waymark.IconPart | waymark.TextSnapshotPart | waymark.FullSnapshotPart

// eachDatabaseAt is eachDatabase with a crawler that uses the clock of the test.
func eachDatabaseAt(t *testing.T, run func(t *testing.T, c *testClock, svc *crawler, s *store.Store)) {
	eachWithParts(t, allParts, run)
}

// eachWithParts is eachDatabaseAt for links that want some parts of their pages.
func eachWithParts(t *testing.T, parts waymark.PageParts, run func(t *testing.T, c *testClock, svc *crawler, s *store.Store)) {
	t.Parallel()
	c := newTestClock()
	storetest.EachWith(t, store.Options{Now: c.Now, Fetch: waymark.FetchPolicy{Parts: parts}}, func(t *testing.T, s *store.Store) { run(t, c, newFetching(s), s) })
}

// crawler is a Crawler whose options a test changes.
type crawler struct {
	*crawl.Crawler
	s *store.Store
	o crawl.Options
}

// set changes the options. What the Crawler knew is forgotten, such as that a queue was empty.
func (c *crawler) set(change func(o *crawl.Options)) {
	change(&c.o)
	c.Crawler = crawl.New(c.s, c.o)
}

// newFetching returns a crawler that fetches the texts of pages of this machine.
func newFetching(s *store.Store) *crawler {
	svc := &crawler{s: s, o: crawl.Options{
		Client: fetch.New(fetchOptions()), Parts: waymark.TextParts,
		Wait: 30 * time.Second, Tries: 3, Timeout: 30 * time.Second, Parallel: 4,
		FullSnapshots: singlefile.Options{Bytes: 1 << 20, ResourceBytes: 1 << 20, Resources: 10, Time: 30 * time.Second},
	}}
	svc.set(func(*crawl.Options) {})
	return svc
}

func fetchOptions() fetch.Options {
	return fetch.Options{
		Allow:     []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		UserAgent: "Waymark/test (+https://links.example)",
		Timeout:   30 * time.Second, Bytes: 1 << 20, Redirects: 5, HeaderBytes: 64 << 10, Ratio: 200,
	}
}

// site starts a server and returns its URL.
func site(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// titled is a server whose pages have a title, a description and an image.
func titled(t *testing.T, title string) string {
	return site(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<title>%s</title><meta name=description content="About %[1]s"><meta property="og:image" content="/i.png">`, title)
	})
}

// addUnfetched saves a link whose page is to be fetched in the background.
func addUnfetched(t *testing.T, s *store.Store, owner waymark.User, url string) waymark.Link {
	t.Helper()
	return addLinks(t, s, owner, waymark.LinkInput{URL: url})[0]
}

func addLinks(t *testing.T, s *store.Store, owner waymark.User, inputs ...waymark.LinkInput) []waymark.Link {
	t.Helper()
	drafts := make([]waymark.LinkDraft, len(inputs))
	for i, in := range inputs {
		link, err := waymark.NewLink(owner, in)
		must(t, err)
		drafts[i].Link = link
	}
	return storetest.CreateLinks(t, s, owner, drafts...)
}

func editLink(t *testing.T, s *store.Store, editor waymark.User, id waymark.LinkID, in waymark.LinkInput) (waymark.Link, error) {
	t.Helper()
	return s.ChangeLink(t.Context(), editor, id, nil, nil, func(link *waymark.Link, _ waymark.Target) error { return in.Apply(link) })
}

// save saves a link and waits for the texts of its page.
func save(t *testing.T, svc *crawler, s *store.Store, owner waymark.User, in waymark.LinkInput) waymark.Link {
	t.Helper()
	return svc.FetchNew(t.Context(), owner, addLinks(t, s, owner, in)[0])
}

func fetchPages(t *testing.T, svc *crawler) {
	t.Helper()
	must(t, svc.FetchPages(t.Context()))
}

func wantLink(t *testing.T, s *store.Store, id waymark.LinkID, title, description, imageURL string) waymark.Link {
	t.Helper()
	user, err := s.Accounts.UserByName(t.Context(), "ada")
	must(t, err)
	l, err := s.Link(t.Context(), user.ID, id)
	must(t, err)
	if l.Title != title || l.Description != description || l.ImageURL != imageURL {
		t.Errorf("got %q, %q, %q, want %q, %q, %q", l.Title, l.Description, l.ImageURL, title, description, imageURL)
	}
	return l
}

func wantWaiting(t *testing.T, s *store.Store, want int) {
	t.Helper()
	queue, err := s.Queue.PageQueue(t.Context())
	if err != nil || queue.Waiting != want || (queue.Oldest == 0) != (want == 0) {
		t.Errorf("got %+v, %v, want %d waiting pages", queue, err, want)
	}
}

func TestLinksGetTheTextsOfTheirPagesInTheBackground(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		url := titled(t, "Bread")
		link := addUnfetched(t, s, ada, url)
		wantLink(t, s, link.ID, "127.0.0.1", "", "")
		wantWaiting(t, s, 1)
		fetchPages(t, svc)
		got := wantLink(t, s, link.ID, "Bread", "About Bread", url+"i.png")
		wantWaiting(t, s, 0)
		if got.UpdatedAt != link.UpdatedAt {
			t.Errorf("updated_at is %s, want that of the last change of a user, %s", got.UpdatedAt, link.UpdatedAt)
		}
		if link = save(t, svc, s, ada, waymark.LinkInput{URL: titled(t, "Cake")}); link.Title != "Cake" || link.UpdatedAt != link.CreatedAt {
			t.Errorf("got %q, changed at %s, want the title of the page, and no change after %s", link.Title, link.UpdatedAt, link.CreatedAt)
		}
	})
}

func TestWhatAUserTypedIsKept(t *testing.T) {
	typed, nothing := "My own", ""
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		page := titled(t, "Bread")
		image := page + "i.png"
		for _, test := range []struct {
			name string
			in   waymark.LinkInput
			edit *waymark.LinkInput // while the page is to be fetched
			want [3]string
		}{
			{"a title", waymark.LinkInput{Title: &typed}, nil, [3]string{typed, "About Bread", image}},
			{"a description", waymark.LinkInput{Description: &typed}, nil, [3]string{"Bread", typed, image}},
			{"both: the page is not fetched", waymark.LinkInput{Title: &typed, Description: &typed}, nil, [3]string{typed, typed, ""}},
			{"an edited title", waymark.LinkInput{}, &waymark.LinkInput{Title: &typed}, [3]string{typed, "About Bread", image}},
			{"an empty description in a form", waymark.LinkInput{}, &waymark.LinkInput{Description: &nothing}, [3]string{"Bread", "About Bread", image}},
			{"an edit of something else", waymark.LinkInput{}, &waymark.LinkInput{CheckDisabled: new(bool)}, [3]string{"Bread", "About Bread", image}},
			{"the default title", waymark.LinkInput{Title: &typed}, &waymark.LinkInput{Title: &nothing}, [3]string{"Bread", "About Bread", image}},
		} {
			t.Run(test.name, func(t *testing.T) {
				test.in.URL = page + "?" + strings.ReplaceAll(test.name, " ", "-")
				link := addLinks(t, s, ada, test.in)[0]
				if test.edit != nil {
					test.edit.URL = test.in.URL
					if _, err := editLink(t, s, ada, link.ID, *test.edit); err != nil {
						t.Fatal(err)
					}
				}
				fetchAll(t, svc, s)
				wantLink(t, s, link.ID, test.want[0], test.want[1], test.want[2])
			})
		}
	})
}

// fetchAll fetches all pages. It forgets that the queue was empty, which is queried again only after
// a second.
func fetchAll(t *testing.T, svc *crawler, s *store.Store) {
	t.Helper()
	svc.set(func(*crawl.Options) {})
	fetchPages(t, svc)
	wantWaiting(t, s, 0)
}

func TestLinkWhoseURLChangesDuringTheFetchGetsTheNewPage(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		after := titled(t, "After")
		var link waymark.Link
		before := site(t, func(w http.ResponseWriter, _ *http.Request) {
			if _, err := editLink(t, s, ada, link.ID, waymark.LinkInput{URL: after}); err != nil {
				t.Error(err)
			}
			fmt.Fprint(w, "<title>Before</title>")
		})
		link = addUnfetched(t, s, ada, before)
		fetchPages(t, svc)
		wantLink(t, s, link.ID, "After", "About After", after+"i.png")
	})
}

func TestUserCanBeRemovedDuringAFetch(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, s, ada, site(t, func(w http.ResponseWriter, _ *http.Request) {
			if err := storetest.RemoveUser(t.Context(), s, ada.ID); err != nil {
				t.Error(err)
			}
			fmt.Fprint(w, "<title>Late</title>")
		}))
		fetchPages(t, svc)
		wantWaiting(t, s, 0)
		if _, err := s.Link(t.Context(), ada.ID, link.ID); err == nil {
			t.Error("the link is there again")
		}
	})
}

func TestFailuresAreTriedAgainWithGrowingPauses(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		requests := 0
		addUnfetched(t, s, ada, site(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			if requests == 2 {
				w.Header().Set("Retry-After", "7200")
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		for _, step := range []struct {
			after   time.Duration
			want    int // requests
			waiting int
		}{
			{0, 1, 1}, {59 * time.Second, 1, 1}, {time.Second, 2, 1}, // a minute
			{time.Hour, 2, 1}, {time.Hour, 3, 0}, // what the server asks for, then never again
			{24 * time.Hour, 3, 0},
		} {
			c.advance(step.after)
			fetchPages(t, svc)
			if requests != step.want {
				t.Errorf("%s later: got %d requests, want %d", step.after, requests, step.want)
			}
			wantWaiting(t, s, step.waiting)
		}
		if got := svc.Stats().Pages.Failed["status_5xx"]; got != 3 {
			t.Errorf("got %d failures, want 3", got)
		}
	})
}

func TestSavingWaitsForThePageThatTheBackgroundJobFetches(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, _ *testClock, svc *crawler, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		began, respond := make(chan bool), make(chan bool)
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			close(began)
			<-respond
			fmt.Fprint(w, "<title>Bread</title><meta name=description content=About>")
		})
		title := "Typed"
		link := addLinks(t, s, ada, waymark.LinkInput{URL: url, Title: &title})[0]
		background := newFetching(s)
		var running sync.WaitGroup
		defer running.Wait()
		running.Go(func() { fetchPages(t, background) })
		<-began
		time.AfterFunc(100*time.Millisecond, func() { close(respond) })
		if got := svc.FetchNew(t.Context(), ada, link); got.Title != title || got.Description != "About" {
			t.Errorf("got %q and %q, want the description of the page", got.Title, got.Description)
		}
	})
}

func TestAPageIsFetchedAgain(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, c *testClock, svc *crawler, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		title := "Bread"
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			if title == "" {
				w.WriteHeader(http.StatusGone)
			}
			fmt.Fprintf(w, "<title>%s</title><meta name=description content=About>", title)
		})
		typed := "My own"
		link := addLinks(t, s, ada, waymark.LinkInput{URL: url, Description: &typed})[0]
		fetchPages(t, svc)
		title = "Cake"
		stateAfter := func(fetch func(context.Context, waymark.User, waymark.LinkID) (waymark.Link, crawl.PageState, error)) crawl.PageState {
			t.Helper()
			_, state, err := fetch(t.Context(), ada, link.ID)
			must(t, err)
			return state
		}
		if state := stateAfter(svc.FetchAgain); state != (crawl.PageState{}) {
			t.Errorf("got %+v, want that it was fetched", state)
		}
		wantLink(t, s, link.ID, "Cake", typed, "")
		wantWaiting(t, s, 0)

		title = "Tea"
		if state := stateAfter(svc.FetchLater); !state.Waiting {
			t.Errorf("without waiting: got %+v, want that it waits", state)
		}
		wantLink(t, s, link.ID, "Cake", typed, "")
		c.advance(time.Second)
		fetchPages(t, svc)
		wantLink(t, s, link.ID, "Tea", typed, "")

		title = ""
		if state := stateAfter(svc.FetchAgain); state.Waiting || state.Failure != "status_4xx" {
			t.Errorf("page that is gone: got %+v, want the failure", state)
		}
		wantLink(t, s, link.ID, "Tea", typed, "")
		wantWaiting(t, s, 0)

		if _, _, err := svc.FetchAgain(t.Context(), bob, link.ID); !errors.Is(err, waymark.ErrForbidden) {
			t.Errorf("another user: got error %v, want ErrForbidden", err)
		}
		if n, err := svc.RequestPages(t.Context(), bob, []int64{int64(link.ID)}); len(n) != 0 || err != nil {
			t.Errorf("another user: got %d pages, %v, want none", n, err)
		}
		svc.set(func(o *crawl.Options) { o.Parts = 0 })
		if _, _, err := svc.FetchAgain(t.Context(), ada, link.ID); !errors.Is(err, crawl.ErrNoPages) {
			t.Errorf("without pages: got error %v, want ErrNoPages", err)
		}
	})
}
