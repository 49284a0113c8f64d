package web

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// maxPageSize limits the gzipped HTML of a page with 24 links.
const maxPageSize = 12 * kB

func TestPagesAreSmall(t *testing.T) {
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	server := httptest.NewServer(httpx.Represent(s.site, true))
	defer server.Close()
	s.URL = server.URL
	ada := s.user(t, "ada")
	sample, err := os.ReadFile("../../tools/bench/words.ndjson") // real links
	if err != nil {
		t.Fatal(err)
	}
	lists := []string{"Distributed systems", "Reading", "Self-hosting", "Machine learning", "Go", "Recipes"}
	for i, line := range strings.Split(strings.TrimSpace(string(sample)), "\n") {
		var link struct{ URL, Title, Description string }
		if err := json.Unmarshal([]byte(line), &link); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(link.Title)
		description := strings.Repeat(link.Description+". ", 2)
		ada.addLink(waymark.LinkInput{
			URL: link.URL, Title: &link.Title, Description: &description,
			Lists: &[]waymark.Ref{{Name: lists[i%len(lists)]}}, Tags: &[]waymark.Ref{{Name: words[0]}, {Name: words[len(words)-1]}},
		})
	}
	for _, path := range []string{"/links", "/links?view=compact", "/links?view=cards", "/links?query=the"} {
		p := ada.get(path, "Accept-Encoding", "gzip").wantStatus(200)
		t.Logf("%s: %d bytes gzipped", path, len(p.body))
		if p.header.Get("Content-Encoding") != "gzip" || len(p.body) > maxPageSize {
			t.Errorf("%s: got %d bytes (%s), want at most %d, gzipped", path, len(p.body), p.header.Get("Content-Encoding"), maxPageSize)
		}
	}
}
