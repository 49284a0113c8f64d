package linkindex

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

func TestFacetsCountWhatLinksHaveInCommon(t *testing.T) {
	x := New()
	x.SetLabels(List, map[int64]Label{1: {Owner: 1, Scope: 1, Name: "go"}, 2: {Owner: 2, Scope: 2, Name: "hidden"}})
	x.SetLabels(Tag, map[int64]Label{1: {Owner: 1, Scope: 1, Name: "db"}, 2: {Owner: 1, Scope: 1, Name: "web"}, 3: {Owner: 1, Scope: 1, Name: "rare"}})
	x.Update(nil, []Link{
		{ID: 1, Owner: 1, Scope: 1, CreatedAt: 5, URL: "https://www.github.com/a", Title: "one", Lists: []int64{1, 2}, Tags: []int64{1, 2}},
		{ID: 2, Owner: 1, Scope: 1, CreatedAt: 15, URL: "https://ann@github.com:8443/b", Title: "one", Lists: []int64{1}, Tags: []int64{2}},
		{ID: 3, Owner: 1, Scope: 1, CreatedAt: 25, URL: "https://gist.GitHub.com", Title: "one", Tags: []int64{3}},
		{ID: 4, Owner: 1, Scope: 1, CreatedAt: 25, URL: "https://example.org/", Title: "two", Tags: []int64{3}},
		{ID: 5, Owner: 1, Scope: 1, CreatedAt: 26, URL: "magnet:?xt=1", Title: "one"},
		{ID: 6, Owner: 2, Scope: 2, CreatedAt: 26, URL: "https://example.org/", Title: "one"},
	})
	one := query.Predicate{Kind: query.ContainsText, Text: query.TextPredicate{Text: "one", Columns: []string{"title"}}}
	got := x.Facets(FacetQuery{Query: Query{Groups: [][]int64{{1}}, Where: []query.Predicate{one}}, Limit: 2, Saved: []waymark.Time{10, 20}})
	want := Facets{
		Total: 4, Lists: []LabelCount{{1, 2}}, Tags: []LabelCount{{2, 2}, {1, 1}},
		Hosts: []waymark.HostCount{{Host: "github.com", Links: 3}, {Host: "gist.github.com", Links: 1}}, Saved: []int{1, 1, 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// BenchmarkFacets counts the facets of all links and of those with a frequent word. Each link has two
// lists and tags, and there are more than 10,000 hosts.
func BenchmarkFacets(b *testing.B) {
	x := New()
	labels := map[int64]Label{}
	for id := range int64(1000) {
		labels[id] = Label{Owner: 1, Scope: 1, Name: fmt.Sprint(id)}
	}
	x.SetLabels(List, labels)
	x.SetLabels(Tag, labels)
	var links []Link
	for i := range int64(MaxFaceted) {
		links = append(links, Link{
			ID: i, Owner: 1, Scope: 1, CreatedAt: waymark.Time(i * 1000), URL: fmt.Sprintf("https://host%d.example/%s", i*i%20_011, strings.Repeat("p", int(i%60))),
			Title: fmt.Sprintf("title %d", i%10), Lists: []int64{i % 100, i % 7}, Tags: []int64{i % 1000, i % 13},
		})
	}
	x.Update(nil, links)
	x.Clip()
	periods := make([]waymark.Time, 12)
	for i := range periods {
		periods[i] = waymark.Time(i * MaxFaceted * 80)
	}
	for _, text := range []string{"", "1"} {
		q := FacetQuery{Query: Query{Groups: [][]int64{{1}}}, Limit: 6, Saved: periods}
		if text != "" {
			q.Where = []query.Predicate{{Kind: query.ContainsText, Text: query.TextPredicate{Text: text, Columns: []string{"title"}}}}
		}
		b.Run(fmt.Sprintf("links=%d", x.Facets(q).Total), func(b *testing.B) {
			for b.Loop() {
				x.Facets(q)
			}
		})
	}
}
