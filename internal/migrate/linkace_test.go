package migrate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/archive"
	"waymark/internal/migrate"
)

// responses serves recorded responses by path, without order_by, order_dir and per_page.
type responses struct {
	byPath map[string]string
	refuse map[string]int // the number of 429 responses before the first other one
	header string         // the Authorization header that is wanted
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
	text, found := a.byPath[path]
	switch {
	case r.Header.Get("Authorization") != a.header:
		w.WriteHeader(http.StatusUnauthorized)
	case a.refuse[path] > 0:
		a.refuse[path]--
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
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

const aceTimes = `"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":null`

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
	}}
}

// ace2Records is what a LinkAce 2 has of user 1. The API does not show the part in the trash.
const ace2Records = `
{"number":5,"name":"Tools","description":"What I use","visibility":"public","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":3,"name":"empty","visibility":"internal","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":4,"name":"gone","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":"2022-01-01T00:00:00.000000Z"}
{"number":8,"name":"go","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":10,"url":"https://go.dev/","title":"Go","image_url":"https://go.dev/x.png","visibility":"internal","status":"moved","check_disabled":true,"lists":[5],"tags":[8],"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"link":10,"text":"Read *this*","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
{"number":12,"url":"https://old.example.org/","title":"Old","visibility":"private","status":"broken","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":"2022-01-01T00:00:00.000000Z"}
{"link":12,"text":"old note","visibility":"private","created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z","deleted_at":"2022-01-01T00:00:00.000000Z"}
{"number":13,"url":"https://sqlite.org/","title":"SQLite","description":"A *database*","visibility":"private","status":"ok","lists":[5],"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2021-01-02T03:04:05.000000Z"}
`

// ace2Listed returns ace2Records without the trash.
func ace2Listed() string {
	all := strings.SplitAfter(ace2Records, "\n")
	return strings.Join(slices.DeleteFunc(all, func(line string) bool { return strings.Contains(line, `"deleted_at"`) }), "")
}

// client returns a client of a server with these responses.
func client(t *testing.T, a http.Handler) *migrate.Client {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return &migrate.Client{URL: server.URL, Authorization: "Bearer key"}
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
		check(t, err)
		text += string(line) + "\n"
	}
	return text, nil
}

func TestLinkAce2IsRead(t *testing.T) {
	done, all := 0, 0
	l := &migrate.LinkAce{Client: client(t, ace2()), Progress: func(d, a int) { done, all = d, a }}
	got, err := lines(t, l.Records(t.Context()))
	check(t, err)
	if diff := cmp.Diff(ace2Listed(), got); diff != "" {
		t.Error(diff)
	}
	if want := (migrate.Totals{Lists: 1, Tags: 2, Links: 2, Notes: 1}); l.Totals != want {
		t.Errorf("totals: got %+v, want %+v", l.Totals, want)
	}
	if done != 2 || all != 2 {
		t.Errorf("got %d of %d links, want 2 of 2", done, all)
	}
}

// Version 1 has is_private instead of visibility.
func TestLinkAce1IsRead(t *testing.T) {
	c := client(t, &responses{header: "Bearer key", byPath: map[string]string{
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
	check(t, err)
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

func TestClientWaitsAsTheServerAsks(t *testing.T) {
	a := ace2()
	a.refuse["api/v2/tags"] = 1
	c := client(t, a)
	var waited time.Duration
	c.Waiting = func(d time.Duration) { waited += d }
	got, err := lines(t, (&migrate.LinkAce{Client: c}).Records(t.Context()))
	if err != nil || got != ace2Listed() {
		t.Errorf("got %v and\n%s", err, got)
	}
	if waited != time.Second {
		t.Errorf("waited %s, want 1s", waited)
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
	// A cache that ignores the parameters of requests.
	samePage, sameTags := ace2(), ace2()
	samePage.byPath["api/v2/links?page=2"] = samePage.byPath["api/v2/links"]
	sameTags.byPath["api/v2/tags"] = pageOf(1, 2, 4, `{"id":8,"user_id":1,"name":"go"}`, `{"id":9,"user_id":1,"name":"no"}`)
	sameTags.byPath["api/v2/tags?page=2"] = sameTags.byPath["api/v2/tags"]
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
		{"several users", twoUsers, "set --linkace-user to one of [1 2]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := client(t, test.handler)
			_, err := lines(t, (&migrate.LinkAce{Client: c}).Records(t.Context()))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestCanceledMigrationEnds(t *testing.T) {
	a := ace2()
	a.refuse["api/v2/tags"] = 2
	c := client(t, a)
	ctx, cancel := context.WithCancel(t.Context())
	c.Waiting = func(time.Duration) { cancel() }
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
