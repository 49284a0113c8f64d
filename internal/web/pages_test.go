package web

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

func TestPagerShowsThePagesAroundTheCurrentOne(t *testing.T) {
	for _, test := range []struct {
		page, total int
		want        []int // 0 is a gap
		last        string
	}{
		{1, 0, []int{1}, ""},
		{1, 30, []int{1, 2, 3}, ""},
		{1, 100, []int{1, 2, 0, 10}, ""},
		{5, 100, []int{1, 0, 4, 5, 6, 0, 10}, ""},
		{9, 100, []int{1, 0, 8, 9, 10}, ""},
		{12, 100, []int{1, 0, 9, 10}, "/links?page=10&query=a"},
	} {
		p := page.PagerAt("/links", url.Values{"query": {"a"}, "page": {"7"}}, test.page, test.total, 10)
		var got []int
		for _, link := range p.Links {
			got = append(got, link.Number)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || p.BeyondEnd() != test.last {
			t.Errorf("page %d of %d links: last %q, %s", test.page, test.total, p.BeyondEnd(), diff)
		}
	}
	p := page.PagerAt("/links", url.Values{"query": {"a"}}, 2, 25, 10)
	if p.Previous != "/links?query=a" || p.Next != "/links?page=3&query=a" || p.From != 11 || p.To != 20 {
		t.Errorf("got %+v", p)
	}
}

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
	for _, group := range filtersOf(linksQuery{Broken: true}, "ada", false) {
		for _, choice := range group {
			if choice.Chosen != (choice.Name == "broken") || choice.Chosen != (choice.Path == "/links") {
				t.Errorf("%s: got chosen %v, %s", choice.Name, choice.Chosen, choice.Path)
			}
		}
	}
}
