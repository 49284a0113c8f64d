package linkindex

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// Word is a word of a search. The order by relevance depends on where a link has it.
type Word struct {
	Text   string  // see waymark.Plain, not empty
	Folded string  // with its accents
	Tags   []int64 // the tags with exactly this name
}

// fieldPoints are the points of a word that a field of a link has. The order by relevance sorts links by their
// score, and then the newest first. The score is the sum of points for each word: all points in the field
// where the word counts most, and an eighth of the points in the others. A word has points for how it is
// found, and unless it is only a part of a word, points for the share of the field that it covers. So a title
// that is nothing but the word comes first. A description begins with what a page is: a whole word there has
// points for the share of the text up to its end. In a title, a capital letter begins a word, too: GoBooks has
// the words go and books.
//
// docs/decisions/0025-best-match.md has the reasons and figures.
var fieldPoints = [...]struct{ part, start, capital, whole, share int }{
	inTitle:       {part: 5, start: 10, capital: 14, whole: 16, share: 16},
	inHost:        {part: 2, start: 8, whole: 12, share: 12},
	inPath:        {part: 1, start: 4, whole: 8, share: 4},
	inDescription: {part: 1, start: 4, whole: 6, share: 8},
}

const (
	tagPoints   = 12 // for a tag with the name of the word
	firstPoints = 4  // if the title begins with the first word
	nearPoints  = 28 // if the words follow each other in the title, also as parts of one word
	allPoints   = 24 // if each of several words is a whole word somewhere
	homePoints  = 5  // for a home page; the longer the path, the fewer, and none from maxPath bytes on
	maxPath     = 100

	// scoreUnit is a point: shares of points count, too.
	scoreUnit = 64
	// otherFields is the divisor of the points of the fields in which a word does not count most.
	otherFields = 8
	// nearGap is the maximum number of bytes between two words that follow each other.
	nearGap = 3
)

// The fields in which a word is looked for.
const (
	inTitle = iota
	inHost
	inPath
	inDescription
)

// ranking are the words of one search.
type ranking []rankedWord

// rankedWord is a Word of one search.
type rankedWord struct {
	text, folded string   // see Word
	begins, ends bool     // its first or last letter is in a word: where the text is, a word must begin or end
	tags         labelSet // nil for none
}

// ranking returns the ranking by the first waymark.MaxWords of the words.
func (x *Links) ranking(words []Word) ranking {
	words = words[:min(len(words), waymark.MaxWords)]
	r := make(ranking, len(words))
	for i, w := range words {
		first, _ := utf8.DecodeRuneInString(w.Text)
		last, _ := utf8.DecodeLastRuneInString(w.Text)
		r[i] = rankedWord{text: w.Text, folded: w.Folded, begins: separated(first), ends: separated(last)}
		if len(w.Tags) > 0 {
			r[i].tags = make(labelSet, len(x.labels.all))
			x.labels.add(r[i].tags, Tag, w.Tags...)
		}
	}
	return r
}

// separated reports whether a character is in a word that ends where the next character is of
// another kind. In scripts that do not separate words, each letter counts as a word.
func separated(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !waymark.BeginsAnywhere(r)
}

// foundAs is how well a word is found in a text.
type foundAs uint8

const (
	notFound  foundAs = iota
	asPart            // of a word
	asStart           // of a word
	asCapital         // between capital letters: a word of a name like GoBooks
	asWhole
)

// find returns how well a text has the word, and the first place where it has it so well. titled is the link whose
// title the text is, or nil.
func (w *rankedWord) find(text string, titled *link) (best foundAs, at int) {
	for from := 0; ; {
		i := strings.Index(text[from:], w.text)
		if i < 0 {
			return best, at
		}
		i += from
		if found := w.foundAt(text, titled, i); found > best {
			best, at = found, i
		}
		if best == asWhole {
			return best, at
		}
		from = i + 1
	}
}

// foundAt returns how well the word is found at a place of a text.
func (w *rankedWord) foundAt(text string, titled *link, at int) foundAs {
	found := asWhole
	if w.begins && at > 0 {
		if r, _ := utf8.DecodeLastRuneInString(text[:at]); separated(r) {
			if titled == nil || !titled.capitalAt(at) {
				return asPart
			}
			found = asCapital
		}
	}
	if end := at + len(w.text); w.ends && end < len(text) {
		if r, _ := utf8.DecodeRuneInString(text[end:]); separated(r) {
			if titled == nil || !titled.capitalAt(end) {
				return asStart
			}
			found = asCapital
		}
	}
	return found
}

// pointsIn returns the points of a word that is found in a field of some bytes.
func (w *rankedWord) pointsIn(field int, found foundAs, size int) int {
	p := &fieldPoints[field]
	share := p.share * scoreUnit * len(w.folded) / max(size, 1)
	switch found {
	case asPart:
		return p.part * scoreUnit
	case asStart:
		return p.start*scoreUnit + share
	case asCapital:
		return p.capital*scoreUnit + share
	case asWhole:
		return p.whole*scoreUnit + share
	}
	return 0
}

// score returns the score of a link.
func (r ranking) score(l *link) int {
	var all [waymark.MaxWords]hits
	host, path, description := l.site(), l.path(), l.description()
	points := r.titleHits(l, all[:len(r)]) + homePoints*scoreUnit*(maxPath-min(len(path), maxPath))/maxPath
	whole := len(r) > 1
	for i := range r {
		word, found := &r[i], &all[i]
		found.add(word, inHost, host)
		found.add(word, inPath, path)
		found.add(word, inDescription, description)
		if word.tags != nil && word.tags.any(l) {
			found.addPoints(tagPoints*scoreUnit, true)
		}
		points += found.best + (found.all-found.best)/otherFields
		whole = whole && found.whole
	}
	if whole {
		points += allPoints * scoreUnit
	}
	if r.differs(l) {
		points -= otherAccents
	}
	return points
}

// otherAccents is more than the points of any link: those that have a word only with other accents come last.
const otherAccents = 1 << 24

// differs reports whether a link has one of the words only with other accents.
func (r ranking) differs(l *link) bool {
	folded := ""
	for i := range r {
		w := &r[i]
		if !l.has(accented) && w.folded == w.text || !strings.Contains(l.texts(), w.text) {
			continue
		}
		if folded == "" {
			folded = l.folded()
		}
		if !strings.Contains(folded, w.folded) {
			return true
		}
	}
	return false
}

// titleHits finds the words in the title, and returns the points for where they are.
func (r ranking) titleHits(l *link, all []hits) (bonus int) {
	title, size := l.title(), len(l.typed(typedTitle))
	near, next := len(r) > 1, 0
	for i := range r {
		found, at := r[i].find(title, l)
		all[i].addPoints(r[i].pointsIn(inTitle, found, size), found >= asCapital)
		if found != notFound && at == 0 && i == 0 {
			bonus += firstPoints * scoreUnit
		}
		near = near && found != notFound && (i == 0 || at >= next && at <= next+nearGap)
		next = at + len(r[i].text)
	}
	if near {
		bonus += nearPoints * scoreUnit
	}
	return bonus
}

// hits is how well a word is found in the fields of a link.
type hits struct {
	best  int  // the points in the field in which it counts most
	all   int  // in all fields together
	whole bool // it is a whole word in one of them
}

// add looks for the word in a field other than the title.
func (h *hits) add(w *rankedWord, field int, text string) {
	found, at := w.find(text, nil)
	size := len(text)
	if field == inDescription && found == asWhole {
		size = at + len(w.text)
	}
	h.addPoints(w.pointsIn(field, found, size), found == asWhole)
}

func (h *hits) addPoints(points int, whole bool) {
	h.best, h.all, h.whole = max(h.best, points), h.all+points, h.whole || whole
}

// maxRanked is the maximum number of links that are sorted by relevance, which takes some milliseconds. A word
// that more links have says little about each of them: they are sorted from the newest to the oldest.
const maxRanked = 250_000
