package linkindex

import (
	"fmt"
	"slices"

	"waymark/internal/waymark"
)

// Query selects links and a part of them.
type Query struct {
	// Groups are the scopes to search in. The groups follow each other, in reverse if the order is
	// descending. For an order by visibility, each scope is a group, and Order sorts the links of a
	// group by id.
	Groups [][]int64

	Texts         []Text              // the link must satisfy all of them
	Owner         int64               // of the link; 0 for any
	CreatedFrom   waymark.Time        // the link was created at this time or later; 0 for no bound
	CreatedBefore waymark.Time        // the link was created before this time; 0 for no bound
	BrokenOnly    bool                // the status is not waymark.StatusOK
	CheckResult   waymark.CheckResult // waymark.CheckNone for any
	Flags         FlagFilter
	Lists, Tags   LabelFilter

	Order      waymark.Order
	Pagination waymark.Pagination

	// Words are what waymark.SortByRelevance sorts by. They are no condition.
	Words []Word
}

// Text is a condition on the texts of a link: either at least one of them contains a text, or none
// does.
type Text struct {
	Text          string // folded, not empty; it is searched for in the URL
	InTitle       bool   // and in the title
	InDescription bool   // and in the description
	Not           bool   // none of these contains it

	// SnapshotQuery is the query that found Snapshots; empty if snapshots of pages are not searched.
	SnapshotQuery string
	// Snapshots are the ids of links whose snapshot of the page satisfies the condition.
	Snapshots []int64
}

// FlagFilter is a condition on the flags that the owner of a link sets. The zero value stands for any.
type FlagFilter struct{ compared, wanted uint16 }

// Add adds the condition that a flag has a value.
func (f *FlagFilter) Add(v waymark.FlagValue) {
	f.compared |= ownerFlag(v.Flag)
	if v.On {
		f.wanted |= ownerFlag(v.Flag)
	}
}

// Key returns a key for a cache: queries with the same key have the same result until links or
// snapshots change.
func (q Query) Key() string {
	q.Texts = slices.Clone(q.Texts)
	for i := range q.Texts {
		q.Texts[i].Snapshots = nil // SnapshotQuery says which
	}
	return fmt.Sprintf("%+v", q)
}

// LabelFilter is a condition on the lists, or on the tags, of a link.
type LabelFilter struct {
	Any  []int64 // at least one of these, unless empty
	All  []int64 // all of these, each once
	None []int64 // none of these
	// NoneVisible requires that the link has no list or tag in the scopes VisibleScopes.
	NoneVisible   bool
	VisibleScopes []int64
}

// Result is the result of a Query.
type Result struct {
	Total int     // the number of links that satisfy the query
	IDs   []int64 // the ids that the pagination selects, in order
}

// Find returns the links that satisfy a query.
func (x *Index) Find(q Query) Result {
	if q.Order.By == waymark.SortByRelevance && len(q.Words) == 0 {
		q.Order = newestFirst
	}
	if q.Order.By == waymark.SortByVisibility || q.Order.By == waymark.SortByPrivate {
		q.Order.By = waymark.SortByID // within a group
	}
	var found [][]*matches
	total := 0
	for _, scopes := range q.Groups {
		var group []*matches
		for _, s := range x.existing(scopes) {
			if m := x.match(s, q); m.total > 0 {
				group = append(group, m)
				total += m.total
			}
		}
		found = append(found, group)
	}
	offset, limit := min(q.Pagination.Offset, total), total-min(q.Pagination.Offset, total)
	if q.Pagination.Limit != waymark.NoLimit {
		limit = min(limit, q.Pagination.Limit)
	}
	result := Result{Total: total}
	if q.Order.By == waymark.SortByRelevance {
		result.IDs = x.bestMatches(slices.Concat(found...), total, q.Words, offset, offset+limit)
		return result
	}
	if q.Order.Desc {
		slices.Reverse(found)
	}
	start := 0 // of the group in the whole listing
	for _, group := range found {
		n := 0
		for _, m := range group {
			n += m.total
		}
		from, to := max(offset-start, 0), min(offset+limit-start, n)
		if from < to {
			result.IDs = window(result.IDs, group, n, q.Order, from, to)
		}
		start += n
	}
	return result
}

// Count returns the number of links that satisfy a query, without regard to its order and
// pagination.
func (x *Index) Count(q Query) int {
	total := 0
	for _, s := range x.existing(slices.Concat(q.Groups...)) {
		total += x.match(s, q).total
	}
	return total
}

// matches are the links of a scope that satisfy a query.
type matches struct {
	scope    *scope
	all      bool     // all links of the scope satisfy it
	segments []bitmap // by segment, unless all is set
	total    int

	// label is the condition if the query consists only of a condition on one list or tag. The
	// number of its links is known, so a segment is searched only when its bitmap is needed; until
	// then the bitmap is nil.
	label *condition
}

// match finds the links of a scope that satisfy a query.
func (x *Index) match(s *scope, q Query) *matches {
	m := &matches{scope: s}
	q.Texts = needed(q.Texts)
	conditions := slices.Concat(x.conditions(List, q.Lists), x.conditions(Tag, q.Tags))
	onlyLabels := len(q.Texts) == 0 && q.Owner == 0 && q.CreatedFrom == 0 && q.CreatedBefore == 0 && !q.BrokenOnly && q.CheckResult == waymark.CheckNone && q.Flags == FlagFilter{}
	if onlyLabels && len(conditions) == 0 {
		m.all, m.total = true, s.live
		return m
	}
	m.segments = make([]bitmap, len(s.segments))
	if onlyLabels && len(conditions) == 1 {
		if label, ok := conditions[0].labels.only(); ok {
			m.label, m.total = &conditions[0], s.labeled.of(uint32(label))
			if m.label.not {
				m.total = s.live - m.total
			}
			return m
		}
	}
	snapshots := make([][]bitmap, len(q.Texts)) // by text and segment
	for i, t := range q.Texts {
		if len(t.Snapshots) > 0 {
			snapshots[i] = x.located(s, t.Snapshots)
		}
	}
	for i := range s.segments {
		var n int
		m.segments[i], n = s.segments[i].match(&q, conditions, func(text int) bitmap {
			if snapshots[text] == nil {
				return nil
			}
			return snapshots[text][i]
		})
		m.total += n
	}
	return m
}

// in returns the matches in a segment.
func (m *matches) in(segment int) bitmap {
	if m.all {
		return m.scope.segments[segment].alive
	}
	if m.segments[segment] == nil {
		m.segments[segment], _ = m.scope.segments[segment].match(&Query{}, []condition{*m.label}, nil)
	}
	return m.segments[segment]
}

// located returns which links of a scope have some ids, by segment.
func (x *Index) located(s *scope, ids []int64) []bitmap {
	found := make([]bitmap, len(s.segments))
	for i, seg := range s.segments {
		found[i] = newBitmap(seg.len())
	}
	for _, id := range ids {
		if at, ok := x.locationOf(id); ok && x.scopes[at.scope-1] == s {
			found[at.segment()].set(at.position())
		}
	}
	return found
}

// match returns the links of the segment that satisfy a query with conditions on the lists and
// tags, and their number. snapshots returns the links whose snapshot of the page satisfies a text.
func (s *segment) match(q *Query, conditions []condition, snapshots func(text int) bitmap) (bitmap, int) {
	found, n := slices.Clone(s.alive), s.len()-s.dead
	if q.Owner != 0 {
		n = found.keep(func(position int) bool { return s.owners.at(position) == q.Owner })
	}
	if q.CreatedFrom != 0 {
		n = found.keep(func(position int) bool { return s.created.at(position) >= int64(q.CreatedFrom) })
	}
	if q.CreatedBefore != 0 {
		n = found.keep(func(position int) bool { return s.created.at(position) < int64(q.CreatedBefore) })
	}
	if q.BrokenOnly {
		n = found.keep(func(position int) bool { return s.status(position) != waymark.StatusOK })
	}
	if q.CheckResult != waymark.CheckNone {
		n = found.keep(func(position int) bool { return s.result(position) == q.CheckResult })
	}
	if f := q.Flags; f.compared != 0 {
		n = found.keep(func(position int) bool { return s.flags[position]&f.compared == f.wanted })
	}
	n = s.keepTexts(found, n, q.Texts, snapshots)
	for _, c := range conditions {
		switch {
		case n < s.len()/8 || c.atLeast > 1:
			n = found.keep(func(position int) bool { return s.satisfies(position, &c) })
		case c.not:
			n = found.andNot(s.labeled(c.labels))
		default:
			n = found.and(s.labeled(c.labels))
		}
	}
	return found, n
}

// condition is a condition on the lists and tags of a link: the link has at least a number of the
// lists and tags in a set, or it does not.
type condition struct {
	labels  bitmap
	atLeast int
	not     bool
}

// satisfies reports whether a link satisfies a condition on its lists and tags.
func (s *segment) satisfies(position int, c *condition) bool {
	return (s.labelCount(position, c.labels) >= c.atLeast) != c.not
}

func (x *Index) conditions(k Kind, f LabelFilter) (conditions []condition) {
	if len(f.Any) > 0 {
		conditions = append(conditions, condition{labels: x.labels.numbered(k, f.Any), atLeast: 1})
	}
	if len(f.All) > 0 {
		// The first condition leaves few links, on which the others are tested.
		conditions = append(conditions,
			condition{labels: x.labels.numbered(k, f.All[:1]), atLeast: 1},
			condition{labels: x.labels.numbered(k, f.All), atLeast: len(f.All)})
	}
	if len(f.None) > 0 {
		conditions = append(conditions, condition{labels: x.labels.numbered(k, f.None), atLeast: 1, not: true})
	}
	if f.NoneVisible {
		conditions = append(conditions, condition{labels: x.labels.visible(k, f.VisibleScopes), atLeast: 1, not: true})
	}
	return conditions
}

// costOfLabels is the time to read the lists and tags of one link. The unit is the time per link if
// all links of a segment are read.
const costOfLabels = 4
