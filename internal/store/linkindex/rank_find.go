package linkindex

import (
	"cmp"
	"slices"

	"waymark/internal/waymark"
)

// newestFirst is the order of links with the same score, and of those without one.
var newestFirst = waymark.Order{By: waymark.SortByCreatedAt, Desc: true}

// maxRanked is the maximum number of links that are sorted by relevance, which takes some milliseconds. A word
// that more links have says little about each of them: they are sorted from the newest to the oldest.
const maxRanked = 250_000

// bestMatches returns the ids of the links from one position to another in the order by relevance.
// found are all links that a query with words finds.
func (x *Index) bestMatches(found []*matches, words []Word, from, to int) []int64 {
	ranked := x.ranking(words)
	best := bestOf{max: to}
	for _, m := range found {
		for i, seg := range m.scope.segments {
			for position := range m.in(i).all() {
				if score := ranked.score(seg, position, best.worst.score); score >= best.worst.score {
					best.add(scored{score, seg.created.at(position), seg.ids.at(position)})
				}
			}
		}
	}
	best.cut()
	ids := make([]int64, 0, to-from)
	for _, l := range best.links[min(from, len(best.links)):] {
		ids = append(ids, l.id)
	}
	return ids
}

// scored is a link with its score.
type scored struct {
	score   int
	created int64
	id      int64
}

// compareScored compares two links: the better one is less.
func compareScored(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.created, a.created), cmp.Compare(b.id, a.id))
}

// bestOf keeps the best of the links that are added to it.
type bestOf struct {
	max   int      // how many are kept
	links []scored // up to twice as many
	worst scored   // if full, only a link before this one is among the best
	full  bool
}

func (b *bestOf) add(l scored) {
	if b.full && compareScored(l, b.worst) > 0 {
		return
	}
	b.links = append(b.links, l)
	if len(b.links) >= 2*b.max {
		b.cut()
	}
}

// cut sorts the links and leaves only the best.
func (b *bestOf) cut() {
	slices.SortFunc(b.links, compareScored)
	if b.max > 0 && len(b.links) >= b.max {
		b.links = b.links[:b.max]
		b.worst, b.full = b.links[b.max-1], true
	}
}
