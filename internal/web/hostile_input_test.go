package web

import (
	"net/url"
	"testing"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// badText has bytes that are not UTF-8, and NUL. PostgreSQL rejects both.
const badText = "a\xffb\x00c"

func TestPagesWorkWithEverySavedSearch(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	title := "100% a;b"
	ada.addLink(waymark.LinkInput{URL: "https://a.example/", Title: &title})
	for _, query := range []string{"100%", "a;b", "%", "(", "by:\x01", "is:x", badText, "tag:#0", "list:#-1", "list:#99999999999999999999"} {
		if _, err := s.service.AddSavedSearch(t.Context(), ada.user, waymark.SavedSearchInput{Name: &query, Query: &query}); err != nil && utf8.ValidString(query) {
			t.Fatalf("%q: %v", query, err)
		}
	}
	for _, path := range []string{"/links", "/lists", "/tags", "/trash/links", "/settings/profile"} {
		ada.get(path).wantStatus(200)
	}
	for _, query := range []string{"q=100%", "q=a;b"} {
		ada.get("/links?"+query).wantStatus(200).wantCount("li.link", 1)
	}
}

func TestInvalidTextInRequestsIsReplaced(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, guest := s.user(t, "ada"), s.guest(t)
		bad := url.QueryEscape(badText)
		link := ada.addLink(waymark.LinkInput{URL: "https://a.example/"})
		ada.post(linkPath(link.ID), "title", badText, "description", badText, "tags", badText, "lists", badText, "visibility", "private").wantStatus(303)
		ada.post("/links", "url", "https://b.example/", "title", badText, "visibility", "private").wantStatus(303)
		for _, path := range []string{"/links?q=" + bad, "/links?q=by:" + bad, "/lists?name=" + bad, "/tags?name=" + bad, "/jump?q=" + bad, "/complete/tags?q=" + bad, "/pictures/" + bad, "/trash/links?words=" + bad} {
			if status := ada.get(path).status; status >= 500 {
				t.Errorf("GET %s: got %d", path, status)
			}
		}
		for _, path := range []string{"/pictures/" + bad, "/links?q=" + bad} {
			if status := guest.get(path).status; status >= 500 {
				t.Errorf("GET %s as a guest: got %d", path, status)
			}
		}
		if status := guest.post("/signin", "name", badText, "password", badText).status; status >= 500 {
			t.Errorf("sign in: got %d", status)
		}
		ada.post("/bulk", "do", "public", "all", "1", "selection", "by:"+badText)
		saved, err := s.store.Link(t.Context(), ada.user.ID, link.ID)
		const want = "a\ufffdb\ufffdc"
		if err != nil || saved.Title != want || saved.Description != want || len(saved.Tags) != 1 || saved.Tags[0].Name != want || len(saved.Lists) != 1 || saved.Lists[0].Name != want {
			t.Errorf("got %+v, %v, want the texts %q", saved, err, want)
		}
	})
}
