package linkindex

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// Word is a word that a search asks for. The order by relevance depends on where a link has the
// words of Query.Words.
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
	firstPoints = 8  // if the title begins with the first word
	nearPoints  = 20 // if the words follow each other in the title

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
// of these fields together.
const mostElsewhere, allElsewhere = 24, 62

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
// than enough: most links of a large result are sorted out by their title alone.
func (s *segment) score(position int, words []rankedWord, enough int) int {
	title := s.texts[titleText].folded(position)
	var titlePoints [waymark.MaxWords]int
	bonus, most := 0, 0 // most is a bound of the score without the bonus
	near, next := len(words) > 1, 0
	for i := range words {
		found, at := words[i].find(title)
		if found != notFound && at == 0 && i == 0 {
			bonus += firstPoints * scoreUnit
		}
		near = near && found >= asStart && (i == 0 || at >= next && at <= next+nearGap)
		next = at + len(words[i].text)
		titlePoints[i] = words[i].pointsIn(inTitle, found, len(title))
		most += sumOfPoints(max(titlePoints[i], mostElsewhere*scoreUnit), titlePoints[i]+allElsewhere*scoreUnit)
	}
	if near {
		bonus += nearPoints * scoreUnit
	}
	if bonus+most < enough {
		return bonus + most
	}
	description := s.texts[descriptionText].folded(position)
	host, path := hostAndPath(s.texts[urlText].folded(position))
	score := bonus
	for i := range words {
		w := &words[i]
		points := [...]int{inTitle: titlePoints[i], inHost: w.points(inHost, host), inPath: w.points(inPath, path), inDescription: w.points(inDescription, description), inTags: 0}
		if w.tags != nil && s.labelCount(position, w.tags) > 0 {
			points[inTags] = tagPoints * scoreUnit
		}
		best, sum := 0, 0
		for _, n := range points {
			best = max(best, n)
			sum += n
		}
		score += sumOfPoints(best, sum)
	}
	return score
}

// points returns the points of a word in a field.
func (w *rankedWord) points(field int, text []byte) int {
	found, _ := w.find(text)
	return w.pointsIn(field, found, len(text))
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
