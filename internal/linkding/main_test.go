package linkding_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/linkding"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

func TestMain(m *testing.M) { os.Exit(storetest.End(m.Run())) }

// assetQuota is the maximum size of the assets of a user in bytes.
const assetQuota = 1 << 20

// testServer is an HTTP server with the API on an empty store.
type testServer struct {
	url      string
	store    *store.Store
	service  *service.Service
	accounts *accounts.Accounts
}

// newClient returns a user of a server on SQLite, for tests of what the databases have no part in.
func newClient(t *testing.T) *client {
	t.Helper()
	return newServer(t, storetest.Open(t), crawl.Options{}).addUser(t, "ada")
}

// each runs a test with a user on each database.
func each(t *testing.T, test func(t *testing.T, c *client), change ...func(*config.API)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		test(t, newServer(t, s, crawl.Options{}, change...).addUser(t, "ada"))
	})
}

func newServer(t *testing.T, s *store.Store, o crawl.Options, change ...func(*config.API)) *testServer {
	t.Helper()
	settings := config.Default().API
	for _, c := range change {
		c(&settings)
	}
	crawler := crawl.New(s, o)
	t.Cleanup(crawler.Close)
	uploads, err := transfer.New(s, assetQuota).NewUploads(t.TempDir(), 1, slog.New(slog.DiscardHandler))
	check(t, err)
	server := &testServer{store: s, service: service.New(s), accounts: accounts.New(s, accounts.Options{})}
	handler := linkding.New(linkding.Options{
		Service: server.service, Crawler: crawler, Uploads: uploads, Store: s, Settings: settings,
		Guard: rest.Guard{
			Authenticate: server.accounts.Authenticate, Memory: httpx.NewMemory(1 << 20),
			Users: httpx.NewUserLimit(settings.RateLimit), Guests: httpx.NewGuestLimit(settings.GuestRateLimit, nil),
		},
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder, r, stop := httpx.Record(w, r, time.Minute)
		defer stop()
		if !linkding.Handles(r.URL.Path) {
			t.Errorf("the API does not handle %s", r.URL.Path)
		}
		handler.ServeHTTP(recorder, r)
	}))
	t.Cleanup(web.Close)
	server.url = web.URL
	return server
}

// client sends requests with the API key of a user.
type client struct {
	*testServer
	user waymark.User
	key  string
}

// addUser adds a user with a key that has full access.
func (s *testServer) addUser(t *testing.T, name string) *client {
	t.Helper()
	user := storetest.User(t, s.store, name)
	return s.addKey(t, user, waymark.AccessFull)
}

// addKey adds a key of a user.
func (s *testServer) addKey(t *testing.T, user waymark.User, level waymark.Access) *client {
	t.Helper()
	secret, _, err := s.accounts.AddAPIKey(t.Context(), user.Name, string(level), level, 0)
	check(t, err)
	return &client{s, user, secret}
}

// response is the response to a request.
type response struct {
	request string
	status  int
	header  http.Header
	body    string
}

// call sends a request. A body that begins with { is JSON. Headers have the form "Name: value"; one without
// a value is removed.
func (c *client) call(t *testing.T, method, path, body string, headers ...string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
	check(t, err)
	r.Header.Set("Authorization", "Token "+c.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		r.Header.Del(name)
		if value = strings.TrimSpace(value); value != "" {
			r.Header.Set(name, value)
		}
	}
	followNone := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := followNone.Do(r)
	check(t, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	check(t, err)
	return response{method + " " + path + " " + body, got.StatusCode, got.Header, string(text)}
}

func (c *client) get(t *testing.T, path string) response {
	t.Helper()
	return c.call(t, "GET", path, "")
}

// save adds or replaces a bookmark.
func (c *client) save(t *testing.T, body string) object {
	t.Helper()
	return c.call(t, "POST", "/api/bookmarks/?disable_scraping", body).want(t, 201)
}

// want stops the test unless the response has this status, and returns its JSON.
func (r response) want(t *testing.T, status int) object {
	t.Helper()
	if r.status != status {
		t.Fatalf("%s: got %d, want %d\n%s", r.request, r.status, status, r.body)
	}
	if status == http.StatusNoContent {
		if r.body != "" {
			t.Errorf("%s: got the body %q, want none", r.request, r.body)
		}
		return nil
	}
	if got := r.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%s: got Content-Type %q", r.request, got)
	}
	return parse(t, r.body)
}

// wantBody stops the test unless the response has this status and this JSON.
func (r response) wantBody(t *testing.T, status int, body string) {
	t.Helper()
	if got := r.want(t, status); !reflect.DeepEqual(got, parse(t, body)) {
		t.Errorf("%s: got %s\nwant %s", r.request, r.body, body)
	}
}

// object is a JSON object.
type object map[string]any

func parse(t *testing.T, text string) (o object) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return o
}

// json returns some members as JSON, or all.
func (o object) json(t *testing.T, names ...string) string {
	t.Helper()
	part := o
	if len(names) > 0 {
		part = object{}
		for _, name := range names {
			part[name] = o[name]
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	check(t, e.Encode(part))
	return strings.TrimSpace(b.String())
}

// id returns the id of an entity as a text.
func (o object) id() string { return o["id"].(json.Number).String() }

// each returns the values of a member of all results of a page, separated by spaces.
func (o object) each(name string) string {
	var values []string
	for _, result := range o["results"].([]any) {
		value := object(result.(map[string]any))[name]
		if number, ok := value.(json.Number); ok {
			value = number.String()
		}
		values = append(values, value.(string))
	}
	return strings.Join(values, " ")
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
