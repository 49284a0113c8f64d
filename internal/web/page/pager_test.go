package page

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		p := PagerAt("/links", url.Values{"query": {"a"}, "page": {"7"}}, test.page, test.total, 10)
		var got []int
		for _, link := range p.Links {
			got = append(got, link.Number)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || p.BeyondEnd() != test.last {
			t.Errorf("page %d of %d links: last %q, %s", test.page, test.total, p.BeyondEnd(), diff)
		}
	}
	p := PagerAt("/links", url.Values{"query": {"a"}}, 2, 25, 10)
	if p.Previous != "/links?query=a" || p.Next != "/links?page=3&query=a" || p.From != 11 || p.To != 20 {
		t.Errorf("got %+v", p)
	}
}
