package store

import (
	"slices"
	"testing"

	"waymark/internal/waymark"
)

func TestCheapestDriverHasTheFewestRows(t *testing.T) {
	for _, test := range []struct {
		name       string
		candidates []candidate
		want       int
	}{
		{"none", nil, noDriver},
		{"one", []candidate{{2, 10}}, 2},
		{"fewest", []candidate{{0, 10}, {1, 3}, {2, 5}}, 1},
		{"first of equals", []candidate{{1, 3}, {0, 3}}, 1},
	} {
		if got := cheapest(test.candidates); got != test.want {
			t.Errorf("%s: got driver %d, want %d", test.name, got, test.want)
		}
	}
}

func TestWindowIsBoundedByTheTotal(t *testing.T) {
	totals := []int{60, 30, 10}
	for _, test := range []struct {
		pagination waymark.Pagination
		want       window
	}{
		{waymark.Pagination{}, window{0, 100, 100}},
		{waymark.Pagination{Limit: 24}, window{0, 24, 100}},
		{waymark.Pagination{Offset: 96, Limit: 24}, window{96, 4, 100}},
		{waymark.Pagination{Offset: 100, Limit: 24}, window{100, 0, 100}},
		{waymark.Pagination{Offset: 1 << 62, Limit: 1 << 62}, window{1 << 62, 0, 100}},
	} {
		if got := newWindow(test.pagination, totals); got != test.want {
			t.Errorf("%+v: got %+v, want %+v", test.pagination, got, test.want)
		}
	}
}

// A driver with many matches is more expensive than a scan along the order that stops
// when the page is full, and one with few is cheaper.
func TestPlanForAWindowIsTheCheaperOne(t *testing.T) {
	text := plan{
		table:      "links",
		scopes:     []scope{publicScope, internalScope, 7},
		predicates: []predicate{{kind: containsText}},
		driver:     0,
		order:      sortOrder{columns: []string{"e.title_folded", "e.title"}},
	}
	ofList := text
	ofList.predicates = []predicate{{kind: inAny, ids: []int64{3}}}
	byID := ofList
	byID.order = sortOrder{}
	for _, test := range []struct {
		name       string
		plan       plan
		pagination waymark.Pagination
		totals     []int
		sizes      []int
		want       int
	}{
		{"few matches are sorted", text, waymark.Pagination{Limit: 24}, []int{3, 0, 2}, []int{50_000, 0, 50_000}, 0},
		{"many matches are tested along the order", text, waymark.Pagination{Limit: 24}, []int{20_000, 0, 20_000}, []int{50_000, 0, 50_000}, noDriver},
		{"the last page is counted from the end", text, waymark.Pagination{Offset: 39_990, Limit: 24}, []int{20_000, 0, 20_000}, []int{50_000, 0, 50_000}, noDriver},
		{"a page in the middle is sorted", text, waymark.Pagination{Offset: 1000, Limit: 24}, []int{1000, 0, 1000}, []int{50_000, 0, 50_000}, 0},
		{"everything would be sorted once per batch", text, waymark.Pagination{}, []int{20_000, 0, 20_000}, []int{50_000, 0, 50_000}, noDriver},
		{"a scope without a match is not read", text, waymark.Pagination{Limit: 24}, []int{200, 0, 0}, []int{1000, 1_000_000, 1_000_000}, noDriver},
		{"a list by title", ofList, waymark.Pagination{Limit: 24}, []int{20_000, 0, 0}, []int{50_000, 0, 0}, noDriver},
		{"a list by id is in order already", byID, waymark.Pagination{Limit: 24}, []int{20_000, 0, 0}, []int{50_000, 0, 0}, 0},
		{"an empty page", text, waymark.Pagination{Offset: 10, Limit: 24}, []int{5, 0, 0}, []int{50_000, 0, 0}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWindow(test.pagination, test.totals)
			before := test.plan.driver
			if got := test.plan.forWindow(w, test.totals, test.sizes); got.driver != test.want {
				t.Errorf("got driver %d, want %d", got.driver, test.want)
			}
			if test.plan.driver != before {
				t.Error("the plan that was passed has changed")
			}
		})
	}
}

func TestSegmentsListGroupsOfScopesInOrder(t *testing.T) {
	p := plan{table: "links", scopes: []scope{publicScope, internalScope, 7}, driver: noDriver}
	totals := []int{10, 5, 20}
	type part struct {
		scopes        []scope
		offset, limit int
	}
	for _, test := range []struct {
		name          string
		order         sortOrder
		desc          bool
		offset, limit int
		want          []part
	}{
		{"no group", sortOrder{}, false, 3, 24, []part{{[]scope{0, -1, 7}, 3, 24}}},
		{"private last, first page", privateLast, false, 0, 12, []part{{[]scope{0, -1}, 0, 12}}},
		{"private last, across the groups", privateLast, false, 12, 10, []part{{[]scope{0, -1}, 12, 3}, {[]scope{7}, 0, 7}}},
		{"private first", privateLast, true, 0, 24, []part{{[]scope{7}, 0, 20}, {[]scope{0, -1}, 0, 4}}},
		{"by visibility, all", byVisibility, false, 0, 35, []part{{[]scope{0}, 0, 10}, {[]scope{-1}, 0, 5}, {[]scope{7}, 0, 20}}},
		{"by visibility, last page", byVisibility, false, 30, 5, []part{{[]scope{7}, 15, 5}}},
		{"beyond the end", byVisibility, false, 40, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := p
			p.order, p.desc = test.order, test.desc
			var got []part
			for _, s := range p.segments(window{test.offset, test.limit, 35}, totals) {
				got = append(got, part{s.plan.scopes, s.window.offset, s.window.limit})
			}
			if !slices.EqualFunc(got, test.want, func(a, b part) bool {
				return slices.Equal(a.scopes, b.scopes) && a.offset == b.offset && a.limit == b.limit
			}) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestSegmentsLeaveOutScopesWithoutMatches(t *testing.T) {
	p := plan{table: "links", scopes: []scope{publicScope, internalScope, 7}, driver: noDriver}
	got := p.segments(window{0, 5, 5}, []int{0, 0, 5})
	if len(got) != 1 || !slices.Equal(got[0].plan.scopes, []scope{7}) {
		t.Errorf("got %+v, want one segment of the viewer's own scope", got)
	}
}

func TestScopesOfAViewerFollowTheFilter(t *testing.T) {
	for _, test := range []struct {
		name   string
		viewer waymark.UserID
		filter waymark.LinkFilter
		want   []scope
	}{
		{"a user", 7, waymark.LinkFilter{}, []scope{0, -1, 7}},
		{"a guest", waymark.Guest, waymark.LinkFilter{}, []scope{0}},
		{"public", 7, waymark.LinkFilter{Visibility: waymark.Public}, []scope{0}},
		{"internal", 7, waymark.LinkFilter{Visibility: waymark.Internal}, []scope{-1}},
		{"private", 7, waymark.LinkFilter{PrivateOnly: true}, []scope{7}},
		{"both", 7, waymark.LinkFilter{PrivateOnly: true, Visibility: waymark.Public}, []scope{}},
		{"a guest, internal", waymark.Guest, waymark.LinkFilter{Visibility: waymark.Internal}, []scope{}},
	} {
		if got := scopesOfFilter(scopesOf(test.viewer), test.filter); !slices.Equal(got, test.want) {
			t.Errorf("%s: got scopes %v, want %v", test.name, got, test.want)
		}
	}
}
