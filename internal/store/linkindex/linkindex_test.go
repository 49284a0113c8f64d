package linkindex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

var words = []string{
	"Go", "go", "GO", "github", "GitHub", "Straße", "STRASSE", "Äpfel", "äpfel", "Москва", "москва", "东京", "教程", "ﬁnance",
	"İstanbul", "naïve", "nai\u0308ve", "C++", "100%", "a", "ab", "abc", "", " ", "🌍", "ǅ", "ᏸ", "ſ", "K",
}

func TestFindReturnsWhatEveryLinkIsTestedFor(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			x, m := NewLinks(), model{links: map[int64]Link{}, labels: [2]map[int64]Label{{}, {}}}
			next := int64(1)
			for step := range 60 {
				var removed []int64
				var added []Link
				for range r.IntN(1 << r.IntN(9)) { // often few, sometimes many
					id := next
					if r.IntN(2) == 0 {
						id = 1 + r.Int64N(next+3) // some are unknown
					} else {
						next++
					}
					if slices.Contains(removed, id) {
						continue
					}
					removed = append(removed, id)
					delete(m.links, id)
					if r.IntN(3) > 0 {
						link := randomLink(r, id)
						added = append(added, link)
						m.links[id] = link
					}
				}
				x.Update(removed, added)
				if r.IntN(4) == 0 {
					k, id := Kind(r.IntN(2)), int64(1+r.IntN(5))
					label := Label{Owner: waymark.UserID(1 + id%2), Scope: []query.Scope{noScope, 0, -1, 1, 2}[r.IntN(5)], Name: waymark.Plain(randomText(r))}
					if k == List && id > 1 {
						label.Parent = r.Int64N(id) // so that no list stands in itself
					}
					m.labels[k][id] = label
					x.SetLabels(k, map[int64]Label{id: label})
				}
				if x.Len() != len(m.links) {
					t.Fatalf("step %d: %d links, want %d", step, x.Len(), len(m.links))
				}
				for range 10 {
					compareFound(t, x, &m, randomQuery(r))
					compareLabels(t, x, &m, randomLabelQuery(r))
				}
			}
		})
	}
}

func compareFound(t *testing.T, x *Links, m *model, q Query) {
	t.Helper()
	got, want := x.Find(q), m.find(q)
	if got.Total != want.Total || !slices.Equal(got.IDs, want.IDs) {
		t.Fatalf("%+v\n got %+v\nwant %+v", q, got, want)
	}
	for _, count := range [][]int{x.Count(q, []waymark.Condition{nil, q.Where}), x.CountCached(q, []waymark.Condition{nil, q.Where}), x.Cached(q, []waymark.Condition{nil, q.Where})} {
		if count[1] != want.Total {
			t.Fatalf("%+v: count %d, want %d", q, count, want.Total)
		}
	}
}

func compareLabels(t *testing.T, x *Links, m *model, q LabelQuery) {
	t.Helper()
	total, labels := x.LabelsByLinks(q)
	wantTotal, wantLabels := m.labelsByLinks(q)
	if total != wantTotal || !slices.Equal(labels, wantLabels) {
		t.Fatalf("%+v\n got %d %v\nwant %d %v", q, total, labels, wantTotal, wantLabels)
	}
	for _, label := range labels {
		if n := x.CountLinks(q.Kind, []int64{label.ID}, q.Scopes)[label.ID]; n != label.Links {
			t.Fatalf("label %d has %d links, want %d", label.ID, n, label.Links)
		}
	}
}

// A count that was kept is not used after a change that can concern it.
func TestChangesDropCounts(t *testing.T) {
	x := NewLinks()
	x.Update(nil, []Link{{ID: 1, Owner: 1, Scope: 1, URL: "https://one.example/"}, {ID: 2, Owner: 2, Scope: 2, URL: "https://two.example/"}})
	q, all := Query{Viewer: 1, As: 1, Now: now}, []waymark.Condition{nil}
	count := func() int { return x.Cached(q, all)[0] }
	if n := x.CountCached(q, all)[0]; n != 1 || count() != 1 {
		t.Errorf("got %d links and kept %d", n, count())
	}
	x.Update([]int64{2}, nil)
	if count() != 1 {
		t.Error("a change of a link that the viewer does not see dropped the count")
	}
	for what, change := range map[string]func(){
		"a link": func() { x.Update(nil, []Link{{ID: 3, Scope: 0}}) },
		"a tag":  func() { x.SetLabels(Tag, map[int64]Label{1: {Scope: 1, Name: "go"}}) },
	} {
		x.CountCached(q, all)
		if change(); count() != -1 {
			t.Errorf("after a change of %s the count is still used", what)
		}
	}
}

// Waymark generates positive ids, but another program can have changed the database.
func TestLinksCanHaveAnyID(t *testing.T) {
	x := NewLinks()
	ids := []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}
	var links []Link
	for _, id := range []int64{1, 0, math.MaxInt64, -1, math.MinInt64} {
		links = append(links, Link{ID: id, Owner: 1, Scope: 1, URL: fmt.Sprint("https://example.org/", id)})
	}
	x.Update(ids, links)
	if got := x.Find(Query{Viewer: 1}).IDs; !slices.Equal(got, ids) {
		t.Errorf("got the links %d, want %d", got, ids)
	}
	x.Update(ids, nil)
	if x.Len() != 0 {
		t.Errorf("got %d links after all were removed, want 0", x.Len())
	}
}

// Two goroutines read many links, removed ones are left out in the end, and pages far from both ends are read along an
// order.
func TestManyLinks(t *testing.T) {
	x, m := NewLinks(), model{links: map[int64]Link{}}
	r := rand.New(rand.NewPCG(7, 1))
	var links []Link
	for id := range int64(2*scanned + 7) {
		link := Link{
			ID: id + 1, Owner: 1, Scope: query.Scope(id % 2), URL: fmt.Sprintf("https://example.org/%d", r.IntN(scanned)), Title: fmt.Sprint(id % 7),
			CreatedAt: waymark.Time(r.IntN(scanned)), Status: waymark.StatusOK,
		}
		links = append(links, link)
		m.links[link.ID] = link
	}
	x.Update(nil, links)
	check := func() {
		t.Helper()
		for _, by := range []waymark.SortField{waymark.SortByTitle, waymark.SortByDescription, waymark.SortByCreatedAt} {
			for _, page := range []waymark.Pagination{{Limit: 10}, {Offset: selected + 200, Limit: 20}} {
				compareFound(t, x, &m, Query{Viewer: 1, Where: waymark.NotOf(waymark.Contains{Text: "3", In: waymark.InTitle}), Order: waymark.Order{By: by, Desc: page.Offset == 0}, Pagination: page})
			}
		}
	}
	check()
	removed := []int64{1, 2, 3}
	for _, id := range removed {
		delete(m.links, id)
	}
	x.Update(removed, nil)
	check()
	removed = nil
	for id := range int64(2 * scanned) {
		if id%3 != 0 {
			removed = append(removed, id)
			delete(m.links, id)
		}
	}
	x.Update(removed, nil)
	if x.removed > 0 {
		t.Errorf("%d removed links are kept", x.removed)
	}
	check()
}
