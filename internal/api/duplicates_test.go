package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestDuplicatesAreMergedOrKeptApart(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		for _, url := range []string{"http://a.example", "https://www.a.example/", "https://a.example/?utm_source=x", "https://a.example/#more", "https://b.example", "http://b.example"} {
			ann.link(t, `{"url":"`+url+`","visibility":1}`)
		}
		bens := ben.link(t, `{"url":"http://a.example/"}`)
		want := func(weak, json string) {
			t.Helper()
			ann.get(t, "/duplicates?weak="+weak).ok(t).wantValue(t, "data.*.links.*.id", json)
		}
		ann.get(t, "/duplicates").ok(t).wantValue(t, "data.0.keep data.0.url next_page_url", `[1,"https://www.a.example/",null]`)
		want("0", `[[1,2,3],[5,6]]`)
		want("1", `[[1,2,3,4]]`)
		ben.get(t, "/duplicates").ok(t).wantValue(t, "data", `[]`)

		wantStatus := func(body string, want int) {
			t.Helper()
			if got := ann.post(t, "/duplicates/merge", body); got.status != want {
				t.Errorf("%s: got %d, want %d", body, got.status, want)
			}
		}
		wantStatus(`{"keep":99,"merge":[1]}`, http.StatusNotFound)
		wantStatus(`{"keep":`+bens+`,"merge":[1]}`, http.StatusForbidden)
		for body, messages := range map[string][]string{
			`{}`:                                {"keep: The keep field is required.", "merge: The merge field is required."},
			`{"keep":1,"merge":[` + bens + `]}`: {"merge: The selected merge is invalid."},
			`{"keep":1,"merge":[1]}`:            {"merge: The selected merge is invalid."},
			`{"keep":1,"merge":[2,5]}`:          {"merge: The selected merge is invalid."},
			`{"keep":1,"merge":[2],"url":"http://b.example"}`: {"url: The selected url is invalid."},
		} {
			ann.post(t, "/duplicates/merge", body).wantFieldErrors(t, messages...)
		}
		ann.post(t, "/duplicates/apart", `{"links":[1,5]}`).wantFieldErrors(t, "links: The selected links is invalid.")
		want("0", `[[1,2,3],[5,6]]`)

		apart := ann.post(t, "/duplicates/apart", `{"links":[3,1,2]}`).ok(t)
		want("0", `[[5,6]]`)
		want("1", `[[1,2,3,4]]`)
		ann.post(t, "/undo/"+apart.header.Get("Undo-Token"), "").ok(t)
		want("0", `[[1,2,3],[5,6]]`)
		ann.post(t, "/duplicates/apart", `{"links":[1,2]}`).ok(t)
		want("0", `[[1,2,3],[5,6]]`)
		ann.post(t, "/duplicates/apart", `{"links":[2,3]}`).ok(t)
		want("0", `[[1,3],[5,6]]`)
		ann.patch(t, "/links/2", `{"url":"https://a.example"}`).ok(t)
		want("0", `[[1,2,3],[5,6]]`)

		merged := ann.post(t, "/duplicates/merge", `{"keep":2,"merge":[1,3,4,99],"url":"http://a.example"}`).ok(t)
		merged.wantValue(t, "link.url link.id merged skipped", `["http://a.example",2,[1,3,4],[99]]`)
		want("0", `[[5,6]]`)
		want("1", `[]`)
		wantStatus(`{"keep":1,"merge":[2]}`, http.StatusNotFound)
		ann.post(t, "/undo/"+merged.header.Get("Undo-Token"), "").ok(t).wantValue(t, "skipped", `0`)
		want("1", `[[1,2,3,4]]`)
	})
}

func TestDuplicatesComeInPages(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	seen := map[string]bool{}
	for i := range duplicatesPage + 2 {
		host := string(rune('a'+i)) + ".example"
		ann.link(t, `{"url":"http://`+host+`"}`)
		ann.link(t, `{"url":"https://`+host+`"}`)
	}
	path, pages := "/duplicates", 0
	for ; path != ""; pages++ {
		page := ann.get(t, path).ok(t)
		var got duplicatesResponse
		if err := json.Unmarshal([]byte(page.body), &got); err != nil {
			t.Fatal(err)
		}
		for _, group := range got.Data {
			seen[group.URL] = true
		}
		path = ""
		if got.NextPageURL != nil {
			_, path, _ = strings.Cut(*got.NextPageURL, "/api/v2")
		}
	}
	if pages != 2 || len(seen) != duplicatesPage+2 {
		t.Errorf("got %d groups on %d pages, want %d on 2", len(seen), pages, duplicatesPage+2)
	}
	ann.get(t, "/duplicates?after=x").wantFieldErrors(t, "after: The after is invalid.")
}
