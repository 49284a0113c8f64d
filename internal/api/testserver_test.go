package api

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// testServer is an HTTP server with the API on an empty store. Every call is compared with
// the OpenAPI document.
type testServer struct {
	baseURL  string // of the server
	version  string // version of the API that calls use
	service  *service.Service
	accounts *accounts.Accounts
	crawler  *crawl.Crawler
	transfer *transfer.Transfer
	store    *store.Store
	client   *http.Client
	names    atomic.Int64
}

// uniqueName returns a name that no other call returned.
func (s *testServer) uniqueName() string { return "n" + strconv.FormatInt(s.names.Add(1), 10) }

// eachDatabase runs a test with v2 on each database. Tests of what the databases have no part in use
// newTestServer. v1 has the same handlers: see TestVersionsDifferOnlyInURLs.
func eachDatabase(t *testing.T, test func(t *testing.T, s *testServer)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.Store) { test(t, testServerOn(t, v2, db)) })
}

// newTestServer returns a server for v2 on SQLite. The functions in change modify the settings.
func newTestServer(t testing.TB, change ...func(*config.API)) *testServer {
	t.Helper()
	return testServerOn(t, v2, storetest.Open(t), change...)
}

func testServerOn(t testing.TB, version string, db *store.Store, change ...func(*config.API)) *testServer {
	t.Helper()
	settings := config.Default().API
	for _, c := range change {
		c(&settings)
	}
	s := &testServer{version: version, store: db, service: service.New(db), accounts: accounts.New(db, accounts.Options{}), transfer: transfer.New(db, 1<<30)}
	s.crawler = crawl.New(db, crawl.Options{Parts: waymark.TextParts, Checks: true}) // without Wait it leaves all to background jobs
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	uploads, err := s.transfer.NewUploads(t.TempDir(), 100, log)
	check(t, err)
	t.Cleanup(func() {
		if err := uploads.Close(); err != nil {
			t.Error(err)
		}
	})
	api := newHandler(s.service, s.crawler, uploads, db, settings, log)
	server := httptest.NewUnstartedServer(recorded(api))
	server.Config.ConnContext = httpx.ConnContext
	server.Start()
	t.Cleanup(server.Close)
	s.baseURL = server.URL
	s.client = &http.Client{Transport: validating(t, server.Client().Transport), CheckRedirect: followNone}
	return s
}

// dial opens a connection to the server, for requests that net/http does not send. The caller must
// close it.
func (s *testServer) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.baseURL, "http://"))
	check(t, err)
	return conn.(*net.TCPConn)
}

// recorded gives each request the context that it has in the server, which does not end
// when the client closes its side of the connection.
func recorded(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder, r, stop := httpx.Record(w, r, time.Minute)
		defer stop()
		api.ServeHTTP(recorder, r)
	})
}

// testClient makes calls with the API key of a user.
type testClient struct {
	*testServer
	name string
	key  string
}

// addUser adds a user with a key that has full access.
func (s *testServer) addUser(t testing.TB, name string) *testClient {
	t.Helper()
	if _, err := s.accounts.AddUser(t.Context(), name, ""); err != nil {
		t.Fatal(err)
	}
	return s.addKey(t, name, "main", waymark.AccessFull, 0)
}

// addKey adds a key for a user.
func (s *testServer) addKey(t testing.TB, user, name string, access waymark.Access, expires waymark.Time) *testClient {
	t.Helper()
	secret, _, err := s.accounts.AddAPIKey(t.Context(), user, name, access, expires)
	check(t, err)
	return &testClient{s, user, secret}
}

// withoutKey returns a client without a key.
func (s *testServer) withoutKey() *testClient { return &testClient{testServer: s} }

func (p *testClient) get(t testing.TB, path string) response {
	t.Helper()
	return p.call(t, "GET", path, "")
}

func (p *testClient) post(t testing.TB, path, body string) response {
	t.Helper()
	return p.call(t, "POST", path, body)
}

func (p *testClient) patch(t testing.TB, path, body string) response {
	t.Helper()
	return p.call(t, "PATCH", path, body)
}

func (p *testClient) delete(t testing.TB, path, body string) response {
	t.Helper()
	return p.call(t, "DELETE", path, body)
}

// call makes a call of a path below the prefix of the version. Headers have the form
// "Name: value".
func (p *testClient) call(t testing.TB, method, path, body string, headers ...string) response {
	t.Helper()
	return p.callURL(t, method, p.baseURL+"/api/"+p.version+path, body, headers...)
}

// callURL makes a call of any URL.
func (p *testClient) callURL(t testing.TB, method, url, body string, headers ...string) response {
	t.Helper()
	var send io.Reader
	if body != "" {
		send = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, send)
	check(t, err)
	if p.key != "" {
		r.Header.Set("Authorization", "Bearer "+p.key)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
	return p.do(t, r)
}

func (s *testServer) do(t testing.TB, r *http.Request) response {
	t.Helper()
	resp, err := s.client.Do(r)
	check(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v after %.200q", r.Method, r.URL, err, text)
	}
	return response{r.Method + " " + r.URL.RequestURI(), resp.StatusCode, resp.Header, string(text)}
}

// link adds a link and returns its id.
func (p *testClient) link(t testing.TB, body string) string {
	t.Helper()
	return p.post(t, "/links", body).id(t)
}

// list adds a list and returns its id.
func (p *testClient) list(t testing.TB, body string) string {
	t.Helper()
	return p.post(t, "/lists", body).id(t)
}

// tag adds a tag and returns its id.
func (p *testClient) tag(t testing.TB, body string) string {
	t.Helper()
	return p.post(t, "/tags", body).id(t)
}

// note adds a note and returns its id.
func (p *testClient) note(t testing.TB, body string) string {
	t.Helper()
	return p.post(t, "/notes", body).id(t)
}

// newHandler is New with the limits that settings have. crawler and log can be nil.
func newHandler(svc *service.Service, crawler *crawl.Crawler, uploads *transfer.Uploads, s *store.Store, settings config.API, log *slog.Logger) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	memory := httpx.NewMemory(httpx.BodyMemory)
	if crawler == nil {
		crawler = crawl.New(s, crawl.Options{})
	}
	users := accounts.New(s, accounts.Options{})
	guard := rest.Guard{
		Authenticate: users.Authenticate, Memory: memory,
		Users: httpx.NewUserLimit(settings.RateLimit), Guests: httpx.NewGuestLimit(settings.GuestRateLimit, settings.TrustedProxies),
	}
	return New(Options{
		Service: svc, Accounts: users, Crawler: crawler, Transfer: transfer.New(s, 0), Uploads: uploads, Store: s,
		Settings: settings, Guard: guard, Version: "1.2.3", Log: log,
	})
}
