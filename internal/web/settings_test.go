package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// admin returns a browser in which an administrator is signed in.
func (s *testSite) admin(t *testing.T, name string) *browser {
	t.Helper()
	b := s.user(t, name)
	b.makeAdmin()
	return b
}

// wantProblem fails the test if the page is not a form with this sentence about a field.
func (p response) wantProblem(field, text string) {
	p.t.Helper()
	if got := p.wantStatus(http.StatusUnprocessableEntity).text("#" + field + "-wrong"); !strings.Contains(got, text) {
		p.t.Errorf("got %q about %s, want %q", got, field, text)
	}
}

func TestMenuOfSettingsLeadsToPagesThatExist(t *testing.T) {
	s := newSite(t)
	ada, ben := s.admin(t, "ada"), s.user(t, "ben")
	for b, want := range map[*browser]int{ada: 9, ben: 7} {
		links := b.get("/settings").wantStatus(http.StatusOK).Find(".settings-menu a")
		if links.Length() != want {
			t.Errorf("%s: got %d pages, want %d", b.user.Name, links.Length(), want)
		}
		for _, link := range links.EachIter() {
			path := link.AttrOr("href", "")
			p := b.get(path).wantStatus(http.StatusOK)
			p.wantAttr(".settings nav [aria-current=page]", "href", path)
			if p.text(".settings h1") == "" {
				t.Errorf("%s has no heading", path)
			}
		}
	}
	ada.get("/settings/api-tokens").wantStatus(http.StatusSeeOther).wantRedirect("/settings/api-keys")
}

func TestProfileChangesNameAndPassword(t *testing.T) {
	s := newSite(t)
	ada, other := s.user(t, "ada"), s.guest(t)
	s.user(t, "ben")
	other.signIn("ada", password)
	ada.post("/settings/profile", "name", "BEN").wantProblem("name", "“BEN” exists already")
	ada.post("/settings/profile", "name", "a b").wantProblem("name", "one word")
	ada.post("/settings/profile", "name", "").wantProblem("name", "empty")
	if p := ada.follow(ada.post("/settings/profile", "name", "Ädä")); p.text(".toast span") != "Saved." || p.attr("#name", "value") != "Ädä" {
		t.Errorf("got %q and the name %q", p.text(".toast"), p.attr("#name", "value"))
	}
	ada.post("/settings/password", "current", "wrong horse", "password", "battery staple").wantProblem("current", "not your current password")
	ada.post("/settings/password", "current", password, "password", "short").wantProblem("password", "at least 8 characters")
	ada.post("/settings/password", "current", password, "password", "qwertyuiop").wantProblem("password", "many people use it")
	ada.post("/settings/password", "current", password, "password", "ädä-12345").wantProblem("password", "little more than your name")
	both := ada.post("/settings/password", "current", "wrong horse", "password", "short")
	both.wantProblem("current", "not your current password")
	both.wantProblem("password", "at least 8 characters")
	if p := ada.follow(ada.post("/settings/password", "current", password, "password", "battery staple")); !strings.Contains(p.text(".toast"), "has changed") {
		t.Errorf("got %q", p.text("main"))
	}
	if p := ada.get("/settings/profile").wantStatus(http.StatusOK); p.Find("[name=revoke]").Length() != 1 || p.Find("[name=revoke]:checked").Length() != 0 {
		t.Error("want a box to revoke keys and feeds, not ticked")
	}
	if p := other.get("/settings").wantStatus(http.StatusSeeOther); !strings.HasPrefix(p.location, "/signin") {
		t.Errorf("the other browser: got %s, want the sign-in page", p.location)
	}
	s.guest(t).signIn("ädä", "battery staple")
}

func TestAppearanceIsKeptForTheAccount(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	p := ada.get("/settings/appearance").wantStatus(http.StatusOK)
	if got := p.Find("input:checked").Length(); got != 4 { // theme, view, descriptions, shortcuts
		t.Errorf("got %d default choices, want 4", got)
	}
	ada.post("/settings/appearance", "time-zone", "Nowhere/City", "links-per-page", "24").wantProblem("time-zone", "“Nowhere/City” is not a time zone")
	p = ada.follow(ada.post("/settings/appearance", "theme", "dark", "view", "compact", "links-per-page", "96",
		"new-tab", "1", "only-mine", "1", "language", "de", "time-zone", "Asia/Tokyo"))
	if p.attr("html", "lang") != "de" || p.attr("html", "data-theme") != "dark" || p.text(".toast span") != "Gespeichert." {
		t.Errorf("got lang %q, theme %q, %q", p.attr("html", "lang"), p.attr("html", "data-theme"), p.text(".toast"))
	}
	want := waymark.Settings{Language: "de", TimeZone: "Asia/Tokyo", Theme: waymark.DarkTheme, View: waymark.CompactView, LinksPerPage: 96, NewTab: true, HideDescriptions: true, NoShortcuts: true, OnlyMine: true, Snapshots: waymark.AllSnapshots}
	if got, err := s.store.Accounts.Settings(t.Context(), ada.user.ID); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got := p.attr("select[name=links-per-page] option[selected]", "value") + p.text("select[name=links-per-page] option[selected]"); got != "96" {
		t.Errorf("the form shows %q links, want 96", got)
	}
}

func TestAppearanceChangesLinks(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Description: new("What it is")})
	paths := []string{"/links", "/links?view=cards", linkPath(link.ID)}
	for _, path := range paths {
		ada.get(path).wantCount("main [target]", 0)
	}
	ada.post("/settings/appearance", "view", "comfortable", "links-per-page", "24", "new-tab", "1").wantStatus(303)
	for _, path := range paths {
		sites := ada.get(path).Find("main a[href='https://example.org/']")
		if tabs := sites.Filter("[target=_blank][rel=noreferrer]"); sites.Length() == 0 || tabs.Length() != sites.Length() {
			t.Errorf("%s: %d of %d links open in a new tab, want all", path, tabs.Length(), sites.Length())
		}
	}
	ada.get("/links").wantText(".link .desc", "")
	ada.get("/links?q=what").wantText(".link .desc", "What it is")
}

func TestUsersTurnOffPagesAndChecks(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	visibility := []string{"links", "public", "lists", "internal", "tags", "private", "notes", "internal"}
	ada.get("/settings/new-links").wantCount("[type=checkbox]", 1)
	s.crawl(crawl.Options{Parts: waymark.TextParts, Checks: true})
	ada.get("/settings/new-links").wantCount("[type=checkbox]:checked", 2)
	p := ada.follow(ada.post("/settings/new-links", append(visibility, "check", "1")...))
	if on := p.Find("[type=checkbox]:checked"); on.Length() != 1 || on.AttrOr("name", "") != "check" {
		t.Errorf("got %d choices that are on, want only check", on.Length())
	}
	ada.post("/settings/appearance", "links-per-page", "24")
	if got, err := s.store.Accounts.Settings(t.Context(), ada.user.ID); err != nil || !got.NoMetadata || got.NoChecks || got.NoPictures || got.Snapshots != waymark.AllSnapshots {
		t.Errorf("got %+v, %v, want only NoMetadata", got, err)
	}

	s.crawl(crawl.Options{Parts: waymark.TextParts | waymark.ThumbnailPart | waymark.TextSnapshotPart, Checks: true})
	p = ada.get("/settings/new-links")
	if got := p.attr("select[name=snapshots] option[selected]", "value") + p.attr("[name=pictures]", "value"); got != "full1" {
		t.Errorf("got the snapshots and pictures %q, want full1", got)
	}
	p = ada.follow(ada.post("/settings/new-links", append(visibility, "snapshots", "off")...))
	p.wantAttr("select[name=snapshots] option[selected]", "value", "off")
	p.wantCount("[type=checkbox]:checked", 0)
	if got, err := s.store.Accounts.Settings(t.Context(), ada.user.ID); err != nil || !got.NoPictures || got.Snapshots != waymark.NoSnapshots {
		t.Errorf("got %+v, %v, want no pictures and no snapshots", got, err)
	}
	ada.post("/settings/new-links", append(visibility, "snapshots", "all")...).wantStatus(http.StatusUnprocessableEntity)
}

func TestNewLinksSetsDefaultVisibility(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.post("/settings/new-links", "links", "everyone").wantStatus(http.StatusUnprocessableEntity)
	p := ada.follow(ada.post("/settings/new-links", "links", "public", "lists", "internal", "tags", "private", "notes", "internal"))
	p.wantAttr("#links option[selected]", "value", "public")
	link := waymark.DefaultVisibility{Links: waymark.Public, Lists: waymark.Internal, Tags: waymark.Private, Notes: waymark.Internal}
	if user, err := s.store.Accounts.UserByName(t.Context(), "ada"); err != nil || user.DefaultVisibility != link {
		t.Errorf("got %v, %v, want %v", user.DefaultVisibility, err, link)
	}
}

func TestAPIKeyIsShownOnceAndRevokedWithUndo(t *testing.T) {
	s := newSite(t)
	ada, ben := s.user(t, "ada"), s.user(t, "ben")
	ada.get("/settings/api-keys").wantAttr("input[name=access]:checked", "value", "add")
	p := ada.post("/settings/api-keys", "name", "<b>phone</b>", "access", "read", "days", "30").wantStatus(http.StatusOK)
	secret := p.text(".secret .key code")
	user, key, err := s.accounts.Authenticate(t.Context(), secret)
	if err != nil || user.ID != ada.user.ID || key.Access != waymark.AccessRead || key.ExpiresAt == 0 {
		t.Fatalf("got the key %+v of %s, %v", key, user.Name, err)
	}
	if p.header.Get("Cache-Control") != "no-store" || p.Find("td b b").Length() != 0 || p.text("td b") != "<b>phone</b>" {
		t.Errorf("got Cache-Control %q and the name %q", p.header.Get("Cache-Control"), p.text("td b"))
	}
	if !strings.Contains(p.text("details"), "Bearer "+secret) || p.Find(".recipes dt").Length() != 5 {
		t.Errorf("got %q, want a command and five programs", p.text("details"))
	}
	if p := ada.get("/settings/api-keys"); strings.Contains(p.Text(), secret) || p.Find(".secret").Length() != 0 {
		t.Error("the next page shows the key again")
	}
	ada.post("/settings/api-keys", "name", "<b>phone</b>", "access", "add").wantProblem("name", "exists already")
	ada.post("/settings/api-keys", "name", " ", "access", "add").wantProblem("name", "empty")
	ada.post("/settings/api-keys", "name", "tablet", "access", "all").wantStatus(http.StatusBadRequest)

	revoke := p.attr("td form", "action")
	ben.post(revoke).wantStatus(http.StatusNotFound)
	p = ada.follow(ada.post(revoke))
	if _, _, err := s.accounts.Authenticate(t.Context(), secret); !errors.Is(err, waymark.ErrNotFound) {
		t.Errorf("the revoked key: got error %v, want ErrNotFound", err)
	}
	undo := p.attr(".toast form", "action")
	ben.post(undo).wantStatus(http.StatusNotFound)
	ada.follow(ada.post(undo)).wantStatus(http.StatusOK)
	if _, _, err := s.accounts.Authenticate(t.Context(), secret); err != nil {
		t.Errorf("the restored key: got error %v", err)
	}
	undo = ada.follow(ada.post(revoke)).attr(".toast form", "action")
	ada.post("/settings/api-keys", "name", "<b>phone</b>", "access", "add").wantStatus(http.StatusOK)
	ada.follow(ada.post(undo)).wantText(".toast span", "The key was not restored: you have another key with its name.")
}

func TestDevicesEndSessions(t *testing.T) {
	s := newSite(t)
	ada, phone, tablet, ben := s.user(t, "ada"), s.guest(t), s.guest(t), s.user(t, "ben")
	phone.signIn("ada", password)
	tablet.signIn("ada", password)
	p := ada.get("/settings/signin").wantStatus(http.StatusOK)
	if p.Find(".things li").Length() != 3 || p.Find(".things form").Length() != 2 || !strings.Contains(p.text(".things"), "127.0.0.1") {
		t.Errorf("got %q, want three browsers, two of which can be ended", p.text(".things"))
	}
	p.wantText("li:has(.badge) .how", "Password only")
	end := p.attr(".things form", "action")
	ben.post(end).wantStatus(http.StatusNotFound)
	ada.follow(ada.post(end)).wantCount(".things li", 2)
	ada.follow(ada.post("/settings/devices/end-others")).wantCount(".things li", 1)
	for _, b := range map[string]*browser{"phone": phone, "tablet": tablet} {
		b.get("/links").wantStatus(http.StatusSeeOther)
	}
	ben.get("/links").wantStatus(http.StatusOK)
}

func TestBrowserNames(t *testing.T) {
	s := newSite(t)
	s.user(t, "ada")
	form := url.Values{"name": {"ada"}, "password": {password}}.Encode()
	for header, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                  "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":           "Edge on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":                            "Chrome on Android",
		"curl/8.0": "curl",
		"":         "Unknown browser",
		"<script>": "Unknown browser",
	} {
		b := s.guest(t)
		b.do(http.MethodPost, "/signin", form, "Content-Type", "application/x-www-form-urlencoded", "User-Agent", header).wantStatus(http.StatusSeeOther)
		b.get("/settings/signin").wantText("li:has(.badge) b", want)
	}
}

func TestAppsHaveTheURLOfTheServer(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	p := ada.get("/settings/apps").wantStatus(http.StatusOK)
	code, err := url.PathUnescape(p.attr("a.btn[href^=javascript]", "href"))
	if err != nil || !strings.Contains(code, s.URL+"/bookmarklet/add") {
		t.Errorf("got the bookmarklet %q, %v", code, err)
	}
	p.wantText(".key code:contains('/links?')", s.URL+"/links?q=%s")
	p.wantText(".key code:contains('/mcp')", s.URL+"/mcp")
	p.wantCount("svg.qr path", 1)
	if programs := p.text("dl.recipes"); !strings.Contains(programs, s.URL+"/karakeep") || !strings.Contains(programs, s.URL+"/api/bookmarks/singlefile/") {
		t.Errorf("got the programs %s", programs)
	}
	feed := func(p response) string { return strings.TrimPrefix(p.text(".key code:contains('/links/feed')"), s.URL) }
	first := feed(ada.follow(ada.post("/settings/feeds")))
	s.guest(t).get(first).wantStatus(http.StatusOK)
	second := feed(ada.follow(ada.post("/settings/feeds")))
	s.guest(t).get(second).wantStatus(http.StatusOK)
	s.guest(t).get(first).wantStatus(http.StatusNotFound)
}

// One button makes a key for an assistant, and another one undoes all that it has changed.
func TestAssistants(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		link := ada.addLink(waymark.LinkInput{URL: "https://go.dev/"})
		ada.get("/settings/apps").wantAttr("[name=access] option:first-child", "value", "read")
		p := ada.post("/settings/assistants", "access", "read").wantStatus(http.StatusOK)
		secret := p.Find(".secret .key code").First().Text()
		user, key, err := s.accounts.Authenticate(t.Context(), secret)
		if err != nil || user.ID != ada.user.ID || key.Name != "Assistant" || key.Access != waymark.AccessRead || p.header.Get("Cache-Control") != "no-store" {
			t.Errorf("got the key %+v, error %v", key, err)
		}
		if lines := p.text(".secret"); strings.Count(lines, secret) != 4 || strings.Count(lines, s.URL) != 3 {
			t.Errorf("got %s", lines)
		}
		ada.post("/settings/assistants", "access", "all").wantStatus(http.StatusBadRequest)
		second := ada.post("/settings/assistants", "access", "full").Find(".secret .key code").First().Text()
		_, key, err = s.accounts.Authenticate(t.Context(), second)
		if err != nil || key.Name != "Assistant 2" {
			t.Errorf("got the key %+v, error %v", key, err)
		}
		for _, title := range []string{"one", "two"} {
			_, err := s.service.WithUndo(t.Context(), service.UndoOptions{User: ada.user, APIKey: key.ID}, func(ctx context.Context, s *service.Service) error {
				_, err := s.EditLink(ctx, ada.user, link.ID, waymark.LinkInput{URL: link.URL, Title: &title})
				return err
			})
			check(t, err)
			clock.pass(time.Hour)
		}
		const button = `form[action$="/undo"]`
		p = ada.get("/settings/apps")
		p.wantCount("#assistants ~ ul > li", 2)
		p.wantCount(button, 1)
		form := p.Find(button)
		path, _ := form.Attr("action")
		from, _ := form.Find("[name=from]").Attr("value")
		to, _ := form.Find("[name=to]").Attr("value")
		ada.follow(ada.post(path, "from", from, "to", to, "back", "/settings/apps")).wantCount(button, 0)
		if got, err := s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil || got.Title != link.Title {
			t.Errorf("got %q, error %v; want %q", got.Title, err, link.Title)
		}
	})
}

func TestAccountIsDeletedAfterTheNameAndAProof(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		ada, ben := s.admin(t, "ada"), s.user(t, "ben")
		clock.endConfirmation()
		ben.addLink(waymark.LinkInput{URL: "https://go.dev/"})
		ben.post("/settings/account/delete", "account", "ben").wantStatus(http.StatusForbidden) // asks for the password
		ben.post("/settings/account/delete", "account", "ben", "current", "wrong horse").wantProblem("current", "not your current password")
		ben.post("/settings/account/delete", "account", "ada", "current", password).wantProblem("account", "not your name")
		ben.post("/settings/account/delete", "account", "Ben").wantRedirect("/signin")
		if _, err := s.store.Accounts.UserByName(t.Context(), "ben"); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("got error %v, want no user", err)
		}
		ben.get("/links").wantStatus(http.StatusSeeOther)
		ada.post("/settings/account/delete", "account", "ada", "current", password).wantProblem("account", "at least one administrator")
	})
}

func TestUsersDownloadWhatTheyHave(t *testing.T) {
	s := newSite(t)
	ada, ben := s.user(t, "ada"), s.user(t, "ben")
	ada.addLink(waymark.LinkInput{URL: "https://ada.example/"})
	ben.addLink(waymark.LinkInput{URL: "https://ben.example/"})
	links := ada.get("/settings/data").wantStatus(http.StatusOK).Find(".recipes a.btn")
	if links.Length() != 4 {
		t.Errorf("got %d links to download, want 4", links.Length())
	}
	for _, link := range links.EachIter() {
		path := link.AttrOr("href", "")
		p := ada.get(path).wantStatus(http.StatusOK)
		if !strings.Contains(p.body, "https://ada.example/") || strings.Contains(p.body, "ben.example") || !strings.HasPrefix(p.header.Get("Content-Disposition"), "attachment; filename=\"waymark-") {
			t.Errorf("%s: got %s\n%s\nwant a file with ada's link only", path, p.header.Get("Content-Disposition"), p.body)
		}
	}
	ada.get("/settings/data/export?format=xml").wantStatus(http.StatusBadRequest)
	s.guest(t).get("/settings/data/export?format=csv").wantStatus(http.StatusSeeOther)
}
