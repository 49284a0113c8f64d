package linkindex

import (
	"cmp"
	"slices"

	"waymark/internal/waymark"
)

// newestFirst is the order of links with the same score.
var newestFirst = waymark.Order{By: waymark.SortByCreatedAt, Desc: true}

// maxScored is the maximum number of links that are all scored, which takes about a millisecond. If a
// query finds more, only those are scored in whose title a word begins with one of the words, or is
// equal to it if it is as short as shortWord. All others follow, the newest first.
const maxScored = 5_000

// shortWord is the length of a word with which too many words begin, in bytes.
const shortWord = 2

// bestMatches returns the ids of the links from one position to another in the order by relevance.
// found are all links that a query with words finds, which are total links.
func (x *Index) bestMatches(found []*matches, total int, words []Word, from, to int) []int64 {
	ranked := x.rankedWords(words)
	var rest []*matches
	n := total // the number of links that are scored
	if total > maxScored {
		found, rest, n = splitByTitle(found, ranked)
	}
	best := bestOf{max: min(to, n)}
	for _, m := range found {
		for i, seg := range m.scope.segments {
			for position := range m.in(i).all() {
				if score := seg.score(position, ranked, best.worst.score); score >= best.worst.score {
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
	if to > n {
		ids = window(ids, rest, total-n, newestFirst, max(from-n, 0), to-n)
	}
	return ids
}

// splitByTitle splits matches into those with one of the words in their title, as maxScored says,
// which are n links, and the others.
func splitByTitle(found []*matches, words []rankedWord) (titled, others []*matches, n int) {
	for _, m := range found {
		in, out := &matches{scope: m.scope}, &matches{scope: m.scope}
		for i, seg := range m.scope.segments {
			begun := newBitmap(seg.len())
			titles := &seg.texts[titleText]
			for _, w := range words {
				least := asStart
				if len(w.text) <= shortWord {
					least = asWhole
				}
				titles.findWhere(w.text, begun, func(at int) bool { return w.foundAt(titles.data, at) >= least })
			}
			in.total += begun.and(m.in(i))
			left := slices.Clone(m.in(i))
			out.total += left.andNot(begun)
			in.segments, out.segments = append(in.segments, begun), append(out.segments, left)
		}
		n += in.total
		titled = append(titled, in)
		if out.total > 0 {
			others = append(others, out)
		}
	}
	return titled, others, n
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
