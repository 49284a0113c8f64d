package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// sizes is a ResponseWriter that records how much it was sent at a time.
type sizes struct {
	httptest.ResponseRecorder
	total, largest int
}

func (s *sizes) Write(b []byte) (int, error) {
	s.total += len(b)
	s.largest = max(s.largest, len(b))
	return s.ResponseRecorder.Write(b)
}

// largestPage adds 24 public links with the longest texts and the most lists and tags
// that links can have, in the characters whose JSON is the longest.
func largestPage(t *testing.T, s *testServer) {
	t.Helper()
	s.addUser(t, "mal")
	mal, err := s.store.Accounts.UserByName(t.Context(), "mal")
	check(t, err)
	control := strings.Repeat("\x01", 100)
	longest := func(characters int) string { return control + strings.Repeat("😀", characters-100) }
	internal := waymark.VisibilityInput{Visibility: new(waymark.Visibility)}
	*internal.Visibility = waymark.Internal
	quotes, title, description := control+strings.Repeat(`"`, 3900), longest(1000), longest(100_000)
	lists, tags, links := make([]waymark.ListInput, 50), make([]waymark.TagInput, 200), make([]waymark.LinkInput, 24)
	var inLists, withTags []waymark.Ref
	for i := range lists {
		lists[i] = waymark.ListInput{Name: fmt.Sprintf("%03d", i) + longest(252), Description: &quotes, VisibilityInput: internal}
		inLists = append(inLists, waymark.Ref{ID: int64(i + 1)})
	}
	for i := range tags {
		tags[i] = waymark.TagInput{Name: fmt.Sprintf("%03d", i) + longest(252), VisibilityInput: internal}
		withTags = append(withTags, waymark.Ref{ID: int64(i + 1)})
	}
	for i := range links {
		url := fmt.Sprintf("https://%02d.example/", i) + strings.Repeat(`"`, 7900)
		links[i] = waymark.LinkInput{URL: url, Title: &title, Description: &description, Lists: &inLists, Tags: &withTags, VisibilityInput: internal}
	}
	if _, err := s.service.AddLists(t.Context(), mal, lists); err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.AddTags(t.Context(), mal, tags); err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.AddLinks(t.Context(), mal, links); err != nil {
		t.Fatal(err)
	}
}

func TestDefaultPageIsAtMost32MB(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		largestPage(t, s)
		vic := s.addUser(t, "vic")
		handler := newHandler(s.service, nil, nil, s.store, config.Default().API, nil)
		for path, wantLeast := range map[string]int{"/links": 24_000_000, "/links/1": 1_000_000} {
			r := httptest.NewRequest(http.MethodGet, "/api/v2"+path, nil)
			r.Header.Set("Authorization", "Bearer "+vic.key)
			w := &sizes{ResponseRecorder: *httptest.NewRecorder()}
			handler.ServeHTTP(w, r)
			t.Logf("%s: %d bytes, %d at a time", path, w.total, w.largest)
			if !json.Valid(w.Body.Bytes()) || w.total < wantLeast || w.total > 32_000_000 {
				t.Errorf("%s: got %d bytes, want %d to 32,000,000 of JSON", path, w.total, wantLeast)
			}
			// A link is written whole, a page is not.
			if w.largest > 1_300_000 {
				t.Errorf("%s: wrote %d bytes at a time, want at most 1,300,000", path, w.largest)
			}
		}
	})
}
