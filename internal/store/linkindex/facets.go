package linkindex

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// FacetQuery selects the links of Facets, and what is counted.
type FacetQuery struct {
	Query
	Limit int            // of lists, of tags, and of hosts
	Saved []waymark.Time // the first moments of periods, in order
}

// Facets are the numbers of the links of a query that have something in common. Lists, Tags and Hosts
// are those with most links; equal ones are sorted by id or name. Which lists and hosts have most links is decided
// without their sublists and subdomains.
type Facets struct {
	Total       int
	Lists, Tags []LabelCount // that the viewer sees
	Hosts       []waymark.HostCount
	Saved       []int // links saved in the periods; the first number is that of those before
}

// MaxFaceted is the maximum number of links that Facets counts. So many take 50 ms.
const MaxFaceted = 100_000

// Facets counts what the links of a query have in common, without regard to its order and pagination.
// If there are more than MaxFaceted, only Total is set.
func (x *Links) Facets(q FacetQuery) Facets {
	found := x.matching(q.Query)
	f := Facets{Total: found.len()}
	if f.Total == 0 || f.Total > MaxFaceted {
		return f
	}
	f.Saved = make([]int, len(q.Saved)+1)
	labels := make([]int, len(x.labels.all))
	hosts := map[string]int{}
	for at := range found.all(false) {
		l := &x.links[at]
		for n := range l.labels {
			labels[n]++
		}
		f.Saved[sort.Search(len(q.Saved), func(i int) bool { return q.Saved[i] > l.created })]++
		site := l.site()
		if site != "" && l.has(accented) { // shown as it was typed
			url := waymark.Fold(l.typed(typedURL))
			start, end := hostOf(url)
			site = strings.TrimPrefix(url[start:end], "www.")
		}
		if site != "" {
			hosts[site]++
		}
	}
	f.Lists, f.Tags = x.mostLabels(labels, query.ScopesOf(q.Viewer), q.Limit)
	t := x.tester(q.Query)
	isIn := make([]test, len(f.Lists)) // or in a list below it
	for i := range f.Lists {
		isIn[i] = t.labeled(waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{ID: f.Lists[i].ID}}})
		f.Lists[i].Links = 0
	}
	for at := range found.all(false) {
		for i := range isIn {
			if isIn[i](&x.links[at]) {
				f.Lists[i].Links++
			}
		}
	}
	slices.SortFunc(f.Lists, byMostLinks)
	f.Hosts = mostHosts(hosts, q.Limit)
	return f
}

// mostLabels returns the lists and the tags in some scopes with most links, from the numbers of links of each.
func (x *Links) mostLabels(counts []int, scopes []query.Scope, limit int) (lists, tags []LabelCount) {
	var most [2]best[LabelCount]
	for k := range most {
		most[k] = best[LabelCount]{max: limit, compare: byMostLinks}
	}
	for number, n := range counts {
		if l := &x.labels.all[number]; n > 0 && slices.Contains(scopes, l.Scope) {
			most[l.kind].add(LabelCount{l.id, n})
		}
	}
	return most[List].sorted(), most[Tag].sorted()
}

func byMostLinks(a, b LabelCount) int {
	return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(a.ID, b.ID))
}

// mostHosts returns the hosts with most links, with the links on their subdomains. counts are the links on
// each host alone.
func mostHosts(counts map[string]int, limit int) []waymark.HostCount {
	compare := func(a, b waymark.HostCount) int {
		return cmp.Or(cmp.Compare(b.Links, a.Links), strings.Compare(a.Host, b.Host))
	}
	found := best[waymark.HostCount]{max: limit, compare: compare}
	for host, n := range counts {
		found.add(waymark.HostCount{Host: host, Links: n})
	}
	most := found.sorted()
	for host, n := range counts {
		for i := range most {
			if parent, ok := strings.CutSuffix(host, most[i].Host); ok && strings.HasSuffix(parent, ".") {
				most[i].Links += n
			}
		}
	}
	slices.SortFunc(most, compare)
	return most
}
