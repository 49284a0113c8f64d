package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// maxPageSize limits the gzipped HTML of a page with 24 links, or with as many tags as a page shows, with two searches at its side.
const maxPageSize = 16 << 10

// A page reads the session, the page of links, the token of its feed, and what is in the sidebar; the number of
// statements depends neither on the links nor on the lists, tags and searches in the sidebar.
func TestPagesAreSmallAndNeedFewStatements(t *testing.T) {
	var statements atomic.Int32
	s := newTestSite(t, storetest.OpenWith(t, store.Options{Trace: func(string) { statements.Add(1) }}), config.Default().API)
	server := httptest.NewServer(httpx.Represent(s.site, true))
	defer server.Close()
	s.URL = server.URL
	ada := s.user(t, "ada")
	sample, err := os.ReadFile("../../tools/bench/words.ndjson") // real links
	check(t, err)
	lists := []string{"Distributed systems", "Reading", "Self-hosting", "Machine learning", "Go", "Recipes"}
	var names []string // of tags: two words of titles
	for i, line := range strings.Split(strings.TrimSpace(string(sample)), "\n") {
		var link struct{ URL, Title, Description string }
		check(t, json.Unmarshal([]byte(line), &link))
		words := strings.Fields(link.Title)
		for j, word := range words {
			names = append(names, fmt.Sprint(word, " ", words[(j*7+i)%len(words)], " ", i))
		}
		description := strings.Repeat(link.Description+". ", 2)
		ada.addLink(waymark.LinkInput{
			URL: link.URL, Title: &link.Title, Description: &description,
			Lists: &[]waymark.Ref{{Name: lists[i%len(lists)]}}, Tags: &[]waymark.Ref{{Name: words[0]}, {Name: words[len(words)-1]}},
		})
	}
	for len(names) < tagsPerPage {
		names = append(names, names[len(names)%97]+fmt.Sprint(" ", len(names)))
	}
	tags := make([]waymark.Tag, len(names))
	for i, name := range names {
		tags[i] = waymark.Tag{Name: name, Visibility: waymark.Private}
	}
	if _, err := s.store.CreateTags(t.Context(), ada.user.ID, tags); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		ada.post("/searches", "name", name, "q", name).wantStatus(303)
	}
	check(t, s.store.RefreshSearchIndex(t.Context()))
	for path, limit := range map[string]int32{"/links": 17, "/links?view=compact": 17, "/links?view=cards": 17, "/links?q=the": 19, "/lists": 19, "/tags": 17} {
		ada.get(path)
		statements.Store(0)
		p := ada.get(path, "Accept-Encoding", "gzip").wantStatus(200)
		n := statements.Load()
		t.Logf("%s: %d bytes gzipped, %d statements", path, len(p.body), n)
		if p.header.Get("Content-Encoding") != "gzip" || len(p.body) > maxPageSize || n > limit {
			t.Errorf("%s: got %d bytes (%s) and %d statements, want at most %d, gzipped, and %d", path, len(p.body), p.header.Get("Content-Encoding"), n, maxPageSize, limit)
		}
	}
}
