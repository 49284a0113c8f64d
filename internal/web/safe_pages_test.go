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
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// sitePath is the path of the base URL.
const sitePath = "/base"

// TestAllPagesAreSafe requests all pages, pages of errors included, as an administrator with hostile texts, and as a
// guest, of a site below a path.
func TestAllPagesAreSafe(t *testing.T) {
	settings := config.Default().API
	settings.GuestPages = true
	check(t, settings.BaseURL.UnmarshalText([]byte("http://links.example"+sitePath)))
	s := newTestSite(t, storetest.Open(t), settings)
	ada, guest := s.user(t, "ada"), s.guest(t)
	ada.makeAdmin()
	entities := ada.addPrivateEntities()
	trashed := ada.addLink(waymark.LinkInput{URL: "https://example.org/trashed", Title: new(hostileText)})
	if _, err := s.service.DeleteMany(t.Context(), ada.user, waymark.Links, []int64{int64(trashed.ID)}); err != nil {
		t.Fatal(err)
	}
	public := ada.addCollection()
	if _, err := s.service.AddSavedSearch(t.Context(), ada.user, waymark.SavedSearchInput{Name: new(strings.ReplaceAll(hostileText, "alert(1)", "alert(2)")), Query: new("example"), Public: new(true)}); err != nil {
		t.Fatal(err)
	}
	entities["people"] = fmt.Sprint(ada.user.ID)
	// The paths that are not about private entities.
	list, tag := fmt.Sprint("/guest/lists/", public.lists[waymark.Public].ID), fmt.Sprint("/guest/tags/", public.tags[waymark.Public].ID)
	paths := map[string]string{
		"/guest/lists/{id}": list, "/guest/lists/{id}/feed": list + "/feed", "/guest/tags/{id}": tag, "/guest/tags/{id}/feed": tag + "/feed",
		"/trash/{kind}": "/trash/links", "/help/{name}": "/help/search", "/guest/searches/{id}": "/guest/searches/2", "/guest/searches/{id}/feed": "/guest/searches/2/feed",
	}
	token, err := s.store.Accounts.FeedToken(t.Context(), ada.user.ID)
	check(t, err)
	pages := append(slices.Clone(routes), page.Route{Method: http.MethodGet, Path: "/nowhere", Access: page.ForUsers})
	for _, query := range []string{"?view=compact", "?view=cards", "?q=" + url.QueryEscape(hostileText), "?q=example&page=1&order=title"} {
		pages = append(pages, page.Route{Method: http.MethodGet, Path: "/links" + query, Access: page.ForUsers})
	}
	for _, r := range pages {
		if r.Method != http.MethodGet {
			continue
		}
		path := cmp.Or(paths[r.Path], entities.path(t, r))
		if r.Access == page.ForCatalog {
			path = strings.Replace(path, "/opds/ada", "/opds/"+token, 1)
		}
		for name, b := range map[string]*browser{"ada": ada, "guest": guest} {
			t.Run(strings.TrimPrefix(path, "/")+" as "+name, func(t *testing.T) {
				p := b.get(path)
				p.t = t
				if placeholder.MatchString(r.Path) && !strings.Contains(r.Path, "{token}") && name == "ada" && p.status == http.StatusNotFound {
					t.Errorf("got 404: give this test the path of an entity, so that its page is checked")
				}
				p.wantOnlyOurParts(r)
				p.wantCachedFor(r)
			})
		}
	}
}

// wantOnlyOurParts fails the test if a page has something that a hostile text could have brought, or that leads to
// something else.
func (p response) wantOnlyOurParts(r page.Route) {
	if p.status >= 500 || p.status == http.StatusSeeOther && !belowSitePath(p.location) {
		p.t.Errorf("got %d with the location %q", p.status, p.location)
	}
	policy := wantedPolicy
	if strings.HasSuffix(r.Path, "/full-snapshot/file") && p.status == http.StatusOK { // the page of somebody else
		policy = singlefile.Policy
	}
	if (strings.HasSuffix(r.Path, "/attachments/{attachment}") || strings.HasSuffix(r.Path, ".epub")) && p.status == http.StatusOK { // a file of somebody
		policy = httpx.FilePolicy
	}
	if got := p.header.Get("Content-Security-Policy"); got != policy {
		p.t.Errorf("got the policy %q, want %q", got, policy)
	}
	if policy != wantedPolicy || !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		return
	}
	p.Find("script:not([src]), style, img[src=x], base, object, embed, iframe:not([src$='/full-snapshot/file'])").Each(func(_ int, element *goquery.Selection) {
		p.t.Errorf("the page has the element %s", goquery.NodeName(element))
	})
	p.Find("*").Each(func(_ int, element *goquery.Selection) {
		for _, attribute := range element.Get(0).Attr {
			if attribute.Key == "style" || strings.HasPrefix(attribute.Key, "on") || strings.HasPrefix(attribute.Key, "hx-on") {
				p.t.Errorf("%s has the attribute %s=%q", goquery.NodeName(element), attribute.Key, attribute.Val)
			}
			if slices.Contains(urlAttributes, attribute.Key) {
				checkURL(p.t, element.Get(0), attribute)
			}
		}
	})
}

// wantCachedFor fails the test if caches may keep a page for others than those who may see it.
func (p response) wantCachedFor(r page.Route) {
	control := p.header.Get("Cache-Control")
	switch {
	case p.status == http.StatusSeeOther, r.Access <= page.ForGuests:
		if strings.Contains(control, "public") && p.header.Get("Set-Cookie") != "" {
			p.t.Errorf("a response for all sets the cookie %s", p.header.Get("Set-Cookie"))
		}
	case strings.Contains(control, "public"), !strings.Contains(control, "private") && !strings.Contains(control, "no-store"):
		p.t.Errorf("got Cache-Control %q, want private", control)
	}
	if strings.Contains(control, "public") && strings.Contains(p.body, "alert(1)") {
		p.t.Error("a response for all shows what is private")
	}
}

// belowSitePath reports whether a URL is one of the site.
func belowSitePath(rawURL string) bool {
	path := strings.TrimPrefix(rawURL, "http://links.example")
	return path == sitePath || strings.HasPrefix(path, sitePath+"/")
}

// checkURL fails if an attribute has a URL that runs a script, that loads something from another server, or that is not
// below the path of the base URL.
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
	case bookmarklet, attribute.Val == "", strings.HasPrefix(attribute.Val, "#"), belowSitePath(attribute.Val):
	case u.Scheme == "" && u.Host == "":
		t.Errorf("<%s %s=%q> is not below %s", element.Data, attribute.Key, attribute.Val, sitePath)
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

func TestURLOfAPageCountsWithoutTheBasePath(t *testing.T) {
	settings := config.Default().API
	check(t, settings.BaseURL.UnmarshalText([]byte("http://links.example/base")))
	s := newTestSite(t, storetest.Open(t), settings)
	p := s.guest(t).do(http.MethodPost, "/view", "", "HX-Request", "true", "HX-Current-URL", "http://links.example/base/links?order=title")
	if got, want := p.header.Get("HX-Redirect"), "/base/signin?"+page.QueryOf("back", "/links?order=title", "unsaved", "change"); got != want {
		t.Errorf("without a session: got a redirect to %s, want %s", got, want)
	}
	s.user(t, "ada").get("/links").wantAttr(".side a[data-key='g l']", "aria-current", "page")
}

// TestSignInRefusesOtherServersAsTarget has all forms of such a URL: one function recognizes them.
func TestRedirectsStayOnTheServer(t *testing.T) {
	const target = `/\evil.example`
	s := newSite(t)
	ada := s.user(t, "ada")
	entities := ada.addPrivateEntities()
	form := url.Values{"models": {entities["links"]}, "do": {"private"}, "view": {"cards"}, "order": {"title"}, "name": {"x"}}
	for _, field := range []string{"back", "next", "redirect", "return", "to", "from"} {
		form.Set(field, target)
	}
	for _, r := range routes {
		if r.Access == page.ForAdmins || r.Path == "/settings/account/delete" {
			continue
		}
		what, path, body, header := r.Method+" "+r.Path, entities.path(t, r), "", []string{"Referer", target, "X-Forwarded-Host", "evil.example"}
		if r.Method == http.MethodPost {
			body, header = form.Encode(), append(header, "Content-Type", formType)
		} else {
			path += "?" + form.Encode()
		}
		p := ada.do(r.Method, path, body, header...)
		if u, err := url.Parse(p.location); err != nil || u.Host != "" || u.Scheme != "" || strings.ContainsAny(p.location, "\\\t") {
			t.Errorf("%s: redirects to %q", what, p.location)
		}
		for _, name := range []string{"href", "action", "formaction"} {
			if n := p.Find("[" + name + "]").FilterFunction(func(_ int, e *goquery.Selection) bool { return e.AttrOr(name, "") == target }).Length(); n > 0 {
				t.Errorf("%s has %d times %s=%q", what, n, name, target)
			}
		}
		if ada.get("/").location == "/signin" {
			ada.signIn(ada.user.Name, password)
		}
	}
}
