package migrate_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/migrate"
)

func TestLinkdingIsRead(t *testing.T) {
	byPath := map[string]string{
		"/api/tags/?limit=100&offset=0": `{"count":2,"next":null,"previous":null,"results":[
			{"id":1,"name":"go","date_added":"2020-09-26T09:46:23.006313Z"},{"id":2,"name":"unused","date_added":"2020-09-26T09:46:23+02:00"}]}`,
		"/api/bookmarks/?limit=100&offset=0": `{"count":2,"next":"http://127.0.0.1:8000/api/bookmarks/?limit=100&offset=1","previous":null,"results":[
			{"id":7,"url":"https://go.dev/","title":"Go","description":"A language","notes":"# My notes","web_archive_snapshot_url":"","favicon_url":null,"preview_image_url":null,
			"is_archived":false,"unread":true,"shared":true,"tag_names":["Go","new"],"date_added":"2020-09-26T09:46:23.006313Z","date_modified":"2020-09-26T16:01:14.275335Z"}]}`,
		"/api/bookmarks/?limit=100&offset=1": `{"count":2,"next":null,"previous":null,"results":[
			{"id":5,"url":"https://sqlite.org/","title":"","description":"","notes":"","is_archived":false,"unread":false,"shared":false,"tag_names":[],"date_added":"2020-09-26T09:46:23.006313Z","date_modified":"2020-09-26T16:01:14.275335Z"}]}`,
		"/api/bookmarks/archived/?limit=100&offset=0": `{"count":1,"next":null,"previous":null,"results":[
			{"id":6,"url":"https://old.example.org/","title":"Old","description":"","notes":"","is_archived":true,"unread":false,"shared":false,"tag_names":["go"],"date_added":"2020-09-26T09:46:23.006313Z","date_modified":"2020-09-26T16:01:14.275335Z"}]}`,
	}
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, found := byPath[r.URL.String()]
		if !found || r.Header.Get("Authorization") != "Token key" {
			w.WriteHeader(http.StatusNotFound)
		}
		w.Write([]byte(text))
	}))
	c.Authorization = "Token key"
	done, all := 0, 0
	l := &migrate.Linkding{Client: c, Progress: func(d, a int) { done, all = d, a }}
	got, err := lines(t, l.Records(t.Context()))
	check(t, err)
	want := `
{"number":1,"name":"go","created_at":"2020-09-26T09:46:23.006313Z"}
{"number":2,"name":"unused","created_at":"2020-09-26T07:46:23.000000Z"}
{"number":3,"name":"new","created_at":"2020-09-26T09:46:23.006313Z"}
{"number":5,"url":"https://sqlite.org/","visibility":"private","created_at":"2020-09-26T09:46:23.006313Z","updated_at":"2020-09-26T16:01:14.275335Z"}
{"number":6,"url":"https://old.example.org/","title":"Old","visibility":"private","archived":true,"tags":[1],"created_at":"2020-09-26T09:46:23.006313Z","updated_at":"2020-09-26T16:01:14.275335Z"}
{"number":7,"url":"https://go.dev/","title":"Go","description":"A language","visibility":"internal","unread":true,"tags":[1,3],"created_at":"2020-09-26T09:46:23.006313Z","updated_at":"2020-09-26T16:01:14.275335Z"}
{"link":7,"text":"# My notes","visibility":"internal","created_at":"2020-09-26T09:46:23.006313Z","updated_at":"2020-09-26T16:01:14.275335Z"}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if done != 3 || all != 3 {
		t.Errorf("got %d of %d links, want 3 of 3", done, all)
	}
	c.URL += "/elsewhere"
	if _, err := lines(t, (&migrate.Linkding{Client: c}).Records(t.Context())); err == nil {
		t.Error("another URL: got no error")
	}
}

// A cache that ignores the parameters of requests sends the first page again and again.
func TestRepeatedPageOfLinkdingIsAnError(t *testing.T) {
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"count":3,"next":"http://127.0.0.1:8000/","results":[{"id":1,"name":"go"},{"id":2,"name":"no"}]}`))
	}))
	if _, err := lines(t, (&migrate.Linkding{Client: c}).Records(t.Context())); err == nil || !strings.Contains(err.Error(), "/api/tags/ sends the same entities for two pages") {
		t.Errorf("got %v", err)
	}
}
