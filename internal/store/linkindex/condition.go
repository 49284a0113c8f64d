package linkindex

import (
	"bytes"
	"cmp"
	"slices"

	"waymark/internal/store/query"
)

// condition is a condition on the links of one scope, prepared for its segments.
type condition interface {
	// keep removes the links of a segment that do not satisfy the condition from found, and returns how
	// many are left. n is the number before, at the position of the segment in the scope.
	keep(at int, s *segment, found bitmap, n int) int
	// cost is about the time of keep, in nanoseconds. It only decides which condition is first.
	cost(s *segment, n int) int
}

// allOf is that all conditions are satisfied.
type allOf []condition

// keep begins with the conditions that take the least time: they leave fewer links for the others.
// What is negated leaves most of them.
func (all allOf) keep(at int, s *segment, found bitmap, n int) int {
	if len(all) == 1 {
		return all[0].keep(at, s, found, n)
	}
	type ranked struct {
		condition
		negated bool
		cost    int
	}
	conditions := make([]ranked, len(all))
	for i, c := range all {
		_, negated := c.(negation)
		conditions[i] = ranked{c, negated, c.cost(s, n)}
	}
	slices.SortStableFunc(conditions, func(a, b ranked) int {
		if a.negated != b.negated {
			if a.negated {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.cost, b.cost)
	})
	for _, c := range conditions {
		if n == 0 {
			return 0
		}
		n = c.keep(at, s, found, n)
	}
	return n
}

func (all allOf) cost(s *segment, n int) int { return costOf(all, s, n) }

func costOf(conditions []condition, s *segment, n int) (sum int) {
	for _, c := range conditions {
		sum += c.cost(s, n)
	}
	return sum
}

// anyOf is that at least one condition is satisfied.
type anyOf []condition

// keep tests each condition on the links that do not satisfy those before it.
func (any anyOf) keep(at int, s *segment, found bitmap, n int) int {
	rest := slices.Clone(found)
	for _, c := range any {
		if n == 0 {
			break
		}
		matching := slices.Clone(rest)
		c.keep(at, s, matching, n)
		n = rest.andNot(matching)
	}
	return found.andNot(rest)
}

func (any anyOf) cost(s *segment, n int) int { return costOf(any, s, n) }

// negation is that a condition is not satisfied.
type negation struct{ condition }

func (c negation) keep(at int, s *segment, found bitmap, n int) int {
	matching := slices.Clone(found)
	c.condition.keep(at, s, matching, n)
	return found.andNot(matching)
}

// linkTest is a quick condition on a link. It returns the condition for those of a segment.
type linkTest func(s *segment) func(position int) bool

func (test linkTest) keep(_ int, s *segment, found bitmap, _ int) int { return found.keep(test(s)) }

func (linkTest) cost(_ *segment, n int) int { return 4 * n }

// located is the condition that a link is one of some, by segment.
type located []bitmap

func (l located) keep(at int, _ *segment, found bitmap, _ int) int { return found.and(l[at]) }

func (located) cost(s *segment, _ int) int { return s.len() / 64 }

// labeling is the condition that a link has at least a number of the lists and tags in a set.
type labeling struct {
	labels  bitmap
	atLeast int
}

// satisfies reports whether a link satisfies the condition.
func (l labeling) satisfies(s *segment, position int) bool {
	return s.labelCount(position, l.labels) >= l.atLeast
}

func (l labeling) keep(_ int, s *segment, found bitmap, n int) int {
	if n < s.len()/8 || l.atLeast > 1 {
		return found.keep(func(position int) bool { return l.satisfies(s, position) })
	}
	return found.and(s.labeled(l.labels))
}

func (l labeling) cost(s *segment, n int) int {
	if only, ok := l.labels.only(); ok && s.frequent[uint32(only)] != nil {
		return s.len() / 64
	}
	return min(s.labels.len(), 16*n)
}

// textTest is the condition that one of the texts of a link contains a text.
type textTest struct {
	text   []byte
	fields []int
}

// timeOfTest is about the time of looking for a text in one text of one link, in nanoseconds.
const timeOfTest = 16

// times estimates how long it takes to read the texts of all links, and of one link.
func (t textTest) times(s *segment) (all, each int) {
	size := 0
	for _, field := range t.fields {
		texts := &s.texts[field]
		time, _ := texts.findTime(t.text)
		all += time
		size += len(texts.data)
	}
	return all, len(t.fields)*timeOfTest + size/s.len()/byteSpeed
}

func (t textTest) keep(_ int, s *segment, found bitmap, n int) int {
	if all, each := t.times(s); n*each < all {
		return found.keep(func(position int) bool { return s.contains(position, t.text, t.fields) })
	}
	return found.and(s.containing(t.text, t.fields))
}

func (t textTest) cost(s *segment, n int) int {
	all, each := t.times(s)
	return min(all, n*each)
}

// contains reports whether a link has a text in one of the fields.
func (s *segment) contains(position int, text []byte, fields []int) bool {
	for _, field := range fields {
		if bytes.Contains(s.texts[field].record(position), text) {
			return true
		}
	}
	return false
}

// siteTest is the condition that the host of a link is one, or a subdomain of it.
type siteTest struct{ textTest }

func newSiteTest(host string) siteTest { return siteTest{textTest{[]byte(host), []int{urlText}}} }

func (t siteTest) keep(at int, s *segment, found bitmap, n int) int {
	if n = t.textTest.keep(at, s, found, n); n == 0 {
		return 0
	}
	host := string(t.text)
	return found.keep(func(position int) bool { return query.HostMatches(s.folded(urlText, position), host) })
}
