package web

import (
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/fetch"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// TestALinkSavedOnThePageOfAListIsInTheList also saves on the page of a tag, and of another user's list.
func TestALinkSavedOnThePageOfAListIsInTheList(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "To read & more"}}, Tags: &[]waymark.Ref{{Name: "go"}}})
	if _, err := s.store.CreateList(t.Context(), bob.user.ID, waymark.List{Name: "Of bob", Visibility: waymark.Internal}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{"/lists/1": {"To read & more", ""}, "/tags/1": {"", "go"}, "/lists/2": {}, "/links": {}} {
		add := ada.get(path).attr("[data-key=n]", "href")
		form := ada.get(add).wantStatus(200)
		if got := form.text("form.form > p.muted"); strings.Contains(got, "belongs to another person") != (path == "/lists/2") {
			t.Errorf("%s: got %q", path, got)
		}
		if got := [2]string{form.attr("#lists", "value"), form.attr("#tags", "value")}; got != want {
			t.Errorf("%s: got a form with the list and tag %q, want %q", path, got, want)
		}
		query, err := url.Parse(add)
		check(t, err)
		fields := []string{"url", "https://example.org" + path, "quick", "1"} // as the script saves a URL
		for name, values := range query.Query() {
			fields = append(fields, name, values[0])
		}
		saved := ada.post("/links", fields...).wantStatus(303)
		link, err := s.store.LinkByURL(t.Context(), ada.user.ID, "https://example.org"+path)
		check(t, err)
		if link, err = s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{namesOfLists(link.Lists), formatViews(tagNames(link.Tags))}; got != want {
			t.Errorf("%s: got a link with the list and tag %q, want %q", path, got, want)
		}
		back := path
		if want == [2]string{} {
			back = "/links"
		}
		if saved.location != back {
			t.Errorf("%s: got a redirect to %q, want to %q", path, saved.location, back)
		}
	}
}

func TestTheMessageAboutASavedLinkLeadsToItsForm(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "Reading"}}})
	p := ada.follow(ada.post("/links", "url", "example.org/a", "quick", "1", "back", "/lists/1"))
	links := p.Find("#toasts .toast a")
	if links.Length() != 2 {
		t.Fatalf("got %d links, want Edit and Add tags", links.Length())
	}
	edit := ada.get(links.Eq(0).AttrOr("href", "")).wantStatus(200)
	if edit.attr("#url", "value") != "https://example.org/a" || edit.attr(".look [name=back]", "value") != "/lists/1" || edit.Find("#tags[autofocus]").Length() != 0 {
		t.Errorf("Edit: got the form of %q, that returns to %q", edit.attr("#url", "value"), edit.attr(".look [name=back]", "value"))
	}
	if tags := ada.get(links.Eq(1).AttrOr("href", "")).wantStatus(200); tags.Find("#tags[autofocus]").Length() != 1 || tags.attr("#url", "value") != "https://example.org/a" {
		t.Error("Add tags: the field for tags has not the focus")
	}
}

// waitingParts are what a waitingSite fetches.
const waitingParts = waymark.TextParts | waymark.IconPart

// waitingSite is a site that fetches the titles and icons of pages, and the URL of a page that responds after answer
// was closed, and whose icon does so after icon was closed.
func waitingSite(t *testing.T, db *store.Store) (s *testSite, pageURL string, answer, icon chan struct{}) {
	t.Helper()
	answer, icon = make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := answer
		if r.URL.Path == "/loaf.png" {
			wait = icon
		}
		select {
		case <-wait:
		case <-r.Context().Done():
			return
		}
		if wait == icon {
			w.Header().Set("Content-Type", "image/png")
			_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 48, 48)))
			return
		}
		fmt.Fprint(w, `<title>Bread</title><link rel=icon href=/loaf.png>`)
	}))
	t.Cleanup(server.Close)
	s = newTestSite(t, db, config.Default().API)
	s.crawl(crawl.Options{
		Client: fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: time.Minute, Bytes: 1 << 20, HeaderBytes: 64 << 10, Ratio: 200}),
		Parts:  waitingParts, Wait: time.Millisecond, Tries: 3, Timeout: time.Minute, Parallel: 1,
		Pictures: crawl.PictureOptions{Bytes: 1 << 20, Memory: 16 << 20, Space: 1 << 20},
	})
	t.Cleanup(s.crawler.Close)
	return s, server.URL + "/", answer, icon
}

// TestARowWaitsForItsPage asks for the row as the script does.
func TestARowWaitsForItsPage(t *testing.T) {
	clock := time.Now()
	options := store.Options{Now: func() waymark.Time { return waymark.FromTime(clock) }, Fetch: waymark.FetchPolicy{Parts: waitingParts}}
	storetest.EachWith(t, options, func(t *testing.T, db *store.Store) {
		s, pageURL, answer, icon := waitingSite(t, db)
		ada := s.user(t, "ada")
		ada.post("/links", "url", pageURL, "quick", "1").wantStatus(303)
		waiting := func(p response) int { return p.Find("[data-waiting]").Length() }
		row := func() response {
			return ada.get("/links/1", "HX-Request", "true", "HX-Target", "li#link-1").wantStatus(200)
		}
		until := func(what string, holds func(row response) bool) {
			t.Helper()
			for !holds(row()) {
				if t.Context().Err() != nil {
					t.Fatal("the row got no " + what)
				}
			}
		}
		p := ada.get("/links")
		if got := waiting(p); got != 1 || p.attr("[data-waiting]", "data-waiting") != "/links/1?in=%2Flinks&n=1" || waiting(row()) != 1 {
			t.Errorf("got %d rows that wait, want that of the new link", got)
		}
		before := clock
		clock = clock.Add(2 * time.Minute)
		if waiting(ada.get("/links")) != 0 || waiting(row()) != 0 {
			t.Error("the row still waits after two minutes")
		}
		clock = before
		close(answer)
		until("title", func(row response) bool { return row.text(".title") == "Bread" })
		if p := row(); waiting(p) != 1 || p.Find("img").Length() != 0 || p.Find("nav").Length() != 0 {
			t.Error("got more than the row, or one that does not wait for its icon")
		}
		close(icon)
		until("icon", func(row response) bool { return row.Find("img").Length() == 1 })
		until("end", func(row response) bool { return waiting(row) == 0 })
	})
}

// The row shows the title and the icon when they arrive; its box stays ticked, and the focus stays.
func TestTheTitleAndIconOfANewLinkArriveInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s, pageURL, answer, icon := waitingSite(t, storetest.OpenWith(t, store.Options{Fetch: waymark.FetchPolicy{Parts: waitingParts}}))
	s.user(t, "ada")
	tab := openTab(t, chromium, s.URL)
	tab.Do(run(fmt.Sprintf(`{ const f = document.querySelector(".find input[name=q]"); f.value = %q; f.form.requestSubmit() }`, pageURL)))
	tab.UntilText(".link .title", "127.0.0.1")
	tab.Do(run(`window.sentinel = true; document.querySelector(".link input").click(); document.querySelector(".link .title a").focus()`))
	close(answer)
	tab.UntilText(".link .title", "Bread")
	close(icon)
	tab.Until(`document.querySelector(".link img")`)
	if got := browsertest.Eval[string](tab, `[window.sentinel, document.querySelector(".link input").checked, document.activeElement.matches(".link .title a")].join()`); got != "true,true,true" {
		t.Errorf("got %s, want the same page, the box ticked, and the focus on the title", got)
	}
}
