package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"waymark/internal/bookmarks"
	"waymark/internal/config"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
	"waymark/internal/store"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// hostileText is a text that is dangerous wherever a page does not escape it.
const hostileText = `'"><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1) </title><style>*{}</style>`

// privateEntities are the ids of private entities of a user, by the segment of the path
// before the id.
type privateEntities map[string]string

// addPrivateEntities creates an entity of each kind, with hostile texts.
func (b *browser) addPrivateEntities() privateEntities {
	b.t.Helper()
	ctx, s, text, private := b.t.Context(), b.site.service, hostileText, waymark.Private
	visibility := waymark.VisibilityInput{Visibility: &private}
	list, err := s.AddList(ctx, b.user, waymark.ListInput{Name: text, Description: &text, VisibilityInput: visibility})
	if err != nil {
		b.t.Fatal(err)
	}
	tag, err := s.AddTag(ctx, b.user, waymark.TagInput{Name: text, VisibilityInput: visibility})
	if err != nil {
		b.t.Fatal(err)
	}
	link := b.addLink(waymark.LinkInput{
		URL: "https://example.org/?" + strings.ReplaceAll(text, " ", "+"), Title: &text, Description: &text, VisibilityInput: visibility,
		Lists: &[]waymark.Ref{{ID: int64(list.ID)}}, Tags: &[]waymark.Ref{{ID: int64(tag.ID)}},
	})
	saveTextSnapshot(b.t, b.site, link)
	saveWholePage(b.t, b.site, link, "<title>"+text+"</title><p>"+text)
	for _, rawURL := range []string{"file:///etc/passwd", "view-source:" + link.URL} {
		b.addLink(waymark.LinkInput{URL: rawURL, Title: &text, VisibilityInput: visibility})
	}
	note, err := s.AddNote(ctx, b.user, link.ID, waymark.NoteInput{Text: text + "\n\n[x](javascript:alert(1)) ![x](https://evil.example/x.png) <b onclick=alert(1)>", VisibilityInput: visibility})
	if err != nil {
		b.t.Fatal(err)
	}
	_, key, err := b.site.accounts.AddAPIKey(ctx, b.user.Name, "laptop", waymark.AccessFull, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	sessions, err := b.site.store.Accounts.Sessions(ctx, b.user.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.site.accounts.NewFeedToken(ctx, b.user.ID); err != nil {
		b.t.Fatal(err)
	}
	passkey := waymark.Passkey{UserID: b.user.ID, Credential: text, Name: text}
	if err := b.site.store.Accounts.AddPasskey(ctx, passkey, 0); err != nil {
		b.t.Fatal(err)
	}
	passkeys, err := b.site.store.Accounts.Passkeys(ctx, b.user.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	query := "query=private"
	search, err := s.AddSavedSearch(ctx, b.user, waymark.SavedSearchInput{Name: &text, Query: &query})
	if err != nil {
		b.t.Fatal(err)
	}
	batch, err := b.site.transfer.BeginImport(ctx, b.user, waymark.Import{File: text}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	imported, err := batch.Bookmarks(ctx, func(yield func(bookmarks.Bookmark, error) bool) {
		_ = yield(bookmarks.Bookmark{URL: text}, nil) && yield(bookmarks.Bookmark{}, &bookmarks.RowError{Line: 2, Err: errors.New(text)})
	}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	picture := storetest.Picture(text)
	if err := b.site.store.Snapshots.SetLinkPicture(ctx, queue.ClaimedPage{Link: link.ID, Owner: b.user.ID, URL: link.URL}, waymark.SiteIcon, picture); err != nil {
		b.t.Fatal(err)
	}
	return privateEntities{
		"pictures": picture.Hash, "attachments": fmt.Sprint(attach(b.t, b.site, link, text+".txt", text).ID),
		"imports": fmt.Sprint(imported.ID),
		"links":   fmt.Sprint(link.ID), "lists": fmt.Sprint(list.ID), "tags": fmt.Sprint(tag.ID), "notes": fmt.Sprint(note.ID),
		"api-keys": fmt.Sprint(key.ID), "devices": fmt.Sprint(sessions[0].ID), "passkeys": fmt.Sprint(passkeys[0].ID), "searches": fmt.Sprint(search.ID),
	}
}

// placeholder matches a wildcard in the pattern of a route, and the segment before it.
var placeholder = regexp.MustCompile(`([a-z-]+)/\{([a-z]+)\}`)

// path returns a path of a route that is about these entities.
func (e privateEntities) path(t *testing.T, r page.Route) string {
	t.Helper()
	return strings.TrimSuffix(placeholder.ReplaceAllStringFunc(r.Path, func(match string) string {
		parts := placeholder.FindStringSubmatch(match)
		switch parts[2] {
		case "id", "hash", "attachment":
			id, ok := e[parts[1]]
			if !ok && r.Access != page.ForAdmins {
				t.Fatalf("%s: add an entity of this kind to addPrivateEntities", r.Path)
			}
			return parts[1] + "/" + cmp.Or(id, "1")
		case "token":
			return parts[1] + "/" + strings.Repeat("A", 43)
		}
		return parts[1] + "/ada"
	}), "{$}")
}

// everythingOf describes all that a user has.
func everythingOf(t *testing.T, s *testSite, user waymark.User) string {
	t.Helper()
	ctx, all := t.Context(), waymark.Pagination{}
	var text strings.Builder
	add := func(value any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%+v\n", value)
	}
	// Not what others share with the user.
	links, err := s.store.SearchLinks(user.ID, waymark.LinkFilter{Where: waymark.IsMine}, waymark.Order{}, all).Page(ctx)
	add(links, err)
	own := waymark.LabelFilter{Owner: user.ID}
	add(s.store.SearchLists(ctx, user.ID, own, waymark.Order{}, all))
	add(s.store.SearchTags(ctx, user.ID, own, waymark.Order{}, all))
	for _, link := range links.Entities {
		add(s.store.NotesOfLink(user.ID, link.ID, all).Page(ctx))
		add(s.store.Snapshots.Attachments(ctx, user.ID, link.ID))
	}
	add(s.store.TrashCounts(ctx, user.ID))
	add(s.store.Accounts.APIKeys(ctx, user.ID))
	add(s.store.Accounts.Passkeys(ctx, user.ID))
	add(s.store.Accounts.Factors(ctx, user.ID))
	add(s.store.Accounts.Sessions(ctx, user.ID))
	add(s.store.Accounts.Settings(ctx, user.ID))
	add(s.store.Accounts.FeedToken(ctx, user.ID))
	add(s.store.Accounts.SavedSearches(ctx, user.ID))
	add(s.store.Imports(ctx, user.ID))
	add(s.store.Accounts.UserByName(ctx, user.Name))
	return text.String()
}

// hostileForm has fields of all forms, which name what belongs to another user.
func hostileForm(e privateEntities) string {
	form := url.Values{
		"url": {"https://evil.example/"}, "title": {"evil"}, "name": {"evil"}, "text": {"evil"}, "description": {"evil"}, "query": {""},
		"visibility": {"public"}, "do": {"trash"}, "mode": {"replace"}, "into": {e["tags"]}, "link": {e["links"]},
		"user": {"ada"}, "session": {e["devices"]}, "password": {password}, "confirm": {"ada"},
	}
	for _, id := range e {
		for _, field := range []string{"models", "models[]", "id", "ids", "lists", "tags", "merge", "from"} {
			form.Add(field, id)
		}
	}
	return form.Encode()
}

// formType is the media type of forms.
const formType = "application/x-www-form-urlencoded"

func TestUsersReachNothingOfOthers(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		entities := ada.addPrivateEntities()
		before := everythingOf(t, s, ada.user)
		for _, r := range routes {
			if r.Access < page.ForReaders || r.Access == page.ForAdmins {
				continue
			}
			if r.Path == "/settings/account/delete" {
				continue // it deletes ben
			}
			body := ""
			if r.Method == http.MethodPost {
				body = hostileForm(entities)
			}
			p := ben.do(r.Method, entities.path(t, r), body, "Content-Type", formType)
			if strings.Contains(r.Path, "{") && r.Path != "/users/{name}" && p.status != http.StatusNotFound {
				t.Errorf("%s %s: got %d %s, want 404", r.Method, r.Path, p.status, p.location)
			}
			if r.Method == http.MethodGet && strings.Contains(p.body, "alert(1)") {
				t.Errorf("%s %s shows what belongs to another user: %s", r.Method, r.Path, p.body)
			}
			if after := everythingOf(t, s, ada.user); after != before {
				t.Fatalf("%s %s: %s became %s", r.Method, r.Path, before, after)
			}
			if ben.get("/links").status == http.StatusSeeOther {
				ben.signIn("ben", password)
			}
		}
	})
}

func TestDisabledUsersAreSignedOut(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		entities := ada.addPrivateEntities()
		if err := s.accounts.SetUserDisabled(t.Context(), "ada", true); err != nil {
			t.Fatal(err)
		}
		for _, r := range routes {
			if r.Access < page.ForReaders {
				continue
			}
			p := ada.do(r.Method, entities.path(t, r), "", "Content-Type", formType)
			if p.status != http.StatusSeeOther || !strings.HasPrefix(p.location, "/signin") {
				t.Errorf("%s %s: got %d %s, want the sign-in page", r.Method, r.Path, p.status, p.location)
			}
		}
	})
}

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

// wantedPolicy is the Content-Security-Policy of our pages.
const wantedPolicy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// urlAttributes are the attributes whose value is a URL.
var urlAttributes = []string{"href", "src", "action", "formaction", "poster", "data", "cite", "hx-get", "hx-post", "hx-push-url", "xlink:href"}

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
