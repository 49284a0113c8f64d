package linkindex

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Pages of many matches, in two scopes of several segments, make up the whole listing.
func TestPagesOfManyMatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, m := New(), model{links: map[int64]Link{}}
	const n = 3 * segmentSize / 2
	links := make([]Link, 0, n)
	for id := range int64(n) {
		link := Link{ID: id + 1, Scope: id % 5 / 4, URL: fmt.Sprint("https://example.org/", r.IntN(n)), Title: fmt.Sprint(r.IntN(n / 4)), CreatedAt: waymark.Time(r.IntN(n))}
		for tag, every := range []int{1: 10, 2: 300, 3: 5000} {
			if every > 0 && r.IntN(every) == 0 {
				link.Tags = append(link.Tags, int64(tag))
			}
		}
		links = append(links, link)
	}
	x.Update(nil, links[:n*3/4])
	x.Clip()
	x.Update(nil, links[n*3/4:])
	var removed []int64
	for _, link := range links {
		if link.ID%3 == 0 {
			removed = append(removed, link.ID)
			continue
		}
		m.links[link.ID] = link
	}
	x.Update(removed, nil)
	if !x.compact(1000) {
		t.Error("no segment was compacted")
	}
	for name, q := range map[string]Query{
		"a frequent tag":         {Where: []query.Predicate{{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{1}}}},
		"a rare tag":             {Where: []query.Predicate{{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{2}}}},
		"a tag of few links":     {Where: []query.Predicate{{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{3}}}},
		"all but a frequent tag": {Where: []query.Predicate{{Kind: query.Not, Parts: []query.Predicate{{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{1}}}}}},
		"a frequent text":        {Where: []query.Predicate{contains("7", "url")}},
		"a rare text":            {Where: []query.Predicate{contains("777", "url")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, by := range []waymark.SortField{waymark.SortByID, waymark.SortByCreatedAt, waymark.SortByTitle} {
				q := q
				q.Groups, q.Order, q.Pagination = [][]int64{{0, 1}}, waymark.Order{By: by, Desc: by != waymark.SortByTitle}, waymark.Pagination{Limit: waymark.NoLimit}
				want := m.find(q)
				for _, offset := range []int{0, 1, 24, 2400, want.Total / 4, want.Total / 2, want.Total * 3 / 4, want.Total - 25, want.Total - 1, want.Total, want.Total + 1} {
					q.Pagination = waymark.Pagination{Offset: max(0, offset), Limit: 24}
					page := want.IDs[min(q.Pagination.Offset, want.Total):min(q.Pagination.Offset+24, want.Total)]
					if got := x.Find(q); got.Total != want.Total || !slices.Equal(got.IDs, page) {
						t.Errorf("sorted by %v, from %d of %d on:\n got %v of %d\nwant %v", by, offset, want.Total, got.IDs, got.Total, page)
					}
				}
			}
		})
	}
}
