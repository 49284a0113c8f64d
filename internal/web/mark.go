package web

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// textPart is a part of a text, which a page marks if a search has found it.
type textPart struct {
	Text string
	Mark bool
}

func hasMark(parts []textPart) bool {
	return slices.ContainsFunc(parts, func(p textPart) bool { return p.Mark })
}

func textOf(parts []textPart) string {
	return strings.Join(waymark.Map(parts, func(p textPart) string { return p.Text }), "")
}

// foldAll returns the folded forms of words.
func foldAll(words []string) []string { return waymark.Map(words, waymark.Plain) }

// marked returns the parts of a text. Those that contain one of the words, without regard to case and accents,
// are marked. The words are folded.
func marked(text string, words []string) []textPart {
	var found []span
	if containsAny(waymark.Plain(text), words) {
		found = newFoldedText(text).find(words, indexFrom)
	}
	return partsOf(text, found, 0, len(text))
}

func containsAny(folded string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(folded, word) })
}

// wordsNotIn returns the words that a folded text does not contain.
func wordsNotIn(words []string, folded string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(folded, word) })
}

// foldedText is a text with its folded form, in which words are looked for.
type foldedText struct {
	folded string
	at     []int // for each byte of folded where its letter begins in the text, and the end of the text
}

// newFoldedText folds a text letter by letter, each with its combining marks.
func newFoldedText(text string) foldedText {
	var folded strings.Builder
	var at []int
	add := func(from, to int) {
		letter := waymark.Plain(text[from:to])
		folded.WriteString(letter)
		at = append(at, slices.Repeat([]int{from}, len(letter))...)
	}
	start := 0
	for i, r := range text {
		if i > start && !unicode.Is(unicode.M, r) {
			add(start, i)
			start = i
		}
	}
	add(start, len(text))
	return foldedText{folded.String(), append(at, len(text))}
}

// span is a part of a text, from one offset to another.
type span struct{ from, to int }

// find returns where a text contains the words, in order. next returns the first offset of a word in the folded text at or
// after another offset, or -1.
func (f foldedText) find(words []string, next func(folded, word string, from int) int) []span {
	var found []span
	for _, word := range words {
		for at := next(f.folded, word, 0); at >= 0 && word != ""; at = next(f.folded, word, at+len(word)) {
			end := at + len(word)
			for f.at[end] == f.at[end-1] { // in the middle of a letter
				end++
			}
			found = append(found, span{f.at[at], f.at[end]})
		}
	}
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	return found
}

func indexFrom(text, word string, from int) int {
	if i := strings.Index(text[from:], word); i >= 0 {
		return from + i
	}
	return -1
}

// beginOf returns the first offset, at or after from, at which a word of a folded text begins with
// word, or -1. In scripts that do not separate words, a word begins at every letter.
func beginOf(folded, word string, from int) int {
	letter, _ := utf8.DecodeRuneInString(word)
	for from < len(folded) {
		i := indexFrom(folded, word, from)
		if i < 0 {
			return -1
		}
		before, _ := utf8.DecodeLastRuneInString(folded[:i])
		if i == 0 || !unicode.In(before, unicode.L, unicode.Nd, unicode.M) || waymark.BeginsAnywhere(letter) || waymark.BeginsAnywhere(before) {
			return i
		}
		from = i + len(word)
	}
	return -1
}

// partsOf returns a text from one offset to another as parts, with what was found in it marked.
func partsOf(text string, found []span, from, to int) (parts []textPart) {
	add := func(end int, mark bool) {
		if end <= from {
			return
		}
		if n := len(parts); n > 0 && parts[n-1].Mark == mark {
			parts[n-1].Text += text[from:end]
		} else {
			parts = append(parts, textPart{text[from:end], mark})
		}
		from = end
	}
	for _, s := range found {
		add(min(s.from, to), false)
		add(min(s.to, to), true)
	}
	add(to, false)
	return parts
}

// partsAround returns the characters of a text before and after an offset as parts.
func partsAround(text string, found []span, at, before, after int) []textPart {
	from, to := at, offsetOf(text, at, after)
	for ; before > 0 && from > 0; before-- {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	if from > 0 { // begin with a word, unless the script does not separate words
		from += strings.IndexByte(text[from:at], ' ') + 1
	}
	parts := partsOf(text, found, from, to)
	if from > 0 {
		parts = slices.Insert(parts, 0, textPart{Text: "…"})
	}
	if to < len(text) {
		parts = append(parts, textPart{Text: "…"})
	}
	return parts
}

// offsetOf returns the offset in a text that is n characters after another one.
func offsetOf(text string, from, n int) int {
	for i := range text[from:] {
		if n == 0 {
			return from + i
		}
		n--
	}
	return len(text)
}

const (
	// maxExcerptLine limits the line of a text around an excerpt, in bytes.
	maxExcerptLine = 4 << 10
	// excerptBefore and excerptAfter are the lengths of an excerpt, in characters, before and after
	// where its first word begins.
	excerptBefore, excerptAfter = 40, 180
)

// excerpt returns the first part of a text that has the most words of a query, with these marked, or
// nil if there is none. A word of the text only has to begin with a word of the query. These come
// from waymark.QueryWords.
func excerpt(text string, words []string) []textPart {
	var best string
	most := 0
	for rest := text; rest != "" && most < len(words); {
		line, _, _ := strings.Cut(rest[:min(len(rest), maxExcerptLine)], "\n")
		rest = strings.TrimPrefix(rest[len(line):], "\n")
		folded := waymark.Plain(line)
		n := 0
		for _, word := range words {
			if beginOf(folded, word, 0) >= 0 {
				n++
			}
		}
		if n > most {
			best, most = line, n
		}
	}
	best = strings.ToValidUTF8(best, "")
	found := newFoldedText(best).find(words, beginOf)
	if len(found) == 0 {
		return nil
	}
	return partsAround(best, found, found[0].from, excerptBefore, excerptAfter)
}

const (
	// maxRowDescription limits the description in a row, in characters: it is cut anyway.
	maxRowDescription = 300
	// leadLength limits the first words of a description whose match comes later, in characters.
	leadLength = 80
	// matchBefore and matchAfter are the lengths of the part with the match, in characters, before and after where it begins.
	matchBefore, matchAfter = 12, 40
)

// rowDescription returns the part of a description that a row shows, with words of a search marked: the first words,
// and, if these do not have the first match that the title does not have, what is near that.
func rowDescription(description, title string, words []string) (lead, hit []textPart) {
	hidden := wordsNotIn(words, waymark.Plain(title))
	if !containsAny(waymark.Plain(description), hidden) {
		return marked(page.Cut(description, maxRowDescription), words), nil
	}
	folded := newFoldedText(description)
	found, first := folded.find(words, indexFrom), folded.find(hidden, indexFrom)
	end := offsetOf(description, 0, leadLength)
	if len(first) == 0 || first[0].from < end {
		return partsAround(description, found, 0, 0, maxRowDescription), nil
	}
	if space := strings.LastIndexByte(description[:end+1], ' '); space > 0 { // unless the script does not separate words
		end = space
	}
	return partsOf(description, found, 0, end), partsAround(description, found, first[0].from, matchBefore, matchAfter)
}

// pathBefore and pathAfter are the lengths of an excerpt from a URL's path.
const pathBefore, pathAfter = 10, 60

// pathExcerpt returns a URL's host, and the part of its path with a searched word that the shown texts do not
// have. The words are folded, and marked in the result. ok is false if the path has no such word.
func pathExcerpt(url, shown string, words []string) (host, path []textPart, ok bool) {
	_, rest, _ := strings.Cut(url, "://")
	rest = page.ShortHost(rest)
	hidden := wordsNotIn(words, waymark.Plain(shown))
	if !containsAny(waymark.Plain(rest), hidden) {
		return nil, nil, false
	}
	folded := newFoldedText(rest)
	found, first := folded.find(words, indexFrom), folded.find(hidden, indexFrom)
	begin := strings.IndexAny(rest, "/?#")
	if begin < 0 || len(first) == 0 {
		return partsOf(rest, found, 0, len(rest)), nil, true
	}
	host = partsOf(rest, found, 0, begin)
	for i := range found {
		found[i] = span{found[i].from - begin, found[i].to - begin}
	}
	return host, partsAround(rest[begin:], found, max(first[0].from-begin, 0), pathBefore, pathAfter), true
}
