package linkace

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// site is the API over an empty store, as programs reach it. Every call is held
// against the document.
type site struct {
	address string // of the server
	version string // under whose prefix people call
	service *service.Service
	store   *store.Store
	client  *http.Client
	names   atomic.Int64
}

// next is a word that was not there before.
func (s *site) next() string { return "n" + strconv.FormatInt(s.names.Add(1), 10) }

// onSite runs a test against the API, under the prefix of each version and on each
// database: v1 on SQLite alone, since no database knows of prefixes. change may set
// the settings otherwise.
func onSite(t *testing.T, test func(t *testing.T, s *site), change ...func(*config.API)) {
	t.Helper()
	t.Run(v1, func(t *testing.T) {
		test(t, newSite(t, v1, storetest.Open(t), change...))
	})
	t.Run(v2, func(t *testing.T) { onEachStore(t, test, change...) })
}

// onEachStore runs a test against the API under one prefix, on each database: one
// that takes its time and has nothing to do with prefixes.
func onEachStore(t *testing.T, test func(t *testing.T, s *site), change ...func(*config.API)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, kept *store.Store) {
		test(t, newSite(t, v2, kept, change...))
	})
}

func newSite(t testing.TB, version string, kept *store.Store, change ...func(*config.API)) *site {
	t.Helper()
	settings := config.Default().API
	for _, c := range change {
		c(&settings)
	}
	s := &site{version: version, store: kept, service: service.New(kept)}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	server := httptest.NewServer(New(s.service, kept, settings, log, func(context.Context, string, waymark.User) {}))
	t.Cleanup(server.Close)
	s.address = server.URL
	s.client = &http.Client{Transport: validating(t, server.Client().Transport), CheckRedirect: followNone}
	return s
}

// person is a user with a key, which every call of theirs carries.
type person struct {
	*site
	name string
	key  string
}

// person adds a user with a key that may do everything.
func (s *site) person(t testing.TB, name string) *person {
	t.Helper()
	if _, err := s.service.AddUser(t.Context(), name, ""); err != nil {
		t.Fatal(err)
	}
	return s.keyOf(t, name, "main", waymark.AccessFull, 0)
}

// keyOf adds a key for a user.
func (s *site) keyOf(t testing.TB, user, name string, access waymark.Access, expires waymark.Time) *person {
	t.Helper()
	secret, _, err := s.service.AddAPIKey(t.Context(), user, name, access, expires)
	if err != nil {
		t.Fatal(err)
	}
	return &person{s, user, secret}
}

// nobody calls without a key.
func (s *site) nobody() *person { return &person{site: s} }

func (p *person) get(t testing.TB, path string) reply { t.Helper(); return p.call(t, "GET", path, "") }

func (p *person) post(t testing.TB, path, body string) reply {
	t.Helper()
	return p.call(t, "POST", path, body)
}

func (p *person) patch(t testing.TB, path, body string) reply {
	t.Helper()
	return p.call(t, "PATCH", path, body)
}

func (p *person) delete(t testing.TB, path, body string) reply {
	t.Helper()
	return p.call(t, "DELETE", path, body)
}

// call makes a call below the prefix. Headers are written as "Name: value".
func (p *person) call(t testing.TB, method, path, body string, headers ...string) reply {
	t.Helper()
	return p.callAt(t, method, p.address+"/api/"+p.version+path, body, headers...)
}

// callAt makes a call to any address.
func (p *person) callAt(t testing.TB, method, address, body string, headers ...string) reply {
	t.Helper()
	var send io.Reader
	if body != "" {
		send = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, send)
	if err != nil {
		t.Fatal(err)
	}
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

func (s *site) do(t testing.TB, r *http.Request) reply {
	t.Helper()
	resp, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v after %.200q", r.Method, r.URL, err, text)
	}
	return reply{r.Method + " " + r.URL.RequestURI(), resp.StatusCode, resp.Header, string(text)}
}

// reply is what came back for a call.
type reply struct {
	call   string
	status int
	header http.Header
	body   string
}

// ok fails the test unless the call succeeded.
func (a reply) ok(t testing.TB) reply {
	t.Helper()
	return a.is(t, http.StatusOK)
}

// is fails the test at once unless the answer has that status.
func (a reply) is(t testing.TB, status int) reply {
	t.Helper()
	if a.status != status {
		t.Fatalf("%s: got %d, want %d\n%.2000s", a.call, a.status, status, a.body)
	}
	return a
}

// at returns a part of the answer as JSON: "data.0.title", or "data.*.title" for
// the titles of all. Several, with spaces between them, make an array.
func (a reply) at(t testing.TB, paths string) string {
	t.Helper()
	value := decoded(t, a.body)
	var found []any
	for path := range strings.FieldsSeq(paths) {
		part, ok := partOf(value, strings.Split(path, "."))
		if !ok {
			t.Fatalf("%s: the answer has no %s\n%.2000s", a.call, path, a.body)
		}
		found = append(found, part)
	}
	if len(found) == 1 {
		return jsonOf(t, found[0])
	}
	return jsonOf(t, found)
}

// id returns the id of the entry in the answer.
func (a reply) id(t testing.TB) string {
	t.Helper()
	return a.ok(t).at(t, "id")
}

func partOf(value any, path []string) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	switch value := value.(type) {
	case map[string]any:
		part, ok := value[path[0]]
		if !ok {
			return nil, false
		}
		return partOf(part, path[1:])
	case []any:
		if path[0] == "*" {
			parts := []any{}
			for _, element := range value {
				part, ok := partOf(element, path[1:])
				if !ok {
					return nil, false
				}
				parts = append(parts, part)
			}
			return parts, true
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(value) {
			return partOf(value[i], path[1:])
		}
	}
	return nil, false
}

// jsonOf writes a value without HTML escapes, so that tests can say it plainly.
func jsonOf(t testing.TB, value any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// has fails the test unless the parts of the answer are as wanted.
func (a reply) has(t testing.TB, paths, want string) {
	t.Helper()
	if got := a.at(t, paths); got != want {
		t.Errorf("%s: %s is\n  %s, want\n  %s", a.call, paths, got, want)
	}
}

// refuses fails the test unless the answer is an error with that status and message.
func (a reply) refuses(t testing.TB, status int, message string) reply {
	t.Helper()
	if a.status != status {
		t.Errorf("%s: got %d, want %d\n%.2000s", a.call, a.status, status, a.body)
	} else {
		a.has(t, "message", jsonOf(t, message))
	}
	return a
}

// breaks fails the test unless the answer is a 422 that names exactly those fields:
// "url: The url field is required." for each sentence.
func (a reply) breaks(t testing.TB, want ...string) {
	t.Helper()
	if a.status != http.StatusUnprocessableEntity {
		t.Errorf("%s: got %d, want 422\n%.2000s", a.call, a.status, a.body)
		return
	}
	var invalid struct {
		Message string
		Errors  map[string][]string
	}
	if err := json.Unmarshal([]byte(a.body), &invalid); err != nil {
		t.Fatalf("%s: %v\n%s", a.call, err, a.body)
	}
	var got []string
	for field, sentences := range invalid.Errors {
		for _, sentence := range sentences {
			got = append(got, field+": "+sentence)
		}
	}
	slices.Sort(got)
	sorted := slices.Sorted(slices.Values(want))
	if !slices.Equal(got, sorted) {
		t.Errorf("%s: got\n  %s\nwant\n  %s", a.call, strings.Join(got, "\n  "), strings.Join(sorted, "\n  "))
		return
	}
	_, first, _ := strings.Cut(want[0], ": ")
	message := first
	switch more := len(want) - 1; {
	case more == 1:
		message += " (and 1 more error)"
	case more > 1:
		message += " (and " + strconv.Itoa(more) + " more errors)"
	}
	if invalid.Message != message {
		t.Errorf("%s: got message %q, want %q", a.call, invalid.Message, message)
	}
}

// link adds a link and returns its id.
func (p *person) link(t testing.TB, body string) string {
	t.Helper()
	return p.post(t, "/links", body).id(t)
}

// list adds a list and returns its id.
func (p *person) list(t testing.TB, body string) string {
	t.Helper()
	return p.post(t, "/lists", body).id(t)
}

// tag adds a tag and returns its id.
func (p *person) tag(t testing.TB, body string) string {
	t.Helper()
	return p.post(t, "/tags", body).id(t)
}

// note adds a note and returns its id.
func (p *person) note(t testing.TB, body string) string {
	t.Helper()
	return p.post(t, "/notes", body).id(t)
}

// decoded is JSON as Go has it.
func decoded(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v\n%.2000s", err, text)
	}
	return value
}

func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	return jsonOf(t, decoded(t, a)) == jsonOf(t, decoded(t, b))
}
