package linkindex

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
			x, m := New(), model{links: map[int64]Link{}, labels: [2]map[int64]Label{{}, {}}}
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
					label := Label{Owner: 1 + id%2, Scope: []int64{NoScope, 0, -1, 1, 2}[r.IntN(5)], Name: waymark.Fold(randomText(r))}
					m.labels[k][id] = label
					x.SetLabels(k, map[int64]Label{id: label})
				}
				if r.IntN(10) == 0 {
					for x.compact(1) {
					}
				}
				if x.Len() != len(m.links) {
					t.Fatalf("step %d: %d links, want %d", step, x.Len(), len(m.links))
				}
				for range 10 {
					q := randomQuery(r)
					got, want := x.Find(q), m.find(q)
					if got.Total != want.Total || !slices.Equal(got.IDs, want.IDs) {
						t.Fatalf("step %d: %+v\n got %+v\nwant %+v", step, q, got, want)
					}
					if n := x.Count(q); n != want.Total {
						t.Fatalf("step %d: %+v: count %d, want %d", step, q, n, want.Total)
					}
					lq := randomLabelQuery(r)
					total, labels := x.LabelsByLinks(lq)
					wantTotal, wantLabels := m.labelsByLinks(lq)
					if total != wantTotal || !slices.Equal(labels, wantLabels) {
						t.Fatalf("step %d: %+v\n got %d %v\nwant %d %v", step, lq, total, labels, wantTotal, wantLabels)
					}
					for _, label := range labels {
						if n := x.CountLinks(lq.Kind, []int64{label.ID}, lq.Scopes)[label.ID]; n != label.Links {
							t.Fatalf("step %d: label %d has %d links, want %d", step, label.ID, n, label.Links)
						}
					}
				}
			}
		})
	}
}

func contains(text string, columns ...string) query.Predicate {
	return query.Predicate{Kind: query.ContainsText, Text: query.TextPredicate{Text: text, Columns: columns}}
}

// Waymark generates positive ids, but another program can have changed the database.
func TestLinksCanHaveAnyID(t *testing.T) {
	x := New()
	var links []Link
	var ids []int64
	for _, id := range []int64{math.MinInt64, -locationPageSize - 1, -1, 0, 1, math.MaxInt64} {
		links, ids = append(links, Link{ID: id, Scope: 1, URL: fmt.Sprint("https://example.org/", id)}), append(ids, id)
	}
	x.Update(ids, links)
	q := Query{Groups: [][]int64{{1}}, Where: []query.Predicate{{Kind: query.Or, Parts: []query.Predicate{contains("no such text", "url"), {Kind: query.SnapshotContains, LinkIDs: ids}}}}}
	if got := x.Find(q).IDs; !slices.Equal(got, ids) {
		t.Errorf("got the links %d, want %d", got, ids)
	}
	x.Update(ids, nil)
	if x.Len() != 0 {
		t.Errorf("got %d links after all were removed, want 0", x.Len())
	}
}

// Links are in segments of 65,536 links: a scope with several of them is
// filled, thinned out and compacted.
func TestSeveralSegments(t *testing.T) {
	x := New()
	const n = 3*segmentSize/2 + 100
	var links []Link
	for id := range int64(n) {
		links = append(links, Link{ID: id + 1, URL: fmt.Sprintf("https://example.org/%d", id+1), Title: fmt.Sprint(id % 7), Status: waymark.StatusOK})
	}
	x.Update(nil, links)
	x.Prepare(waymark.SortByTitle)
	x.Prepare(waymark.SortByCreatedAt)
	var removed []int64
	for id := range int64(n) {
		if id%3 != 0 {
			removed = append(removed, id+1)
		}
	}
	before := x.Bytes()
	x.Update(removed, nil)
	for x.Compact() {
	}
	if after := x.Bytes(); after > before/2 {
		t.Errorf("%d bytes after two thirds of the links were removed, %d before", after, before)
	}
	got := x.Find(Query{Groups: [][]int64{{0}}, Where: []query.Predicate{contains("/9", "url")}, Order: waymark.Order{By: waymark.SortByID}})
	want := 0
	for id := int64(1); id <= n; id += 3 {
		if strings.HasPrefix(fmt.Sprint(id), "9") {
			if want < len(got.IDs) && got.IDs[want] != id {
				t.Fatalf("link %d is %d, want %d", want, got.IDs[want], id)
			}
			want++
		}
	}
	if got.Total != want || len(got.IDs) != want {
		t.Errorf("%d links, %d ids, want %d", got.Total, len(got.IDs), want)
	}
	x.Update(nil, links[:0])
	for id := range int64(segmentSize) { // more links than fit into the segment that is being filled
		links[id] = Link{ID: n + id + 1, URL: "https://example.org/new"}
	}
	x.Update(nil, links[:segmentSize])
	if got := x.Find(Query{Groups: [][]int64{{0}}, Where: []query.Predicate{contains("new", "url")}}); got.Total != segmentSize {
		t.Errorf("%d new links, want %d", got.Total, segmentSize)
	}
}

// A page of many matches reads the order, which is made once: sorting the matches for
// every page would take much longer.
func TestPageOfManyMatchesMakesTheOrder(t *testing.T) {
	x := New()
	var links []Link
	for id := range int64(1000) {
		links = append(links, Link{ID: id + 1, URL: "https://example.org/", Title: fmt.Sprint(id)})
	}
	x.Update(nil, links)
	for _, test := range []struct {
		text string
		want bool
	}{{"777", false}, {"example", true}} {
		x.Find(Query{Groups: [][]int64{{0}}, Where: []query.Predicate{contains(test.text, "url", "title")}, Order: waymark.Order{By: waymark.SortByTitle}, Pagination: waymark.Pagination{Limit: 24}})
		if _, got := x.scopes[0].orders.byField[waymark.SortByTitle]; got != test.want {
			t.Errorf("search %q: order made: %t, want %t", test.text, got, test.want)
		}
	}
}

func FuzzOriginalText(f *testing.F) {
	for _, word := range words {
		f.Add(word)
		f.Add(word + "x" + strings.ToUpper(word))
	}
	f.Fuzz(func(t *testing.T, original string) {
		original = strings.ReplaceAll(strings.ToValidUTF8(original, "?"), "\x00", "0")
		var stored texts
		stored.append(original)
		record := stored.record(0)
		if got := string(originalOf(record)); got != original {
			t.Errorf("original %q, want %q", got, original)
		}
		text, rest, _ := bytes.Cut(record, []byte{textEnd})
		if got := string(text); got != waymark.Fold(original) {
			t.Errorf("folded %q, want %q", got, waymark.Fold(original))
		}
		for _, b := range rest {
			if b < 0x80 || b > 0xBF {
				t.Errorf("the difference of %q has the byte %#x", original, b)
			}
		}
	})
}
