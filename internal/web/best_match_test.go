package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
)

func TestSearchesForWordsShowTheBestMatchFirst(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for _, title := range []string{"Docker", "Moving away from Docker", "Pods"} { // from the oldest to the newest
		description := "Not docker"
		ada.addLink(waymark.LinkInput{URL: "https://example.org/" + strings.ReplaceAll(title, " ", "-"), Title: &title, Description: &description})
	}
	check(t, s.store.RefreshSearchIndex(t.Context()))
	titles := func(path string) []string {
		return ada.get(path).Find("li.link .title").Map(func(_ int, title *goquery.Selection) string { return strings.TrimSpace(title.Text()) })
	}
	best, newest := []string{"Docker", "Moving away from Docker", "Pods"}, []string{"Pods", "Moving away from Docker", "Docker"}
	for path, want := range map[string][]string{
		"/links":                       newest,
		"/links?order=best":            newest, // there are no words
		"/links?q=docker":              best,
		"/links?q=docker&order=best":   best,
		"/links?q=docker+OR+podman":    best,
		"/links?q=docker&order=newest": newest,
		"/links?q=-docker.example":     newest,
	} {
		if got := titles(path); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	p := ada.get("/links?q=docker")
	p.wantText("#view [name=order][aria-current]", "Best match")
	p.wantCount("h2.day", 0)
	if p := ada.get("/links"); p.Find("#view [value=best]").Length() != 0 || p.text("#view [name=order][aria-current]") != "Newest first" {
		t.Error("a page without words offers the best match")
	}
	found := ada.get("/jump?q=docker").Find("a[href^='/links/'] .one-line").First().Text()
	if !strings.HasPrefix(strings.TrimSpace(found), "Docker") {
		t.Errorf("the dialog to jump finds %q first", found)
	}
}
