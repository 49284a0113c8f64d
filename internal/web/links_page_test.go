package web

import (
	"net/url"
	"testing"

	"waymark/internal/waymark"
)

func TestPageOfLinksIsMadeWithoutARequest(t *testing.T) {
	parameters := url.Values{"query": {"go -x is:broken"}, "order": {"title"}, "page": {"3"}, "view": {"cards"}}
	p := makeLinksPage("/links", linksQueryOf(parameters), parameters, waymark.CompactView)
	if p.Order != "title" || p.View != "cards" || !p.Savable || !p.SelectsAll {
		t.Errorf("got %+v", p)
	}
	if want := "/links?order=title&query=go&view=cards"; p.Cleared != want {
		t.Errorf("without chips: got %s, want %s", p.Cleared, want)
	}
	if want := "/links?order=title&page=3&query=go+-x+is%3Abroken"; p.Back != want {
		t.Errorf("without its view: got %s, want %s", p.Back, want)
	}
	p = makeLinksPage("/tags/7", linksQuery{Tags: []int64{7}}, url.Values{}, waymark.CompactView)
	if p.Order != "newest" || p.View != "compact" || p.Savable || p.Cleared != "/tags/7" {
		t.Errorf("the page of a tag: got %+v", p)
	}
	for _, group := range filtersOf(linksQuery{States: []string{"broken"}}, "ada", false) {
		for _, choice := range group {
			if choice.Chosen != (choice.Name == "broken") || choice.Chosen != (choice.Path == "/links") {
				t.Errorf("%s: got chosen %v, %s", choice.Name, choice.Chosen, choice.Path)
			}
		}
	}
}
