package web

import (
	"bytes"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/crypto/argon2"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/identity"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// testSite is a server with the pages and an empty store.
type testSite struct {
	*httptest.Server
	site     *page.Site
	store    *store.Store
	service  *service.Service
	accounts *accounts.Accounts
	crawler  *crawl.Crawler
	transfer *transfer.Transfer
	basePath string // which a proxy removes
}

// eachSite runs a test on a site on each database: those of what others may see or change, and those whose statements no
// test of a lower package runs on both.
func eachSite(t *testing.T, test func(t *testing.T, s *testSite)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		test(t, newTestSite(t, db, config.Default().API))
	})
}

// newSite is a site on SQLite, for all other tests of pages.
func newSite(t *testing.T) *testSite {
	t.Helper()
	return newTestSite(t, storetest.Open(t), config.Default().API)
}

// newTestSite serves the pages of a store.
func newTestSite(t *testing.T, db *store.Store, settings config.API) *testSite {
	t.Helper()
	options := accounts.Options{SignIn: settings.SignIn}
	if settings.SignIn.OIDC.On() {
		options.Provider = identity.New(settings.SignIn.OIDC, identity.Options{BaseURL: settings.BaseURL.String(), Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
		t.Cleanup(options.Provider.Close)
	}
	s := &testSite{basePath: settings.BaseURL.EscapedPath(), store: db, service: service.New(db), accounts: accounts.New(db, options), crawler: crawl.New(db, crawl.Options{}), transfer: transfer.New(db, 1<<20)}
	uploads, err := s.transfer.NewUploads(t.TempDir(), 4, slog.New(slog.NewTextHandler(t.Output(), nil)))
	check(t, err)
	t.Cleanup(func() {
		if err := uploads.Close(); err != nil {
			t.Error(err)
		}
	})
	s.site, err = New(page.Options{
		Service: s.service, Accounts: s.accounts, Crawler: s.crawler, Transfer: s.transfer, Uploads: uploads, Store: db, Config: settings,
		Memory: httpx.NewMemory(httpx.BodyMemory),
		Guests: httpx.NewGuestLimit(settings.GuestRateLimit, settings.TrustedProxies),
		Log:    slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	check(t, err)
	s.Server = httptest.NewServer(ours(s.site))
	t.Cleanup(s.Close)
	return s
}

// ours adds the header of package server, by which the worker of the pages recognizes the server.
func ours(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Waymark", "1")
		next.ServeHTTP(w, r)
	})
}

// crawl lets the site fetch and check what the options say.
func (s *testSite) crawl(o crawl.Options) { *s.crawler = *crawl.New(s.store, o) }

// password is the password of all users of the tests.
const password = "correct horse battery"

// passwordHash is a hash of it that costs next to nothing, which would else be most of the time of
// these tests.
var passwordHash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$" +
	base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(password), []byte("saltsalt"), 1, 8, 1, 32))

// browser is a client with cookies that does not follow redirects.
type browser struct {
	t    *testing.T
	site *testSite
	http *http.Client
	user waymark.User // zero for a guest
}

// guest returns a browser without a session.
func (s *testSite) guest(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	return &browser{t: t, site: s, http: &http.Client{
		Jar:           proxyJar{jar, s.basePath},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// proxyJar has the cookies of a browser in front of a proxy that removes the base path.
type proxyJar struct {
	http.CookieJar
	basePath string
}

// Cookies implements http.CookieJar.
func (j proxyJar) Cookies(u *url.URL) []*http.Cookie {
	below := *u
	below.Path = j.basePath + u.Path
	return j.CookieJar.Cookies(&below)
}

// user creates a user and returns a browser in which they are signed in.
func (s *testSite) user(t *testing.T, name string) *browser {
	t.Helper()
	user, err := s.store.Accounts.CreateUser(t.Context(), waymark.User{Name: name, DefaultVisibility: waymark.DefaultsTo(waymark.Private)}, passwordHash)
	check(t, err)
	b := s.guest(t)
	b.user = user
	b.signIn(name, password)
	return b
}

// makeAdmin makes the user of the browser an administrator.
func (b *browser) makeAdmin() {
	b.t.Helper()
	admin := true
	if _, err := b.site.accounts.EditUser(b.t.Context(), b.user.Name, accounts.UserEdit{Admin: &admin}); err != nil {
		b.t.Fatal(err)
	}
}

// signIn signs in through the page.
func (b *browser) signIn(name, password string) {
	b.t.Helper()
	p := b.post("/signin", "name", name, "password", password, "keep", "1")
	if p.status != http.StatusSeeOther {
		b.t.Fatalf("sign-in of %s: got %d %s, want 303", name, p.status, p.Text())
	}
}

// response is a response.
type response struct {
	*goquery.Document
	t        *testing.T
	request  string // such as GET /links
	status   int
	header   http.Header
	location string // of a redirect
	body     string
}

// get requests a page.
func (b *browser) get(path string, header ...string) response {
	b.t.Helper()
	return b.do(http.MethodGet, path, "", header...)
}

// post sends a form with pairs of names and values.
func (b *browser) post(path string, fields ...string) response {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return b.do(http.MethodPost, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

// do sends a request with pairs of header names and values.
func (b *browser) do(method, path, body string, header ...string) response {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.site.URL+path, strings.NewReader(body))
	check(b.t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := b.http.Do(r)
	check(b.t, err)
	defer answer.Body.Close() //nolint:errcheck // it was read
	content, err := io.ReadAll(answer.Body)
	check(b.t, err)
	document, err := goquery.NewDocumentFromReader(bytes.NewReader(content))
	check(b.t, err)
	return response{document, b.t, method + " " + path, answer.StatusCode, answer.Header, answer.Header.Get("Location"), string(content)}
}

// follow requests the page to which a change has redirected.
func (b *browser) follow(p response) response {
	b.t.Helper()
	if p.status != http.StatusSeeOther {
		b.t.Fatalf("got %d %s, want a redirect", p.status, p.text("main"))
	}
	return b.get(strings.TrimPrefix(p.location, b.site.URL))
}

// text returns the text of the elements that a selector selects, with single spaces.
func (p response) text(selector string) string {
	return strings.Join(strings.Fields(p.Find(selector).Text()), " ")
}

// attr returns an attribute of the first element that a selector selects.
func (p response) attr(selector, name string) string {
	return p.Find(selector).First().AttrOr(name, "")
}

// wantStatus fails the test if the response has another status.
func (p response) wantStatus(want int) response {
	p.t.Helper()
	if p.status != want {
		p.t.Fatalf("got %d %s, want %d", p.status, p.text("main"), want)
	}
	return p
}

// wantRedirect fails the test if the response does not redirect to a location.
func (p response) wantRedirect(want string) {
	p.t.Helper()
	if p.location != want {
		p.t.Errorf("%s: got %d %s, want a redirect to %s", p.request, p.status, p.location, want)
	}
}

// wantText fails the test if the elements that a selector selects have another text.
func (p response) wantText(selector, want string) {
	p.t.Helper()
	if got := p.text(selector); got != want {
		p.t.Errorf("%s: %s: got %q, want %q", p.request, selector, got, want)
	}
}

// wantAttr fails the test if an attribute of the first element that a selector selects has another value.
func (p response) wantAttr(selector, name, want string) {
	p.t.Helper()
	if got := p.attr(selector, name); got != want {
		p.t.Errorf("%s: %s: got %s=%q, want %q", p.request, selector, name, got, want)
	}
}

// wantCount fails the test if a selector selects another number of elements.
func (p response) wantCount(selector string, want int) {
	p.t.Helper()
	if got := p.Find(selector).Length(); got != want {
		p.t.Errorf("%s: got %d elements %s, want %d", p.request, got, selector, want)
	}
}

// addLink creates a link of the user.
func (b *browser) addLink(in waymark.LinkInput) waymark.Link {
	b.t.Helper()
	link, err := b.site.service.AddLink(b.t.Context(), b.user, in)
	check(b.t, err)
	return link
}
