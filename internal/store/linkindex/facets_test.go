package linkindex

import (
	"reflect"
	"testing"

	"waymark/internal/waymark"
)

func TestFacetsCountWhatLinksHaveInCommon(t *testing.T) {
	x := NewLinks()
	x.SetLabels(List, map[int64]Label{1: {Owner: 1, Scope: 1, Name: "go"}, 2: {Owner: 2, Scope: 2, Name: "hidden"}, 3: {Owner: 1, Scope: 1, Name: "in go", Parent: 1}, 4: {Owner: 1, Scope: 1, Name: "in go, too", Parent: 3}})
	x.SetLabels(Tag, map[int64]Label{1: {Owner: 1, Scope: 1, Name: "db"}, 2: {Owner: 1, Scope: 1, Name: "web"}, 3: {Owner: 1, Scope: 1, Name: "rare"}})
	x.Update(nil, []Link{
		{ID: 1, Owner: 1, Scope: 1, CreatedAt: 5, URL: "https://www.github.com/a", Title: "one", Lists: []int64{1, 2}, Tags: []int64{1, 2}},
		{ID: 2, Owner: 1, Scope: 1, CreatedAt: 15, URL: "https://ann@github.com:8443/b", Title: "one", Lists: []int64{1}, Tags: []int64{2}},
		{ID: 3, Owner: 1, Scope: 1, CreatedAt: 25, URL: "https://gist.GitHub.com", Title: "one", Lists: []int64{4}, Tags: []int64{3}},
		{ID: 4, Owner: 1, Scope: 1, CreatedAt: 25, URL: "https://example.org/", Title: "two", Tags: []int64{3}},
		{ID: 5, Owner: 1, Scope: 1, CreatedAt: 26, URL: "magnet:?xt=1", Title: "one"},
		{ID: 6, Owner: 2, Scope: 2, CreatedAt: 26, URL: "https://example.org/", Title: "one"},
	})
	one := waymark.Contains{Text: "one", In: waymark.InTitle}
	got := x.Facets(FacetQuery{Query: Query{Viewer: 1, As: 1, Where: one}, Limit: 2, Saved: []waymark.Time{10, 20}})
	want := Facets{
		Total: 4, Lists: []LabelCount{{1, 3}, {4, 1}}, Tags: []LabelCount{{2, 2}, {1, 1}},
		Hosts: []waymark.HostCount{{Host: "github.com", Links: 3}, {Host: "gist.github.com", Links: 1}}, Saved: []int{1, 1, 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
