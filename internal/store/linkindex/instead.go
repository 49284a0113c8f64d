package linkindex

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Part is a condition that all links of a search satisfy, as in Query.
type Part struct {
	Where waymark.Condition
	Word  bool   // it is a word or phrase
	Text  string // of a waymark.Contains, or the name of an unknown list or tag, which may have a typing error; or ""
}

// Instead is a search that finds more than another one: without some of its parts, and with other texts in some.
type Instead struct {
	Without []int
	Texts   map[int]string // by part; several words have spaces between them
	Total   int
}

// searches finds searches in place of one that finds little, until a deadline.
type searches struct {
	links    *Links
	test     *tester
	parts    []Part
	total    int
	deadline time.Time

	masks []uint32       // by position: which parts a link satisfies; 0 for a link that does not satisfy base
	texts map[int]string // of the parts with a typing error
	all   uint32         // all parts
	found []Instead
}

const (
	// MaxParts is the number of parts up to which Instead looks for other searches.
	MaxParts = 30
	maxFound = 3
	// fewLinks is the number of links with which the text in place of a typing error counts half.
	fewLinks = 3
	// seen is a bit of the mask of each link that satisfies what all searches have in common.
	seen = 1 << 31
)

// Instead returns at most three searches that find more links than parts do, which find total, the best first. base is
// a condition of all of them. 18,000 links take 10 ms. Among more than MaxFaceted, it stops at a deadline.
func (x *Links) Instead(q Query, base waymark.Condition, parts []Part, total int, deadline time.Time) []Instead {
	if len(parts) > MaxParts {
		return nil
	}
	s := searches{links: x, test: x.tester(q), parts: parts, total: total, deadline: deadline, texts: map[int]string{}, all: 1<<len(parts) - 1}
	if x.Len() <= MaxFaceted {
		s.deadline = time.Now().Add(time.Hour)
	}
	s.masks = make([]uint32, len(x.links))
	common := s.test.query(base)
	tests := waymark.Map(parts, func(p Part) test { return s.test.of(p.Where) })
	if !s.mark(func(l *link) (mask uint32) {
		if !common(l) {
			return 0
		}
		for i, test := range tests {
			if test(l) {
				mask |= 1 << i
			}
		}
		return mask | seen
	}) {
		return nil
	}
	s.correct()
	s.leaveOut()
	return s.found
}

// mark sets the masks of all links. It returns false at the deadline.
func (s *searches) mark(maskOf func(l *link) uint32) bool {
	var late atomic.Bool
	eachPart(len(s.masks), func(_, from, to int) {
		for i := from; i < to; i++ {
			if i%1024 == 0 && time.Now().After(s.deadline) {
				late.Store(true)
				return
			}
			s.masks[i] = maskOf(&s.links.links[i])
		}
	})
	return !late.Load()
}

// count returns the number of links that satisfy some parts.
func (s *searches) count(parts uint32) (n int) {
	for _, mask := range s.masks {
		if mask&seen != 0 && mask&parts == parts {
			n++
		}
	}
	return n
}

// add adds the search with some of the parts if it finds more than was found.
func (s *searches) add(parts uint32, texts map[int]string) {
	in := Instead{Texts: map[int]string{}, Total: s.count(parts)}
	for i := range s.parts {
		if text, ok := texts[i]; parts&(1<<i) == 0 {
			in.Without = append(in.Without, i)
		} else if ok {
			in.Texts[i] = text
		}
	}
	same := func(other Instead) bool {
		return slices.Equal(other.Without, in.Without) && maps.Equal(other.Texts, in.Texts)
	}
	if parts != 0 && in.Total > s.total && len(s.found) < maxFound && !slices.ContainsFunc(s.found, same) {
		s.found = append(s.found, in)
	}
}

// correct looks for other texts of the parts that no link satisfies. If each part is satisfied alone, but not beside
// the others, it looks for another text of one of them.
func (s *searches) correct() {
	for i := range s.parts {
		if s.parts[i].Text != "" && s.count(1<<i) == 0 {
			s.replace(i, s.nearest(i, 0))
		}
	}
	if len(s.texts) > 0 {
		s.add(s.all, s.texts)
		return
	}
	for i := range s.parts {
		others := s.all &^ (1 << i)
		if s.total > 0 || s.parts[i].Text == "" || others == 0 || s.count(others) == 0 {
			continue
		}
		if text := s.nearest(i, bits.OnesCount32(others)); text != "" {
			before := slices.Clone(s.masks)
			s.replace(i, text)
			s.add(s.all, s.texts)
			s.masks = before
			delete(s.texts, i)
		}
	}
}

// replace sets another text of a part, "" for none.
func (s *searches) replace(i int, text string) {
	if text == "" {
		return
	}
	var where waymark.And
	switch c := s.parts[i].Where.(type) {
	case waymark.Contains:
		for word := range strings.FieldsSeq(text) {
			where = append(where, waymark.Contains{Text: word, In: c.In})
		}
	case waymark.Labeled:
		c.Refs = []waymark.Ref{{Name: text}}
		where = waymark.And{c}
	}
	test := s.test.of(where)
	for n := range s.masks {
		if s.masks[n]&seen != 0 && test(&s.links.links[n]) {
			s.masks[n] |= 1 << i
		}
	}
	s.texts[i] = text
}

// near is a text that differs little from another one.
type near struct {
	text            string
	distance, links int
}

// nearest returns the text that differs least from that of a part, in those links that satisfy most of the other parts,
// at least so many of them. Of equal ones, that of most links is returned; "" if there is none.
func (s *searches) nearest(i, atLeast int) string {
	w := newWanted(s.parts[i].Text)
	if w == nil {
		return ""
	}
	names := make([]string, len(s.links.labels.all)) // the near word in the name of a list or tag
	_, ofLabel := s.parts[i].Where.(waymark.Labeled)
	viewer := query.ScopesOf(s.test.viewer)
	for n := range names {
		l := &s.links.labels.all[n]
		if !slices.Contains(viewer, l.Scope) || ofLabel && l.kind != kindOf(s.parts[i].Where.(waymark.Labeled).Kind) {
			continue
		}
		if ofLabel {
			if w.distance(l.Name) <= w.most {
				names[n] = l.Name
			}
			continue
		}
		w.find(l.Name, func(word string, _ int) { names[n] = word })
	}
	var best *near
	for others := bits.OnesCount32(s.all) - 1; others >= atLeast && best == nil; others-- {
		found := map[string]*near{}
		var here []near
		add := func(word string, distance int) {
			if !slices.ContainsFunc(here, func(other near) bool { return other.text == word }) {
				here = append(here, near{word, distance, 0})
			}
		}
		for n, mask := range s.masks {
			if mask&seen == 0 || bits.OnesCount32(mask&s.all&^(1<<i)) != others {
				continue
			}
			if n%1024 == 0 && time.Now().After(s.deadline) {
				return ""
			}
			l := &s.links.links[n]
			here = here[:0]
			if !ofLabel {
				w.find(l.texts(), add)
			}
			for label := range l.labels {
				if name := names[label]; name != "" {
					add(name, w.distance(name))
				}
			}
			for _, word := range here {
				if found[word.text] == nil {
					found[word.text] = &near{word.text, word.distance, 0}
				}
				found[word.text].links++
			}
		}
		for _, word := range found {
			if best == nil || cmp.Or(cmp.Compare(word.distance, best.distance), cmp.Compare(best.links, word.links), strings.Compare(word.text, best.text)) < 0 {
				best = word
			}
		}
	}
	if best == nil {
		return ""
	}
	return best.text
}

// leaveOut adds searches without words, and then without one of the other parts. Those whose best link has most come
// first: a rare word counts more than one that stands in most links, and a whole word more than a part of another one.
func (s *searches) leaveOut() {
	var words uint32
	rarity := make([]float64, len(s.parts))
	ranked := make(ranking, len(s.parts))
	for i, part := range s.parts {
		if part.Word {
			words |= 1 << i
		}
		n := float64(s.count(1 << i))
		rarity[i] = -math.Log((n + 1) / float64(len(s.masks)+1))
		if s.texts[i] != "" {
			rarity[i] *= n / (n + fewLinks) // a text that few links have is less likely to be what was meant
		}
		if c, ok := part.Where.(waymark.Contains); ok {
			ranked[i] = s.links.ranking([]Word{{Text: c.Text}})[0]
		}
	}
	best := map[uint32]float64{} // by parts: how much of them one link has
	for n, mask := range s.masks {
		chips, has := s.all&^words, mask&s.all
		if mask&seen == 0 || has&chips != chips || has&words == 0 || has == s.all {
			continue
		}
		if n%1024 == 0 && time.Now().After(s.deadline) {
			return
		}
		var most, sum float64
		for i := range s.parts {
			if has&(1<<i) != 0 {
				most += rarity[i]
			}
		}
		if most <= best[has] {
			continue
		}
		l := &s.links.links[n]
		for i := range s.parts {
			if has&(1<<i) != 0 {
				sum += rarity[i] * ranked[i].share(l)
			}
		}
		best[has] = max(best[has], sum)
	}
	kept := slices.SortedFunc(maps.Keys(best), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(a, b))
	})
	kept = slices.DeleteFunc(kept, func(mask uint32) bool { return best[mask] < best[kept[0]]/2 })
	for common := words; len(kept) > 0 && len(s.found) < maxFound; {
		// The next one leaves out a word that all before it have, if there is such a one.
		i := max(0, slices.IndexFunc(kept, func(mask uint32) bool { return mask&common != common }))
		s.add(kept[i], s.texts)
		common &= kept[i]
		kept = slices.Delete(kept, i, i+1)
	}
	for i := range s.parts {
		if words&(1<<i) == 0 {
			s.add(s.all&^(1<<i), s.texts)
		}
	}
}

// share returns how much it counts that a link has a word that is searched for: 1 for a whole word.
func (w *rankedWord) share(l *link) float64 {
	title, _ := w.find(l.title(), l)
	texts, _ := w.find(l.texts(), nil)
	switch max(title, texts) {
	case asWhole, asCapital:
		return 1
	case asStart:
		return 0.6
	}
	return 0.3 // also in a name of a list or tag
}

// wanted is a word that may have a typing error: one letter is missing, is too many or is another one, or two are
// swapped. A word of eight letters or more may have two errors.
type wanted struct {
	text       string
	word       []rune // its letters
	begin, end string // the letters before and after an error in the middle: one of them is intact
	most       int    // errors
	rows       [3][]int
}

// minWanted and maxWanted are the numbers of letters of a word that may have an error.
const (
	minWanted = 4
	maxWanted = 40
)

func newWanted(text string) *wanted {
	w := &wanted{text: text, word: []rune(text), most: 1}
	n := len(w.word)
	if n < minWanted || n > maxWanted || slices.ContainsFunc(w.word, func(r rune) bool { return !separated(r) && r != ' ' && r != '-' }) {
		return nil
	}
	if n >= 8 {
		w.most = 2
	}
	w.begin, w.end = string(w.word[:max(2, n/2-1)]), string(w.word[min(n-2, n/2+1):])
	for i := range w.rows {
		w.rows[i] = make([]int, n+1)
	}
	return w
}

// find calls use for the words of a text that differ little, and for words one after the other that are the wanted one
// without the spaces.
func (w *wanted) find(text string, use func(word string, distance int)) {
	for _, part := range []string{w.begin, w.end} {
		for from := 0; ; {
			at := strings.Index(text[from:], part)
			if at < 0 {
				break
			}
			begin, end := from+at, from+at+len(part)
			from = begin + 1
			if part == w.begin {
				if r, _ := utf8.DecodeLastRuneInString(text[:begin]); begin > 0 && separated(r) {
					continue
				}
				if words := w.joined(text[begin:]); words != "" {
					use(words, 1)
					continue
				}
			} else if r, _ := utf8.DecodeRuneInString(text[end:]); end < len(text) && separated(r) {
				continue
			}
			for r, size := utf8.DecodeLastRuneInString(text[:begin]); begin > 0 && separated(r); r, size = utf8.DecodeLastRuneInString(text[:begin]) {
				begin -= size
			}
			for r, size := utf8.DecodeRuneInString(text[end:]); end < len(text) && separated(r); r, size = utf8.DecodeRuneInString(text[end:]) {
				end += size
			}
			if distance := w.distance(text[begin:end]); distance <= w.most {
				use(text[begin:end], distance)
			}
		}
	}
}

// joined returns the words at the beginning of a text that are the wanted one without the spaces, "" for none.
func (w *wanted) joined(text string) string {
	next, gap, end := 0, 0, len(text)
	spaced := false
	for at, r := range text {
		if next == len(w.word) {
			if separated(r) {
				return ""
			}
			end = at
			break
		}
		switch {
		case r == w.word[next]:
			next, spaced, gap = next+1, spaced || gap > 0, 0
		case separated(r) || gap == nearGap:
			return ""
		default:
			gap++
		}
	}
	if next < len(w.word) || !spaced {
		return ""
	}
	return strings.Join(strings.FieldsFunc(text[:end], func(r rune) bool { return !separated(r) }), " ")
}

// distance returns the number of errors between the wanted word and another one, or more than are allowed.
func (w *wanted) distance(text string) int {
	n := utf8.RuneCountInString(text)
	if plural, ok := strings.CutSuffix(text, "ies"); ok && plural+"y" == w.text {
		return 1
	} else if singular, ok := strings.CutSuffix(text, "y"); ok && singular+"ies" == w.text {
		return 1
	}
	if n < len(w.word)-w.most || n > len(w.word)+w.most {
		return w.most + 1
	}
	before, last, row := w.rows[0], w.rows[1], w.rows[2]
	for j := range last {
		last[j] = j
	}
	var previous rune
	i := 0
	for _, r := range text {
		row[0] = i + 1
		for j, letter := range w.word {
			cost := 1
			if r == letter {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && r == w.word[j-1] && previous == letter {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		previous = r
		before, last, row = last, row, before
		i++
	}
	return last[len(w.word)]
}
