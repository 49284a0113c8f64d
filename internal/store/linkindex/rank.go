package linkindex

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// Word is a word of a search. The order by relevance depends on where a link has it.
type Word struct {
	Text string  // folded, not empty
	Tags []int64 // the tags with exactly this name
}

// fieldPoints are the points of a word that a field of a link has. The order by relevance sorts links
// by their score, and then the newest first. The score is the sum of these points for each word: those
// of the field in which the word counts most, and an eighth of those of the other fields. A word has
// points for how it is found, and unless it is only a part of a word, points for the share of the
// field that it covers. So a title that is nothing but the word comes first.
//
// docs/decisions/0025-best-match.md has the reasons and figures.
var fieldPoints = [...]struct{ part, start, whole, share int }{
	inTitle:       {part: 5, start: 8, whole: 16, share: 16},
	inHost:        {part: 2, start: 4, whole: 12, share: 12},
	inPath:        {part: 1, start: 4, whole: 8, share: 4},
	inDescription: {part: 1, start: 4, whole: 6, share: 8},
}

const (
	tagPoints   = 12 // for a tag with the name of the word
	firstPoints = 4  // if the title begins with the first word
	nearPoints  = 20 // if the words follow each other in the title, also as parts of one word
	allPoints   = 24 // if each of several words is a whole word somewhere
	homePoints  = 5  // for a home page; the longer the path, the fewer, and none from maxPath bytes on
	maxPath     = 64

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
	inTags
)

// mostElsewhere are the most points of a word in a field other than the title, allElsewhere in all
// of these fields together. mostLeft and allLeft are the same for the fields other than the title and the URL.
const (
	mostElsewhere, allElsewhere = 24, 62
	mostLeft, allLeft           = 14, 26
)

// rankedWord is a Word of one search.
type rankedWord struct {
	text         []byte
	begins, ends bool   // its first or last letter is in a word: where the text is, a word must begin or end
	tags         bitmap // by number; nil for none
}

// rankedWords returns the first waymark.MaxWords of the words.
func (x *Index) rankedWords(words []Word) []rankedWord {
	words = words[:min(len(words), waymark.MaxWords)]
	ranked := make([]rankedWord, len(words))
	for i, w := range words {
		first, _ := utf8.DecodeRuneInString(w.Text)
		last, _ := utf8.DecodeLastRuneInString(w.Text)
		ranked[i] = rankedWord{text: []byte(w.Text), begins: separated(first), ends: separated(last)}
		if len(w.Tags) > 0 {
			ranked[i].tags = x.labels.numbered(Tag, w.Tags)
		}
	}
	return ranked
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
	notFound foundAs = iota
	asPart           // of a word
	asStart          // of a word
	asWhole
)

// find returns how well a text has the word, and the first place where it has it so well.
func (w *rankedWord) find(text []byte) (best foundAs, at int) {
	for from := 0; ; {
		i := bytes.Index(text[from:], w.text)
		if i < 0 {
			return best, at
		}
		i += from
		if found := w.foundAt(text, i); found > best {
			best, at = found, i
		}
		if best == asWhole {
			return best, at
		}
		from = i + 1
	}
}

// foundAt returns how well the word is found at a place of a text.
func (w *rankedWord) foundAt(text []byte, at int) foundAs {
	if w.begins && at > 0 {
		if r, _ := utf8.DecodeLastRune(text[:at]); separated(r) {
			return asPart
		}
	}
	if end := at + len(w.text); w.ends && end < len(text) {
		if r, _ := utf8.DecodeRune(text[end:]); separated(r) {
			return asStart
		}
	}
	return asWhole
}

// pointsIn returns the points of a word that is found in a field of some bytes.
func (w *rankedWord) pointsIn(field int, found foundAs, size int) int {
	p := &fieldPoints[field]
	share := p.share * scoreUnit * len(w.text) / max(size, 1)
	switch found {
	case asPart:
		return p.part * scoreUnit
	case asStart:
		return p.start*scoreUnit + share
	case asWhole:
		return p.whole*scoreUnit + share
	}
	return 0
}

// score returns the score of a link. If it is less than enough, the result may be any number less
// than enough: most links of a large result are sorted out by their title, or by their title and URL.
func (s *segment) score(position int, words []rankedWord, enough int) int {
	var all [waymark.MaxWords]hits
	found := all[:len(words)]
	bonus := titleHits(s.texts[titleText].folded(position), words, found)
	if most := bonus + homePoints*scoreUnit + pointsOf(found, mostElsewhere, allElsewhere); most < enough {
		return most
	}
	host, path := hostAndPath(s.texts[urlText].folded(position))
	bonus += homePoints * scoreUnit * (maxPath - min(len(path), maxPath)) / maxPath
	for i := range words {
		found[i].add(&words[i], inHost, host)
		found[i].add(&words[i], inPath, path)
	}
	if most := bonus + pointsOf(found, mostLeft, allLeft); most < enough {
		return most
	}
	description := s.texts[descriptionText].folded(position)
	for i := range words {
		found[i].add(&words[i], inDescription, description)
		if tags := words[i].tags; tags != nil && s.labelCount(position, tags) > 0 {
			found[i].addPoints(tagPoints*scoreUnit, true)
		}
	}
	return bonus + pointsOf(found, 0, 0)
}

// titleHits finds the words in a title, and returns the points for where they are.
func titleHits(title []byte, words []rankedWord, all []hits) (bonus int) {
	near, next := len(words) > 1, 0
	for i := range words {
		found, at := all[i].add(&words[i], inTitle, title)
		if found != notFound && at == 0 && i == 0 {
			bonus += firstPoints * scoreUnit
		}
		near = near && found != notFound && (i == 0 || at >= next && at <= next+nearGap)
		next = at + len(words[i].text)
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

// add looks for the word in a field.
func (h *hits) add(w *rankedWord, field int, text []byte) (found foundAs, at int) {
	found, at = w.find(text)
	h.addPoints(w.pointsIn(field, found, len(text)), found == asWhole)
	return found, at
}

func (h *hits) addPoints(points int, whole bool) {
	h.best, h.all, h.whole = max(h.best, points), h.all+points, h.whole || whole
}

// pointsOf returns the most points that words can have if those in fields that were not read yet are at most
// most in one field, and all in all of these together.
func pointsOf(found []hits, most, all int) (points int) {
	whole := len(found) > 1
	for _, h := range found {
		points += sumOfPoints(max(h.best, most*scoreUnit), h.all+all*scoreUnit)
		whole = whole && (h.whole || all > 0)
	}
	if whole {
		points += allPoints * scoreUnit
	}
	return points
}

// sumOfPoints returns the points of a word from those in the field in which it counts most, and those
// in all fields together.
func sumOfPoints(best, all int) int { return best + (all-best)/otherFields }

// hostAndPath returns the host of a folded URL without www., and what follows the host.
func hostAndPath(url []byte) (host, path []byte) {
	if i := bytes.Index(url, []byte("://")); i >= 0 {
		url = url[i+len("://"):]
	}
	url = bytes.TrimPrefix(url, []byte("www."))
	if i := bytes.IndexAny(url, "/?#"); i >= 0 {
		return url[:i], url[i:]
	}
	return url, nil
}
