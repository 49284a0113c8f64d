package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// eachGuestSite runs a test on a site with pages for guests on each database. change may
// change its settings.
func eachGuestSite(t *testing.T, change func(*config.API), test func(t *testing.T, s *testSite)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		settings := config.Default().API
		settings.GuestPages = true
		if change != nil {
			change(&settings)
		}
		test(t, newTestSite(t, db, settings))
	})
}

// newGuestSite is newSite with pages for guests.
func newGuestSite(t *testing.T) *testSite {
	t.Helper()
	settings := config.Default().API
	settings.GuestPages = true
	return newTestSite(t, storetest.Open(t), settings)
}

// collection is a list, a tag and a link of each visibility, which are attached to each
// other.
type collection struct {
	lists map[waymark.Visibility]waymark.List
	tags  map[waymark.Visibility]waymark.Tag
	links map[waymark.Visibility]waymark.Link
}

// addCollection creates a collection of the user. Each name says who may see it: "ada-public".
func (b *browser) addCollection() collection {
	b.t.Helper()
	c := collection{map[waymark.Visibility]waymark.List{}, map[waymark.Visibility]waymark.Tag{}, map[waymark.Visibility]waymark.Link{}}
	var lists, tags []waymark.Ref
	service, ctx := b.site.service, b.t.Context()
	for v := waymark.Public; v <= waymark.Private; v++ {
		name := b.user.Name + "-" + v.String()
		description := "about " + name
		list, err := service.AddList(ctx, b.user, waymark.ListInput{Name: name + "-list", Description: &description, VisibilityInput: waymark.VisibilityInput{Visibility: &v}})
		check(b.t, err)
		tag, err := service.AddTag(ctx, b.user, waymark.TagInput{Name: name + "-tag", VisibilityInput: waymark.VisibilityInput{Visibility: &v}})
		check(b.t, err)
		c.lists[v], c.tags[v] = list, tag
		lists, tags = append(lists, waymark.Ref{ID: int64(list.ID)}), append(tags, waymark.Ref{ID: int64(tag.ID)})
	}
	for v := waymark.Public; v <= waymark.Private; v++ {
		title := b.user.Name + "-" + v.String() + "-link"
		c.links[v] = b.addLink(waymark.LinkInput{
			URL: "https://example.org/" + title, Title: &title, Lists: &lists, Tags: &tags,
			VisibilityInput: waymark.VisibilityInput{Visibility: &v},
		})
	}
	return c
}

// guestPaths are the paths of all pages and feeds for guests that show what is public in c.
func guestPaths(c collection) []string {
	list, tag := c.lists[waymark.Public].ID, c.tags[waymark.Public].ID
	return []string{
		"/guest/links", "/guest/lists", "/guest/tags", "/guest/search?q=example", "/guest/users/ada",
		fmt.Sprint("/guest/lists/", list), fmt.Sprint("/guest/tags/", tag),
		"/guest/links/feed", "/guest/lists/feed", "/guest/tags/feed", "/guest/links/feed?q=example",
		fmt.Sprintf("/guest/lists/%d/feed", list), fmt.Sprintf("/guest/tags/%d/feed", tag),
	}
}

func TestGuestPagesShowOnlyWhatIsPublic(t *testing.T) {
	eachGuestSite(t, nil, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		c := ada.addCollection()
		ben.addCollection()
		s.guest(t).get("/").wantRedirect("/guest/links")
		s.guest(t).get("/guest/search?q=is:purple").wantText("p[data-as-text]", "Searched for as text: is:purple")
		// Also to a user who sees more: the pages are the same for all.
		for name, visitor := range map[string]*browser{"guest": s.guest(t), "owner": ada} {
			for _, path := range guestPaths(c) {
				body := visitor.get(path).wantStatus(http.StatusOK).body
				if !strings.Contains(body, "-public") {
					t.Errorf("%s as %s: nothing public is shown", path, name)
				}
				for _, hidden := range []string{"internal", "private"} {
					if strings.Contains(body, "-"+hidden) {
						t.Errorf("%s as %s: shows what is %s: %s", path, name, hidden, body)
					}
				}
			}
			for v := waymark.Internal; v <= waymark.Private; v++ {
				for _, path := range []string{
					fmt.Sprint("/guest/lists/", c.lists[v].ID), fmt.Sprint("/guest/tags/", c.tags[v].ID),
					fmt.Sprintf("/guest/lists/%d/feed", c.lists[v].ID), fmt.Sprintf("/guest/tags/%d/feed", c.tags[v].ID),
				} {
					visitor.get(path).wantStatus(http.StatusNotFound)
				}
			}
		}
	})
}

func TestGuestPagesAreTheSameForAllVisitors(t *testing.T) {
	s := newGuestSite(t)
	ada := s.user(t, "ada")
	c := ada.addCollection()
	guest := s.guest(t)
	for _, path := range guestPaths(c) {
		p, own := guest.get(path), ada.get(path, "Cookie", "tz=Asia/Tokyo; waymark-message=eyJ0ZXh0IjoieCJ9")
		if p.body != own.body {
			t.Errorf("%s: ada gets %s, a guest %s", path, own.body, p.body)
		}
		if got := own.header.Get("Cache-Control"); got != "private, no-cache" {
			t.Errorf("%s: got Cache-Control %q, want private without a base URL", path, got)
		}
		if got := own.header.Values("Vary"); len(got) != 1 || got[0] != "Accept-Language" {
			t.Errorf("%s: got Vary %q, want Accept-Language", path, got)
		}
		if own.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: a response for all has the cookie %s", path, own.header.Get("Set-Cookie"))
		}
	}
}

func TestPagesForAllArePublicOnlyWithABaseURL(t *testing.T) {
	for base, want := range map[string]string{"": "private, no-cache", "https://links.example.org": "public, max-age=0, s-maxage=60"} {
		settings := config.Default().API
		settings.GuestPages = true
		check(t, settings.BaseURL.UnmarshalText([]byte(base)))
		s := newTestSite(t, storetest.Open(t), settings)
		for _, path := range []string{"/opensearch.xml", "/guest/links", "/guest/links/feed"} {
			if got := s.guest(t).get(path).wantStatus(http.StatusOK).header.Get("Cache-Control"); got != want {
				t.Errorf("base %q, %s: got %q, want %q", base, path, got, want)
			}
		}
	}
}

func TestGuestPagesCanBeDisabled(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	c := ada.addCollection()
	guest := s.guest(t)
	guest.get("/").wantRedirect("/signin")
	for _, path := range guestPaths(c) {
		p := guest.get(path)
		if p.status != http.StatusSeeOther || !strings.HasPrefix(p.location, "/signin") {
			t.Errorf("%s: got %d %s, want the sign-in page", path, p.status, p.location)
		}
		// Users see what guests would see.
		p = ada.get(path).wantStatus(http.StatusOK)
		if got := p.header.Get("Cache-Control"); got != "private, no-cache" || strings.Contains(p.body, "-private") {
			t.Errorf("%s as a user: got Cache-Control %q and %s", path, got, p.body)
		}
	}
}

func TestGuestsSeeTheListsInAListAndAroundIt(t *testing.T) {
	s := newGuestSite(t)
	ada := s.user(t, "ada")
	add := func(name string, visibility waymark.Visibility, parent waymark.ListID) waymark.ListID {
		t.Helper()
		list, err := s.store.CreateList(t.Context(), ada.user.ID, waymark.List{Name: name, Visibility: visibility, Parent: parent})
		check(t, err)
		return list.ID
	}
	hidden := add("hidden parent", waymark.Private, 0)
	recipes := add("recipes", waymark.Public, hidden)
	bread := add("bread", waymark.Public, recipes)
	add("hidden child", waymark.Private, recipes)
	guest := s.guest(t)
	p := guest.get(fmt.Sprint("/guest/lists/", recipes))
	if got := p.text(".listgrid .name") + p.text(".path"); got != "bread" {
		t.Errorf("in the list and around it: got %q, want bread", got)
	}
	p = guest.get(fmt.Sprint("/guest/lists/", bread))
	if got := p.text(".path a") + " " + p.attr(".path a", "href"); got != fmt.Sprint("recipes /guest/lists/", recipes) {
		t.Errorf("around bread: got %q", got)
	}
}

func TestGuestListDescribesItself(t *testing.T) {
	s := newGuestSite(t)
	ada := s.user(t, "ada")
	c := ada.addCollection()
	path := fmt.Sprint("/guest/lists/", c.lists[waymark.Public].ID)
	p := s.guest(t).get(path)
	for selector, want := range map[string]string{
		"h1":           "ada-public-list",
		".lede .row a": "ada",
		".lede .prose": "about ada-public",
		"title":        "ada-public-list, by ada · Waymark",
		".link .title": "ada-public-link",
		".filed":       "ada-public-tag",
	} {
		p.wantText(selector, want)
	}
	for selector, want := range map[string]string{
		"link[rel=alternate]":             path + "/feed",
		"meta[name=robots]":               "noindex",
		"meta[property='og:title']":       "ada-public-list, by ada",
		"meta[property='og:description']": "about ada-public",
		"meta[property='og:url']":         s.URL + path,
		".filed .tag":                     fmt.Sprint("/guest/tags/", c.tags[waymark.Public].ID),
		".title a":                        "https://example.org/ada-public-link",
	} {
		if got := p.attr(selector, "content") + p.attr(selector, "href"); got != want {
			t.Errorf("%s: got %q, want %q", selector, got, want)
		}
	}
	p.wantCount("script, .side, form[method=post]", 0)
}

func TestSearchEnginesNeedPermission(t *testing.T) {
	for _, indexed := range []bool{false, true} {
		eachGuestSite(t, func(c *config.API) { c.GuestIndexing = indexed }, func(t *testing.T, s *testSite) {
			guest := s.guest(t)
			if n := guest.get("/guest/links").Find("meta[name=robots]").Length(); (n == 0) != indexed {
				t.Errorf("indexed %t: the page has %d meta elements for robots", indexed, n)
			}
			want := "User-agent: *\nDisallow: /\n"
			if indexed {
				want = "User-agent: *\nAllow: /guest/\nAllow: /static/\nDisallow: /\n"
			}
			if got := guest.get("/robots.txt").wantStatus(200).body; got != want {
				t.Errorf("indexed %t: got robots.txt %q, want %q", indexed, got, want)
			}
		})
	}
}

func TestUsersWithoutPublicEntitiesAreNotFound(t *testing.T) {
	s := newGuestSite(t)
	ada := s.user(t, "ada")
	private := waymark.Private
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", VisibilityInput: waymark.VisibilityInput{Visibility: &private}})
	guest := s.guest(t)
	for _, name := range []string{"ada", "nobody", "a%20b", "%00", "%ff"} {
		guest.get("/guest/users/" + name).wantStatus(http.StatusNotFound)
	}
	ada.addCollection()
	p := guest.get("/guest/users/ADA").wantStatus(http.StatusOK)
	p.wantText("h1", "ada")
	if got := p.text(".listgrid .name") + p.text(".links .title"); got != "ada-public-listada-public-link" {
		t.Errorf("got %q, want the public list and link", got)
	}
}

func TestGuestPagesAreDividedIntoPages(t *testing.T) {
	s := newGuestSite(t)
	ada := s.user(t, "ada")
	public := waymark.Public
	for i := range guestLinksPerPage + 1 {
		ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), VisibilityInput: waymark.VisibilityInput{Visibility: &public}})
	}
	guest := s.guest(t)
	first := guest.get("/guest/links")
	first.wantCount(".link", guestLinksPerPage)
	second := guest.get(first.attr("a[rel=next]", "href"))
	second.wantCount(".link", 1)
	guest.get("/guest/links?page=3").wantStatus(http.StatusNotFound)
}

func TestGuestRequestsAreLimited(t *testing.T) {
	eachGuestSite(t, func(c *config.API) { c.GuestRateLimit = config.Rate{Count: 20, Per: 3600e9} }, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada") // one request: the sign-in
		guest := s.guest(t)
		for range 19 {
			guest.get("/guest/links").wantStatus(http.StatusOK)
		}
		p := guest.get("/guest/links").wantStatus(http.StatusTooManyRequests)
		if p.header.Get("Retry-After") != "3600" || !strings.Contains(p.text("main"), "3,600 seconds") {
			t.Errorf("got Retry-After %q and %s, want the wait", p.header.Get("Retry-After"), p.text("main"))
		}
		for _, path := range []string{"/signin", "/nowhere", "/links/feed?token=wrong"} {
			guest.get(path).wantStatus(http.StatusTooManyRequests)
		}
		ada.get("/links").wantStatus(http.StatusOK)
		for _, path := range []string{"/favicon.ico", "/manifest.webmanifest", "/robots.txt"} {
			ada.get(path).wantStatus(http.StatusOK)
		}
	})
}

func TestGuestPagesNameTheOwnersIfThereAreSeveral(t *testing.T) {
	s := newGuestSite(t)
	s.user(t, "ada").addCollection()
	guest := s.guest(t)
	if got := guest.get("/guest/links").text(".filed") + guest.get("/guest/lists").text(".listgrid small"); strings.Contains(got, "ada ") {
		t.Errorf("with one owner: got %q, want no owner", got)
	}
	s.user(t, "ben").addCollection()
	p := guest.get("/guest/links")
	p.wantAttr(".link:first-child .filed .muted", "href", "/guest/users/ben")
	guest.get("/guest/lists").wantText(".listgrid li:first-child small", "ada · about ada-public")
	guest.get("/guest/users/ben").wantCount(".filed .muted", 0)
}
