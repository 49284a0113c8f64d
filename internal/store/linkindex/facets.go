package linkindex

import (
	"cmp"
	"slices"
	"sort"

	"waymark/internal/waymark"
)

// FacetQuery selects the links of Facets, and what is counted.
type FacetQuery struct {
	Query
	Limit int            // of lists, of tags, and of hosts
	Saved []waymark.Time // the first moments of periods, in order
}

// Facets are the numbers of the links of a query that have something in common. Lists, Tags and Hosts
// are those with most links; equal ones are sorted by id or name. Which hosts have most links is decided
// without their subdomains.
type Facets struct {
	Total       int
	Lists, Tags []LabelCount // that are in the scopes of the query
	Hosts       []waymark.HostCount
	Saved       []int // links saved in the periods; the first number is that of those before
}

// MaxFaceted is the number of links up to which Facets counts: reading a link takes about 20 ns.
const MaxFaceted = 100_000

// Facets counts what the links of a query have in common, without regard to its order and pagination.
// If there are more than MaxFaceted, only Total is set.
func (x *Index) Facets(q FacetQuery) Facets {
	var found []*matches
	var f Facets
	p := &preparing{index: x}
	scopes := slices.Concat(q.Groups...)
	for _, s := range x.existing(scopes) {
		m := x.match(s, p, q.Query)
		found = append(found, m)
		f.Total += m.total
	}
	if f.Total == 0 || f.Total > MaxFaceted {
		return f
	}
	c := faceting{labels: make([]uint32, len(x.labels.ids)), hosts: make([]uint32, len(x.hosts.names)), periods: q.Saved, saved: make([]int, len(q.Saved)+1)}
	for _, m := range found {
		for i, seg := range m.scope.segments {
			c.count(seg, m.in(i))
		}
	}
	f.Saved = c.saved
	for number, n := range c.labels {
		if n == 0 || !slices.Contains(scopes, x.labels.scopes[number]) {
			continue
		}
		into := &f.Lists
		if x.labels.kinds[number] == Tag {
			into = &f.Tags
		}
		*into = addMost(*into, LabelCount{x.labels.ids[number], int(n)}, q.Limit, func(a, b LabelCount) int {
			return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(a.ID, b.ID))
		})
	}
	f.Hosts = x.hosts.most(c.hosts, q.Limit)
	return f
}

// addMost adds a count to the first ones in an order, at most limit.
func addMost[C any](most []C, c C, limit int, compare func(a, b C) int) []C {
	if len(most) == limit {
		if limit == 0 || compare(most[limit-1], c) < 0 {
			return most
		}
		most = most[:limit-1]
	}
	at, _ := slices.BinarySearchFunc(most, c, compare)
	return slices.Insert(most, at, c)
}

// faceting counts the links of one query.
type faceting struct {
	labels  []uint32 // by number
	hosts   []uint32 // by number
	periods []waymark.Time
	saved   []int
}

// count counts links of a segment.
func (c *faceting) count(s *segment, links bitmap) {
	for position := range links.all() {
		for i := s.labelEnds.startOf(position); i < s.labelEnds.at(position); i++ {
			c.labels[s.labels.at(i)]++
		}
		at := waymark.Time(s.created.at(position))
		c.saved[sort.Search(len(c.periods), func(i int) bool { return c.periods[i] > at })]++
		c.hosts[s.hosts.at(position)]++
	}
}
