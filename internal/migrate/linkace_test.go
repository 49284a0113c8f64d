package migrate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/archive"
	"waymark/internal/migrate"
)

// responses serves recorded responses by path, without order_by, order_dir and per_page.
type responses struct {
	byPath  map[string]string
	refuse  map[string]int // the number of 429 responses before the first other one
	fail    string         // a path that responds with 500
	header  string         // the Authorization header that is wanted
	request []string
}

func (a *responses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for _, name := range []string{"order_by", "order_dir", "per_page"} {
		q.Del(name)
	}
	if q.Get("page") == "1" {
		q.Del("page")
	}
	path := strings.TrimPrefix(r.URL.Path, "/")
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	a.request = append(a.request, path)
	text, found := a.byPath[path]
	switch {
	case r.Header.Get("Authorization") != a.header:
		w.WriteHeader(http.StatusUnauthorized)
	case a.refuse[path] > 0:
		a.refuse[path]--
		w.Header().Set("Retry-After", "17")
		w.WriteHeader(http.StatusTooManyRequests)
	case path == a.fail:
		w.WriteHeader(http.StatusInternalServerError)
	case !found:
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Write([]byte(text))
	}
}

// onePage returns a listing as Laravel sends it.
func onePage(entities ...string) string { return pageOf(1, 1, len(entities), entities...) }

func pageOf(page, last, total int, entities ...string) string {
	return fmt.Sprintf(`{"current_page":%d,"data":[%s],"first_page_url":"x","from":1,"last_page":%d,"last_page_url":"x","links":[],"next_page_url":null,"path":"x","per_page":100,"prev_page_url":null,"to":1,"total":%d}`,
		page, strings.Join(entities, ","), last, total)
}

const (
	aceTimes = `"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":null`
	aceGone  = `"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":"2022-01-01T00:00:00.000000Z"`
)

// ace2 are the responses of LinkAce 2. User 1 has the key; user 2 shares some of theirs.
func ace2() *responses {
	return &responses{header: "Bearer key", refuse: map[string]int{}, byPath: map[string]string{
		"api/v2/lists": onePage(
			`{"id":5,"user_id":1,"name":"Tools","description":"What I use","visibility":1,`+aceTimes+`}`,
			`{"id":6,"user_id":2,"name":"Of others","description":null,"visibility":2,`+aceTimes+`}`),
		"api/v2/tags": onePage(
			`{"id":8,"user_id":1,"name":"go","visibility":3,`+aceTimes+`}`,
			`{"id":3,"user_id":1,"name":"empty","visibility":2,`+aceTimes+`}`),
		"api/v2/links": pageOf(1, 2, 3,
			`{"id":10,"user_id":1,"url":"https://go.dev/","title":"Go","description":null,"icon":"fab fa-golang","thumbnail":"https://go.dev/x.png","visibility":2,"status":2,"check_disabled":true,`+aceTimes+`}`,
			`{"id":11,"user_id":2,"url":"https://other.example.org/","title":"Other","description":null,"icon":null,"thumbnail":null,"visibility":1,"status":1,"check_disabled":false,`+aceTimes+`}`),
		"api/v2/links?page=2": pageOf(2, 2, 3,
			`{"id":13,"user_id":1,"url":"https://sqlite.org/","title":"SQLite","description":"A *database*","icon":null,"thumbnail":null,"visibility":3,"status":1,"check_disabled":false,`+aceTimes+`}`),
		"api/v2/lists/5/links": onePage(`{"id":10,"user_id":1}`, `{"id":13,"user_id":1}`),
		"api/v2/tags/8/links":  onePage(`{"id":10,"user_id":1}`),
		"api/v2/tags/3/links":  onePage(),
		"api/v2/links/10/notes": onePage(
			`{"id":20,"user_id":1,"link_id":10,"note":"Read *this*","visibility":3,`+aceTimes+`}`,
			`{"id":21,"user_id":2,"link_id":10,"note":"of another user","visibility":1,`+aceTimes+`}`),
		"api/v2/links/13/notes": onePage(),
		"api/v2/trash/links":    `[{"id":12,"user_id":1,"url":"https://old.example.org/","title":"Old","description":null,"visibility":3,"status":3,"check_disabled":false,` + aceGone + `}]`,
		"api/v2/trash/lists":    `[]`,
		"api/v2/trash/tags":     `[{"id":4,"user_id":1,"name":"gone","visibility":3,` + aceGone + `}]`,
		"api/v2/trash/notes":    `[{"id":22,"user_id":1,"link_id":12,"note":"old note","visibility":3,` + aceGone + `}]`,
	}}
}

// ace2Records is what is in ace2.
const ace2Records = `
{"number":5,"name":"Tools","description":"What I use","visibility":"public","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":3,"name":"empty","visibility":"internal","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":4,"name":"gone","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":"2022-01-01T00:00:00.000000Z"}
{"number":8,"name":"go","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":10,"url":"https://go.dev/","title":"Go","thumbnail":"https://go.dev/x.png","visibility":"internal","status":"moved","check_disabled":true,"lists":[5],"tags":[8],"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"link":10,"text":"Read *this*","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":12,"url":"https://old.example.org/","title":"Old","visibility":"private","status":"broken","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":"2022-01-01T00:00:00.000000Z"}
{"link":12,"text":"old note","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":"2022-01-01T00:00:00.000000Z"}
{"number":13,"url":"https://sqlite.org/","title":"SQLite","description":"A *database*","visibility":"private","status":"ok","lists":[5],"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
`

// client returns a client of a server with these responses. It does not wait; waited is the time
// that it would have waited.
func client(t *testing.T, a http.Handler) (c *migrate.Client, waited *time.Duration) {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	waited = new(time.Duration)
	return &migrate.Client{URL: server.URL, Authorization: "Bearer key", Wait: func(_ context.Context, d time.Duration) error {
		*waited += d
		return nil
	}}, waited
}

// lines returns records as JSON.
func lines(t *testing.T, records func(func(archive.Record, error) bool)) (text string, err error) {
	t.Helper()
	text = "\n"
	for record, err := range records {
		if err != nil {
			return text, err
		}
		line, err := json.Marshal(record.Entity)
		if err != nil {
			t.Fatal(err)
		}
		text += string(line) + "\n"
	}
	return text, nil
}

func TestLinkAce2IsRead(t *testing.T) {
	a := ace2()
	c, _ := client(t, a)
	var notices []string
	done, all := 0, 0
	l := &migrate.LinkAce{Client: c, Notice: func(s string) { notices = append(notices, s) }, Progress: func(d, a int) { done, all = d, a }}
	got, err := lines(t, l.Records(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ace2Records, got); diff != "" {
		t.Error(diff)
	}
	if want := (migrate.Totals{Lists: 1, Tags: 3, Links: 3, Notes: 2}); l.Totals != want {
		t.Errorf("totals: got %+v, want %+v", l.Totals, want)
	}
	if len(notices) != 1 || !strings.HasPrefix(notices[0], "3 entities of other users were left out") {
		t.Errorf("got notices %q", notices)
	}
	if differences, err := l.Compare(t.Context()); err != nil || len(differences) != 0 {
		t.Errorf("compare: got %q, %v, want no differences", differences, err)
	}
	a.byPath["api/v2/tags"] = pageOf(1, 1, 5)
	if differences, err := l.Compare(t.Context()); err != nil || len(differences) != 1 || differences[0] != "LinkAce has 5 tags now, and had 2 when they were read" {
		t.Errorf("compare: got %q, %v, want the number of tags", differences, err)
	}
	// A request for the notes of the link of another user is planned but not sent.
	if done != 13 || all < done || all > done+2 {
		t.Errorf("got %d of %d requests", done, all)
	}
}

// Version 1 has is_private instead of visibility, and old ones do not show the trash.
func TestLinkAce1IsRead(t *testing.T) {
	c, _ := client(t, &responses{header: "Bearer key", byPath: map[string]string{
		"api/v1/lists": onePage(),
		"api/v1/tags":  onePage(`{"id":"1","user_id":"7","name":"go","is_private":"0","created_at":"2020-03-09 19:33:23","updated_at":null,"deleted_at":null}`),
		"api/v1/links": onePage(
			`{"id":1,"user_id":7,"url":"https://go.dev/","title":"Go","description":null,"icon":null,"is_private":false,"status":1,"check_disabled":0,`+aceTimes+`}`,
			`{"id":2,"user_id":7,"url":"https://sqlite.org/","title":"SQLite","description":null,"icon":null,"is_private":true,"status":1,"check_disabled":false,`+aceTimes+`}`),
		"api/v1/tags/1/links":  onePage(`{"id":2}`),
		"api/v1/links/1/notes": onePage(),
		"api/v1/links/2/notes": onePage(`{"id":1,"user_id":7,"link_id":2,"note":"x","is_private":1,` + aceTimes + `}`),
	}})
	l := &migrate.LinkAce{Client: c}
	got, err := lines(t, l.Records(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	want := `
{"number":1,"name":"go","visibility":"internal","created_at":"2020-03-09T19:33:23.000000Z"}
{"number":1,"url":"https://go.dev/","title":"Go","visibility":"internal","status":"ok","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":2,"url":"https://sqlite.org/","title":"SQLite","visibility":"private","status":"ok","tags":[1],"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"link":2,"text":"x","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRequestsAreNotSentMoreOftenThanPermitted(t *testing.T) {
	a := ace2()
	a.refuse["api/v2/tags"] = 2
	c, waited := client(t, a)
	c.PerMinute = 30
	l := &migrate.LinkAce{Client: c}
	if _, err := lines(t, l.Records(t.Context())); err != nil {
		t.Fatal(err)
	}
	// 15 requests are 2 s apart, and two of them were responded to with Retry-After: 17.
	if least, most := (14*2+2*15)*time.Second, (14*2+2*17)*time.Second; *waited < least-time.Second || *waited > most {
		t.Errorf("waited %s, want %s to %s", *waited, least, most)
	}
}

func TestInterruptedMigrationDoesNotRepeatRequests(t *testing.T) {
	a := ace2()
	a.fail = "api/v2/links/13/notes"
	c, _ := client(t, a)
	journal := filepath.Join(t.TempDir(), "journal")
	run := func() (string, error) {
		j, err := migrate.OpenJournal(journal, c.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		c.Journal = j
		return lines(t, (&migrate.LinkAce{Client: c}).Records(t.Context()))
	}
	if _, err := run(); err == nil || !strings.Contains(err.Error(), "/api/v2/links/13/notes?order_by=id&order_dir=asc&per_page=100&page=1 responded with 500") {
		t.Fatalf("got %v, want the error of the server", err)
	}
	a.fail, a.request = "", nil
	got, err := run()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ace2Records, got); diff != "" {
		t.Error(diff)
	}
	if len(a.request) != 1 || a.request[0] != "api/v2/links/13/notes" {
		t.Errorf("the second run sent %q, want the request that failed", a.request)
	}
	for _, text := range []string{"my only copy", "my only copy\n", `{"format":"other"`} {
		other := filepath.Join(t.TempDir(), "notes.txt")
		if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := migrate.OpenJournal(other, c.URL); err == nil || !strings.Contains(err.Error(), "is not the journal of a migration") {
			t.Errorf("%q: got %v, want an error that it is not a journal", text, err)
		}
		if got, err := os.ReadFile(other); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
	if _, err := migrate.OpenJournal(journal, "https://other.example.org"); err == nil || !strings.Contains(err.Error(), "belongs to another migration") {
		t.Errorf("the journal of another source: got %v", err)
	}
}

// A command that finds differences at the end removes the journal, and closes it like after any error.
func TestRemovedJournalCanBeClosed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, err := migrate.OpenJournal(name, "https://links.example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no file", err)
	}
}

func TestErrorsOfTheOtherServerAreClear(t *testing.T) {
	redirect := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://login.example.org/", http.StatusFound)
	})
	twoUsers := ace2()
	for path, text := range twoUsers.byPath {
		twoUsers.byPath[path] = strings.ReplaceAll(text, `"visibility":3`, `"visibility":1`)
	}
	for _, kind := range []string{"links", "lists", "tags", "notes"} {
		twoUsers.byPath["api/v2/trash/"+kind] = "[]"
	}
	// A cache that ignores the parameters of requests.
	samePage, sameTags := ace2(), ace2()
	samePage.byPath["api/v2/links?page=2"] = samePage.byPath["api/v2/links"]
	sameTags.byPath["api/v2/tags"] = pageOf(1, 2, 4, `{"id":8,"user_id":1,"name":"go"}`, `{"id":9,"user_id":1,"name":"no"}`)
	sameTags.byPath["api/v2/tags?page=2"] = sameTags.byPath["api/v2/tags"]
	otherOrder := ace2()
	otherOrder.byPath["api/v2/links"] = onePage(`{"id":11,"user_id":1}`, `{"id":10,"user_id":1}`)
	otherOrder.byPath["api/v2/tags"] = onePage()
	otherOrder.byPath["api/v2/lists"] = onePage()
	text := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) })
	for _, test := range []struct {
		name    string
		handler http.Handler
		want    string
	}{
		{"another key", &responses{header: "Bearer other"}, "does not accept the key: check --key"},
		{"another program", &responses{header: "Bearer key"}, "there is no LinkAce at http"},
		{"a page", text, "the response is not what its API describes"},
		{"a redirect", redirect, "redirects to https://login.example.org/"},
		{"the same page of links", samePage, "/api/v2/links sends the same entities for two pages"},
		{"the same page of tags", sameTags, "/api/v2/tags sends the same entities for two pages"},
		{"another order", otherOrder, "does not send links in the order of their ids: migrate from its database"},
		{"several users", twoUsers, "set --linkace-user to one of 1 (4 entities), 2 (2 entities)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := client(t, test.handler)
			_, err := lines(t, (&migrate.LinkAce{Client: c}).Records(t.Context()))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestCanceledMigrationEnds(t *testing.T) {
	c, _ := client(t, ace2())
	ctx, cancel := context.WithCancel(t.Context())
	c.Wait = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return ctx.Err()
	}
	if _, err := lines(t, (&migrate.LinkAce{Client: c}).Records(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://links.example.org/":   "https://links.example.org",
		" http://10.0.0.7:8080/ace// ": "http://10.0.0.7:8080/ace",
		"links.example.org":            "",
		"ftp://links.example.org":      "",
		"https://ann:x@example.org":    "",
	} {
		got, err := migrate.ParseURL(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}
