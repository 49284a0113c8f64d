package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// maxPageSize limits the gzipped HTML of a page with 24 links, or with as many tags as a page shows.
const maxPageSize = 15<<10 + 768

func TestPagesAreSmall(t *testing.T) {
	s := newTestSite(t, storetest.Open(t), config.Default().API)
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
	for _, path := range []string{"/links", "/links?view=compact", "/links?view=cards", "/links?query=the", "/lists", "/tags"} {
		p := ada.get(path, "Accept-Encoding", "gzip").wantStatus(200)
		t.Logf("%s: %d bytes gzipped", path, len(p.body))
		if p.header.Get("Content-Encoding") != "gzip" || len(p.body) > maxPageSize {
			t.Errorf("%s: got %d bytes (%s), want at most %d, gzipped", path, len(p.body), p.header.Get("Content-Encoding"), maxPageSize)
		}
	}
}
