package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"waymark/internal/config"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// eachPage requests all pages, pages of errors included, as an administrator with hostile texts,
// and as a guest.
func eachPage(t *testing.T, settings config.API, check func(t *testing.T, r page.Route, p response)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		settings.GuestPages = true
		s := newTestSite(t, db, settings)
		ada := s.user(t, "ada")
		ada.makeAdmin()
		entities := ada.addPrivateEntities()
		trashed := ada.addLink(waymark.LinkInput{URL: "https://example.org/trashed", Title: new(hostileText)})
		if _, err := s.service.DeleteMany(t.Context(), ada.user, waymark.Links, []int64{int64(trashed.ID)}); err != nil {
			t.Fatal(err)
		}
		public := ada.addCollection()
		if _, err := s.service.AddSavedSearch(t.Context(), ada.user, waymark.SavedSearchInput{Name: new(hostileText), Query: new("query=example"), Public: new(true)}); err != nil {
			t.Fatal(err)
		}
		entities["people"] = fmt.Sprint(ada.user.ID)
		// The paths that are not about private entities.
		list, tag := fmt.Sprint("/guest/lists/", public.lists[waymark.Public].ID), fmt.Sprint("/guest/tags/", public.tags[waymark.Public].ID)
		paths := map[string]string{
			"/guest/lists/{id}": list, "/guest/lists/{id}/feed": list + "/feed", "/guest/tags/{id}": tag, "/guest/tags/{id}/feed": tag + "/feed",
			"/trash/{kind}": "/trash/links", "/help/{name}": "/help/search", "/guest/searches/{id}": "/guest/searches/2", "/guest/searches/{id}/feed": "/guest/searches/2/feed",
		}
		guest := s.guest(t)
		nowhere := page.Route{Method: http.MethodGet, Path: "/nowhere", Access: page.ForUsers}
		for _, r := range append(slices.Clone(routes), nowhere) {
			if r.Method != http.MethodGet {
				continue
			}
			path := cmp.Or(paths[r.Path], entities.path(t, r))
			for name, b := range map[string]*browser{"ada": ada, "guest": guest} {
				t.Run(strings.TrimPrefix(path, "/")+" as "+name, func(t *testing.T) {
					p := b.get(path)
					p.t = t
					if placeholder.MatchString(r.Path) && !strings.Contains(r.Path, "{token}") && name == "ada" && p.status == http.StatusNotFound {
						t.Errorf("got 404: give eachPage the path of an entity, so that its page is checked")
					}
					check(t, r, p)
				})
			}
		}
		for _, query := range []string{"?view=compact", "?view=cards", "?query=" + url.QueryEscape(hostileText), "?query=example&page=1&order=title"} {
			check(t, page.Route{Method: http.MethodGet, Path: "/links", Access: page.ForUsers}, ada.get("/links"+query).wantStatus(http.StatusOK))
		}
	})
}

func TestPagesHaveNoInlineScriptsAndStyles(t *testing.T) {
	eachPage(t, config.Default().API, func(t *testing.T, r page.Route, p response) {
		if p.status >= 500 {
			t.Errorf("got %d", p.status)
		}
		policy := wantedPolicy
		if strings.HasSuffix(r.Path, "/full-snapshot/file") && p.status == http.StatusOK { // the page of somebody else
			policy = singlefile.Policy
		}
		if strings.HasSuffix(r.Path, "/attachments/{attachment}") && r.Method == http.MethodGet && p.status == http.StatusOK { // a file of somebody
			policy = httpx.FilePolicy
		}
		if got := p.header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("got the policy %q, want %q", got, policy)
		}
		if policy != wantedPolicy {
			return
		}
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			return
		}
		p.Find("script:not([src]), style, img[src=x], base, object, embed, iframe:not([src$='/full-snapshot/file'])").Each(func(_ int, element *goquery.Selection) {
			t.Errorf("the page has the element %s", goquery.NodeName(element))
		})
		p.Find("*").Each(func(_ int, element *goquery.Selection) {
			for _, attribute := range element.Get(0).Attr {
				if attribute.Key == "style" || strings.HasPrefix(attribute.Key, "on") || strings.HasPrefix(attribute.Key, "hx-on") {
					t.Errorf("%s has the attribute %s=%q", goquery.NodeName(element), attribute.Key, attribute.Val)
				}
				if slices.Contains(urlAttributes, attribute.Key) {
					checkURL(t, element.Get(0), attribute)
				}
			}
		})
	})
}

// checkURL fails if an attribute has a URL that runs a script, or that loads
// something from another server.
func checkURL(t *testing.T, element *html.Node, attribute html.Attribute) {
	t.Helper()
	u, err := url.Parse(attribute.Val)
	if err != nil {
		t.Errorf("<%s %s=%q>: %v", element.Data, attribute.Key, attribute.Val, err)
		return
	}
	// The button for saving links in browsers is a script by nature: it is dragged to the
	// bookmarks, and the policy prevents that it runs here.
	bookmarklet := u.Scheme == "javascript" && element.Data == "a" && hasAttribute(element, "data-bookmarklet")
	switch {
	case u.Scheme == "" && u.Host == "", bookmarklet:
	case element.Data == "a", element.Data == "meta":
		if u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("<%s %s=%q>", element.Data, attribute.Key, attribute.Val)
		}
	default:
		t.Errorf("<%s %s=%q> is on another server", element.Data, attribute.Key, attribute.Val)
	}
}

func hasAttribute(element *html.Node, name string) bool {
	return slices.ContainsFunc(element.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func TestOnlyPagesForAllAreInSharedCaches(t *testing.T) {
	eachPage(t, config.Default().API, func(t *testing.T, r page.Route, p response) {
		control := p.header.Get("Cache-Control")
		switch {
		case p.status == http.StatusSeeOther, r.Access <= page.ForGuests:
			if strings.Contains(control, "public") && p.header.Get("Set-Cookie") != "" {
				t.Errorf("a response for all sets the cookie %s", p.header.Get("Set-Cookie"))
			}
		case strings.Contains(control, "public"), !strings.Contains(control, "private") && !strings.Contains(control, "no-store"):
			t.Errorf("got Cache-Control %q, want private", control)
		}
		if strings.Contains(control, "public") && strings.Contains(p.body, "alert(1)") {
			t.Error("a response for all shows what is private")
		}
	})
}

func TestURLsBeginWithTheBasePath(t *testing.T) {
	settings := config.Default().API
	if err := settings.BaseURL.UnmarshalText([]byte("http://links.example/base")); err != nil {
		t.Fatal(err)
	}
	below := func(rawURL string) bool {
		return rawURL == "/base" || strings.HasPrefix(rawURL, "/base/") || strings.HasPrefix(rawURL, "http://links.example/base/")
	}
	eachPage(t, settings, func(t *testing.T, _ page.Route, p response) {
		if p.status == http.StatusSeeOther && !below(p.location) {
			t.Errorf("redirects to %s", p.location)
		}
		if p.header.Get("Content-Security-Policy") == singlefile.Policy {
			return // the page of somebody else
		}
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			return
		}
		p.Find("*").Each(func(_ int, element *goquery.Selection) {
			for _, attribute := range element.Get(0).Attr {
				if !slices.Contains(urlAttributes, attribute.Key) || strings.HasPrefix(attribute.Val, "#") || attribute.Val == "" {
					continue
				}
				if u, err := url.Parse(attribute.Val); err == nil && u.Scheme != "" && u.Host != "links.example" {
					continue // a link of the user
				}
				if !below(attribute.Val) {
					t.Errorf("<%s %s=%q>", goquery.NodeName(element), attribute.Key, attribute.Val)
				}
			}
		})
	})
}

func TestURLOfAPageCountsWithoutTheBasePath(t *testing.T) {
	settings := config.Default().API
	if err := settings.BaseURL.UnmarshalText([]byte("http://links.example/base")); err != nil {
		t.Fatal(err)
	}
	s := newTestSite(t, storetest.Open(t), settings)
	p := s.guest(t).do(http.MethodPost, "/view", "", "HX-Request", "true", "HX-Current-URL", "http://links.example/base/links?order=title")
	if got, want := p.header.Get("HX-Redirect"), "/base/signin?"+page.QueryOf("back", "/links?order=title", "unsaved", "change"); got != want {
		t.Errorf("without a session: got a redirect to %s, want %s", got, want)
	}
	if got := s.user(t, "ada").get("/links").attr(".side a[data-key='g l']", "aria-current"); got != "page" {
		t.Errorf("the sidebar does not mark the page of all links: aria-current is %q", got)
	}
}

func TestRedirectsStayOnTheServer(t *testing.T) {
	targets := []string{"https://evil.example", "//evil.example", `/\evil.example`, "/\t/evil.example", "javascript:alert(1)", "evil.example"}
	eachSite(t, func(t *testing.T, s *testSite) {
		for i, target := range targets {
			ada := s.user(t, fmt.Sprintf("ada%d", i))
			entities := ada.addPrivateEntities()
			check := func(what string, p response) {
				t.Helper()
				if u, err := url.Parse(p.location); err != nil || u.Host != "" || u.Scheme != "" || strings.ContainsAny(p.location, "\\\t") {
					t.Errorf("%s, target %q: redirects to %q", what, target, p.location)
				}
				p.Find("[href], [action], [formaction]").Each(func(_ int, element *goquery.Selection) {
					for _, name := range []string{"href", "action", "formaction"} {
						if value, ok := element.Attr(name); ok && value == target {
							t.Errorf("%s has %s=%q", what, name, value)
						}
					}
				})
			}
			form := url.Values{"models": {entities["links"]}, "do": {"private"}, "view": {"cards"}, "order": {"title"}, "name": {"x"}}
			for _, field := range []string{"back", "next", "redirect", "return", "to", "from"} {
				form.Set(field, target)
			}
			for _, r := range routes {
				if r.Access == page.ForAdmins || r.Path == "/settings/account/delete" {
					continue
				}
				path := entities.path(t, r)
				what, header := r.Method+" "+r.Path, []string{"Referer", target, "X-Forwarded-Host", "evil.example"}
				if r.Method == http.MethodPost {
					check(what, ada.do(r.Method, path, form.Encode(), append(header, "Content-Type", formType)...))
				} else {
					check(what, ada.do(r.Method, path+"?"+form.Encode(), "", header...))
				}
				if ada.get("/shortcuts").status == http.StatusSeeOther {
					ada.signIn(ada.user.Name, password)
				}
			}
		}
	})
}
