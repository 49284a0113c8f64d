package query

import (
	"slices"
	"testing"

	"waymark/internal/waymark"
)

func TestCheapestDriverHasTheFewestRows(t *testing.T) {
	for _, test := range []struct {
		name       string
		candidates []Candidate
		want       int
	}{
		{"none", nil, NoDriver},
		{"one", []Candidate{{2, 10}}, 2},
		{"fewest", []Candidate{{0, 10}, {1, 3}, {2, 5}}, 1},
		{"first of equals", []Candidate{{1, 3}, {0, 3}}, 1},
	} {
		if got := Cheapest(test.candidates); got != test.want {
			t.Errorf("%s: got driver %d, want %d", test.name, got, test.want)
		}
	}
}

func TestWindowIsBoundedByTheTotal(t *testing.T) {
	totals := []int{60, 30, 10}
	for _, test := range []struct {
		pagination waymark.Pagination
		want       Window
	}{
		{waymark.Pagination{}, Window{0, 100, 100}},
		{waymark.Pagination{Limit: 24}, Window{0, 24, 100}},
		{waymark.Pagination{Offset: 96, Limit: 24}, Window{96, 4, 100}},
		{waymark.Pagination{Offset: 100, Limit: 24}, Window{100, 0, 100}},
		{waymark.Pagination{Offset: 1 << 62, Limit: 1 << 62}, Window{1 << 62, 0, 100}},
	} {
		if got := NewWindow(test.pagination, totals); got != test.want {
			t.Errorf("%+v: got %+v, want %+v", test.pagination, got, test.want)
		}
	}
}

// A driver with many matches costs more than a scan along the order, which stops when the
// page is full. A driver with few matches costs less.
func TestPlanForAWindowIsTheCheaperOne(t *testing.T) {
	text := Plan{
		Table:      "links",
		Scopes:     []Scope{Public, Internal, 7},
		Predicates: []Predicate{{Kind: ContainsText}},
		Driver:     0,
		Order:      Order{Columns: []string{"e.title_folded", "e.title"}},
	}
	ofList := text
	ofList.Predicates = []Predicate{{Kind: InAny, IDs: []int64{3}}}
	byID := ofList
	byID.Order = Order{}
	for _, test := range []struct {
		name       string
		plan       Plan
		pagination waymark.Pagination
		totals     []int
		sizes      []int
		want       int
	}{
		{"few matches are sorted", text, waymark.Pagination{Limit: 24}, []int{3, 0, 2}, []int{50_000, 0, 50_000}, 0},
		{"many matches are tested along the order", text, waymark.Pagination{Limit: 24}, []int{20_000, 0, 20_000}, []int{50_000, 0, 50_000}, NoDriver},
		{"the last page is counted from the end", text, waymark.Pagination{Offset: 39_990, Limit: 24}, []int{20_000, 0, 20_000}, []int{50_000, 0, 50_000}, NoDriver},
		{"a page in the middle is sorted", text, waymark.Pagination{Offset: 1000, Limit: 24}, []int{1000, 0, 1000}, []int{50_000, 0, 50_000}, 0},
		{"everything would be sorted once per batch", text, waymark.Pagination{}, []int{20_000, 0, 20_000}, []int{50_000, 0, 50_000}, NoDriver},
		{"scopes without matches cost nothing", text, waymark.Pagination{Limit: 24}, []int{200, 0, 0}, []int{1000, 1_000_000, 1_000_000}, NoDriver},
		{"a list by title", ofList, waymark.Pagination{Limit: 24}, []int{20_000, 0, 0}, []int{50_000, 0, 0}, NoDriver},
		{"a list by id is in order already", byID, waymark.Pagination{Limit: 24}, []int{20_000, 0, 0}, []int{50_000, 0, 0}, 0},
		{"an empty page", text, waymark.Pagination{Offset: 10, Limit: 24}, []int{5, 0, 0}, []int{50_000, 0, 0}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := NewWindow(test.pagination, test.totals)
			before := test.plan.Driver
			if got := test.plan.ForWindow(w, test.totals, test.sizes); got.Driver != test.want {
				t.Errorf("got driver %d, want %d", got.Driver, test.want)
			}
			if test.plan.Driver != before {
				t.Error("the plan that was passed has changed")
			}
		})
	}
}

func TestSegmentsListGroupsOfScopesInOrder(t *testing.T) {
	p := Plan{Table: "links", Scopes: []Scope{Public, Internal, 7}, Driver: NoDriver}
	totals := []int{10, 5, 20}
	type part struct {
		scopes        []Scope
		offset, limit int
	}
	for _, test := range []struct {
		name          string
		order         Order
		desc          bool
		offset, limit int
		want          []part
	}{
		{"no group", Order{}, false, 3, 24, []part{{[]Scope{0, -1, 7}, 3, 24}}},
		{"private last, first page", PrivateLast, false, 0, 12, []part{{[]Scope{0, -1}, 0, 12}}},
		{"private last, across the groups", PrivateLast, false, 12, 10, []part{{[]Scope{0, -1}, 12, 3}, {[]Scope{7}, 0, 7}}},
		{"private first", PrivateLast, true, 0, 24, []part{{[]Scope{7}, 0, 20}, {[]Scope{0, -1}, 0, 4}}},
		{"by visibility, all", ByVisibility, false, 0, 35, []part{{[]Scope{0}, 0, 10}, {[]Scope{-1}, 0, 5}, {[]Scope{7}, 0, 20}}},
		{"by visibility, last page", ByVisibility, false, 30, 5, []part{{[]Scope{7}, 15, 5}}},
		{"beyond the end", ByVisibility, false, 40, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := p
			p.Order, p.Desc = test.order, test.desc
			var got []part
			for _, s := range p.Segments(Window{test.offset, test.limit, 35}, totals) {
				got = append(got, part{s.Plan.Scopes, s.Window.Offset, s.Window.Limit})
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
	p := Plan{Table: "links", Scopes: []Scope{Public, Internal, 7}, Driver: NoDriver}
	got := p.Segments(Window{0, 5, 5}, []int{0, 0, 5})
	if len(got) != 1 || !slices.Equal(got[0].Plan.Scopes, []Scope{7}) {
		t.Errorf("got %+v, want one segment of the viewer's own scope", got)
	}
}

func TestScopesOfAViewerFollowTheFilter(t *testing.T) {
	for _, test := range []struct {
		name   string
		viewer waymark.UserID
		filter waymark.LinkFilter
		want   []Scope
	}{
		{"a user", 7, waymark.LinkFilter{}, []Scope{0, -1, 7}},
		{"a guest", waymark.Guest, waymark.LinkFilter{}, []Scope{0}},
		{"public", 7, waymark.LinkFilter{Visibility: waymark.Public}, []Scope{0}},
		{"internal", 7, waymark.LinkFilter{Visibility: waymark.Internal}, []Scope{-1}},
		{"private", 7, waymark.LinkFilter{PrivateOnly: true}, []Scope{7}},
		{"both", 7, waymark.LinkFilter{PrivateOnly: true, Visibility: waymark.Public}, []Scope{}},
		{"a guest, internal", waymark.Guest, waymark.LinkFilter{Visibility: waymark.Internal}, []Scope{}},
	} {
		if got := FilterScopes(ScopesOf(test.viewer), test.filter); !slices.Equal(got, test.want) {
			t.Errorf("%s: got scopes %v, want %v", test.name, got, test.want)
		}
	}
}
