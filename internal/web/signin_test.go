package web

import (
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/config"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestPagesLeadGuestsToTheSignInPageAndBack(t *testing.T) {
	s := newSite(t)
	s.user(t, "ada")
	guest := s.guest(t)
	p := guest.get("/links?q=a%26b").wantStatus(http.StatusSeeOther)
	if want := "/signin?back=%2Flinks%3Fq%3Da%2526b"; p.location != want {
		t.Fatalf("got %s, want %s", p.location, want)
	}
	form := guest.follow(p)
	p = guest.post("/signin", "name", "ada", "password", password, "back", form.attr("input[name=back]", "value"))
	if want := "/links?q=a%26b"; p.location != want {
		t.Errorf("after the sign-in: got %s, want %s", p.location, want)
	}
}

func TestSessionThatHasEndedKeepsANewLink(t *testing.T) {
	s := newSite(t)
	s.user(t, "ada")
	guest := s.guest(t)
	for _, window := range []string{"", "1"} {
		form := guest.follow(guest.post("/links", "url", "https://example.org/?a=1&b", "title", "A & B", "tags", "go", "window", window))
		p := guest.follow(guest.post("/signin", "name", "ada", "password", password, "back", form.attr("input[name=back]", "value")))
		if got, want := p.attr("#url", "value")+p.attr("#title", "value")+p.attr("#tags", "value"), "https://example.org/?a=1&bA & Bgo"; got != want {
			t.Errorf("after the sign-in: got %q, want %q", got, want)
		}
		p.wantAttr("[name=window]", "value", window)
		guest = s.guest(t)
	}
	p := guest.post("/links", "url", "https://example.org/", "description", strings.Repeat("x", 5000))
	if want := "/signin?back=%2Flinks%2Fcreate%3Furl%3Dhttps%253A%252F%252Fexample.org%252F&unsaved=text"; p.location != want {
		t.Errorf("a long link: got %s, want %s", p.location, want)
	}
	p = guest.do(http.MethodPost, "/links/1/trash", "", "HX-Request", "true", "HX-Current-URL", s.URL+"/links?q=go", "Content-Type", "application/x-www-form-urlencoded")
	if got, want := p.header.Get("HX-Redirect"), "/signin?back=%2Flinks%3Fq%3Dgo&unsaved=change"; got != want {
		t.Errorf("a row: got %s, want %s", got, want)
	}
	for path, text := range map[string]string{"/links/1": "note=" + strings.Repeat("x", 5000), "/links/1/passages": "note=x"} {
		p = guest.do(http.MethodPost, path, text, "HX-Request", "true", "Content-Type", "application/x-www-form-urlencoded")
		if got := p.header.Get("HX-Redirect"); p.status != http.StatusUnauthorized || got != "" || !strings.Contains(p.text("h1"), "It is still here") {
			t.Errorf("%s: got status %d to %q with %q, want the page to stay", path, p.status, got, p.text("h1"))
		}
	}
}

func TestSessionThatHasEndedKeepsChanges(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Tags: &[]waymark.Ref{{Name: "go"}}})
	ada.post(linkPath(link.ID)+"/notes", "text", "a note", "visibility", "private")
	ada.post("/lists", "name", "Old", "visibility", "private").wantStatus(http.StatusSeeOther)
	for _, test := range []struct {
		path, selector string
		fields         []string
		want           string
	}{
		{linkPath(link.ID), "#title", []string{"title", "A & B", "tags", "css", "back", "/links?q=x"}, "A & B"},
		{linkPath(link.ID), "#tags", []string{"title", "A & B", "tags", "css"}, "css"},
		{linkPath(link.ID), "#url", []string{"title", "A & B"}, "https://example.org/"},
		{linkPath(link.ID), "[name=version]", []string{"title", "A & B", "version", "an old one"}, "an old one"},
		{linkPath(link.ID), ".look [name=back]", []string{"back", "/links?q=x"}, "/links?q=x"},
		{linkPath(link.ID) + "/notes", "#text", []string{"text", "new & <b>", "visibility", "public"}, "new & <b>"},
		{"/notes/1", "#text", []string{"text", "changed"}, "changed"},
		{"/lists", "#name", []string{"name", "New & old", "visibility", "public"}, "New & old"},
		{"/lists/1", "#name", []string{"name", "New & old", "description", "", "version", "an old one"}, "New & old"},
		{"/lists/1", "[name=version]", []string{"name", "New & old", "version", "an old one"}, "an old one"},
		{"/tags", "[name=visibility][checked]", []string{"name", "css", "visibility", "public"}, "public"},
		{"/tags/1", "#name", []string{"name", "css"}, "css"},
		{"/notes/1", "[name=version]", []string{"text", "changed", "version", "an old one"}, "an old one"},
	} {
		guest := s.guest(t)
		form := guest.follow(guest.post(test.path, test.fields...))
		p := guest.follow(guest.post("/signin", "name", "ada", "password", password, "back", form.attr("input[name=back]", "value")))
		got := p.attr(test.selector, "value")
		if p.Find(test.selector).Is("textarea") {
			got = strings.TrimPrefix(p.Find(test.selector).Text(), "\n")
		}
		if got != test.want {
			t.Errorf("POST %s %q: got %s %q after the sign-in, want %q", test.path, test.fields, test.selector, got, test.want)
		}
	}
}

func TestSignInPageSaysThatAChangeWasNotSaved(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	const unsaved = "You were signed out, so your change was not saved."
	for _, test := range []struct {
		path, text string
		want       string
	}{
		{"/links/1/notes", "short", unsaved + " After you sign in, you see its form again, filled in."},
		{"/links/1/notes", strings.Repeat("x", 5000), unsaved + " To keep your long text, go back and copy it before you sign in."},
		{"/links/1/trash", "", unsaved},
	} {
		guest := s.guest(t)
		if got := strings.TrimSpace(guest.follow(guest.post(test.path, "text", test.text)).Find(".note-box").Text()); got != test.want {
			t.Errorf("POST %s with %d bytes: got %q, want %q", test.path, len(test.text), got, test.want)
		}
	}
	s.guest(t).get("/signin?back=/lists&unsaved=x").wantCount(".note-box", 0) // otherwise the sign-in page is about a change, but none was sent
}

func TestSessionThatHasEndedKeepsThePage(t *testing.T) {
	s := newSite(t)
	s.user(t, "ada")
	for _, path := range []string{"/bulk", "/tags/merge", "/settings/profile"} {
		p := s.guest(t).do(http.MethodPost, path, "do=trash", "Content-Type", "application/x-www-form-urlencoded", "Referer", s.URL+"/links?q=go&page=2")
		if want := "/signin?back=%2Flinks%3Fq%3Dgo%26page%3D2&unsaved=change"; p.location != want {
			t.Errorf("POST %s: got %s, want %s", path, p.location, want)
		}
	}
	// A page with the errors of a form has the URL to which the form was sent.
	p := s.guest(t).do(http.MethodPost, "/links/1/check", "", "Content-Type", "application/x-www-form-urlencoded", "Referer", s.URL+"/links/1/notes")
	if want := "/signin?back=%2F&unsaved=change"; p.location != want {
		t.Errorf("from a URL without a page: got %s, want %s", p.location, want)
	}
	for _, path := range []string{"/complete/url?url=https://example.org", "/complete/list-name?name=go", "/complete/tags?q=go"} {
		p := s.guest(t).get(path, "HX-Request", "true").wantStatus(http.StatusNoContent)
		if got := p.header.Get("HX-Redirect"); got != "" {
			t.Errorf("GET %s: got a redirect to %s, but the form has not been sent yet", path, got)
		}
	}
}

func TestFormsMayBeSentWithTheirOrigin(t *testing.T) {
	s := newSite(t)
	s.user(t, "ada")
	for _, path := range []string{"/signin", "/nowhere"} {
		if got := s.guest(t).get(path).header.Get("Referrer-Policy"); got != "same-origin" {
			t.Errorf("%s: got Referrer-Policy %q, want same-origin", path, got)
		}
		if got := s.guest(t).get(path).header.Get("Cross-Origin-Opener-Policy"); got != "same-origin" {
			t.Errorf("%s: got Cross-Origin-Opener-Policy %q, want same-origin", path, got)
		}
	}
}

func TestSignInPageDoesNotReadABody(t *testing.T) {
	s := newSite(t)
	s.user(t, "ada")
	body := strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"back\"\r\n\r\n/lists\r\n--x--\r\n")
	size := body.Len()
	r := httptest.NewRequest(http.MethodGet, "/signin", body)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	w := httptest.NewRecorder()
	s.site.ServeHTTP(w, r)
	if w.Code != http.StatusOK || body.Len() != size {
		t.Errorf("got %d, and %d of %d bytes were read, want 200 and none", w.Code, size-body.Len(), size)
	}
}

func TestSignInRefusesOtherServersAsTarget(t *testing.T) {
	s := newSite(t)
	s.user(t, "ada")
	for _, back := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "/\t/evil.example", "javascript:alert(1)", "evil"} {
		p := s.guest(t).post("/signin", "name", "ada", "password", password, "back", back)
		if p.status != http.StatusSeeOther || p.location != "/" {
			t.Errorf("%q: got %d %q, want a redirect to /", back, p.status, p.location)
		}
	}
}

func TestChangesFromOtherSitesAreRefused(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	headers := [][]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Origin", "null"}}
	for i, r := range routes {
		header := append(headers[i%len(headers)], "Content-Type", formType)
		if r.Method != http.MethodPost {
			continue
		}
		ada.do(http.MethodPost, examplePath(r.Path), "", header...).wantStatus(http.StatusForbidden)
	}
	if ada.get("/links").status != http.StatusOK {
		t.Error("the session has ended")
	}
}

func TestSignInEndsTheSessionOfTheBrowser(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.signIn("ada", password)
	if sessions, err := s.store.Accounts.Sessions(t.Context(), ada.user.ID); err != nil || len(sessions) != 1 {
		t.Errorf("got sessions %+v, %v, want one", sessions, err)
	}
}

func TestGuessingPausesOthersButNotTheBrowserOfTheUser(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.post("/signout").wantStatus(http.StatusSeeOther)
	stranger := s.guest(t)
	for range 5 {
		stranger.post("/signin", "name", "ada", "password", "wrong horse").wantStatus(http.StatusUnprocessableEntity)
	}
	if p := stranger.post("/signin", "name", "ada", "password", password).wantStatus(http.StatusTooManyRequests); p.header.Get("Retry-After") != "10" {
		t.Errorf("got Retry-After %q, want 10", p.header.Get("Retry-After"))
	}
	ada.signIn("ada", password)
}

func TestFormForAnAccountMarksWrongFields(t *testing.T) {
	s := newSite(t)
	wrongFields := func(path, name, password, wrong, focus string) {
		t.Helper()
		p := s.guest(t).post(path, "name", name, "password", password).wantStatus(http.StatusUnprocessableEntity)
		got := p.Find("[aria-invalid=true]").Map(func(_ int, field *goquery.Selection) string {
			id, descriptions := field.AttrOr("id", ""), strings.Fields(field.AttrOr("aria-describedby", ""))
			if !slices.Contains(descriptions, id+"-wrong") || p.Find("#"+id+"-wrong").Length() != 1 {
				t.Errorf("%s: what is wrong with the field %s is not among its descriptions %v", path, id, descriptions)
			}
			return id
		})
		if got := strings.Join(got, " "); got != wrong {
			t.Errorf("%s: got the wrong fields %q, want %q", path, got, wrong)
		}
		p.wantAttr("[autofocus]", "id", focus)
	}
	token, err := s.accounts.SetupToken(t.Context())
	check(t, err)
	wrongFields("/setup/"+token, "two words", "short", "name password", "name")
	wrongFields("/setup/"+token, "ada", "short", "password", "password")
	ada := s.user(t, "ada")
	ada.makeAdmin()
	token = path.Base(ada.post("/settings/people/invite", "name", "").attr("[data-copy]", "data-copy"))
	wrongFields("/join/"+token, "two words", "short", "name password", "name")
	wrongFields("/join/"+token, "bob", "short", "password", "password")
}

func TestServerWithoutAnAccountTellsHowToMakeOne(t *testing.T) {
	s := newSite(t)
	guest := s.guest(t)
	for _, path := range []string{"/", "/signin"} {
		guest.get(path).wantStatus(http.StatusSeeOther).wantRedirect("/setup")
	}
	guest.get("/setup").wantStatus(http.StatusOK).wantText("main .url", s.URL+"/setup/…")
	s.user(t, "ada")
	guest.get("/setup").wantStatus(http.StatusSeeOther).wantRedirect("/")
}

func TestServersOnOneHostDoNotSignEachOtherOut(t *testing.T) {
	first := newSite(t)
	ada := first.user(t, "ada")
	second := newSite(t)
	ben := second.user(t, "ben")
	both := *ben
	both.http = ada.http // one browser: cookies do not depend on the port
	both.signIn("ben", password)
	both.get("/links").wantStatus(http.StatusOK)
	ada.get("/links").wantStatus(http.StatusOK)
	both.post("/signout").wantStatus(http.StatusSeeOther)
	ada.get("/links").wantStatus(http.StatusOK)
}

func TestCookiesNameTheServer(t *testing.T) {
	names := map[string]bool{}
	for _, test := range []struct{ base, prefix, path string }{
		{"http://links.example.org", "waymark-session-", "/"},
		{"https://links.example.org:8443", "__Host-waymark-session-", "/"},
		{"https://links.example.org/ada", "__Secure-waymark-session-", "/ada"},
		{"https://links.example.org/ben", "__Secure-waymark-session-", "/ben"},
	} {
		settings := config.Default().API
		check(t, settings.BaseURL.UnmarshalText([]byte(test.base)))
		s := newTestSite(t, storetest.Open(t), settings)
		s.user(t, "ada")
		p := s.guest(t).post("/signin", "name", "ada", "password", password, "keep", "1").wantStatus(http.StatusSeeOther)
		cookies := (&http.Response{Header: p.header}).Cookies()
		session := cookies[len(cookies)-1]
		if !strings.HasPrefix(session.Name, test.prefix) || session.Path != test.path || session.Secure == strings.HasPrefix(test.base, "http:") || names[session.Name] {
			t.Errorf("%s: got cookie %s, want another with %s at %s", test.base, session, test.prefix, test.path)
		}
		names[session.Name] = true
	}
}

func TestPasskeysDoNotAnswerByThemselvesAfterAProblem(t *testing.T) {
	settings := config.Default().API
	check(t, settings.BaseURL.UnmarshalText([]byte("https://links.example.org")))
	s := newTestSite(t, storetest.Open(t), settings)
	s.user(t, "ada")
	b := s.guest(t)
	b.get("/signin").wantCount("[data-autofill]", 1) // otherwise passkeys are not offered in the field for the name
	p := b.post("/signin/passkey", "passkey", "{}").wantStatus(http.StatusUnprocessableEntity)
	if p.text(".note-box.bad") == "" || p.Find("[data-passkey]").Length() != 1 || p.Find("[data-autofill]").Length() != 0 {
		t.Errorf("got %s, want a sentence, and a passkey only with the button", p.text("main"))
	}
}
