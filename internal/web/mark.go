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

// hasMark reports whether a part is marked.
func hasMark(parts []textPart) bool {
	return slices.ContainsFunc(parts, func(p textPart) bool { return p.Mark })
}

// marked returns the parts of a text. Those that contain one of the words, without regard to case and accents,
// are marked. The words are folded.
func marked(text string, words []string) []textPart {
	if text == "" {
		return nil
	}
	if len(words) == 0 {
		return []textPart{{Text: text}}
	}
	whole := waymark.Plain(text)
	if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(whole, word) }) {
		return []textPart{{Text: text}}
	}
	graphemes := graphemesOf(text)
	return markedGraphemes(graphemes, matches(foldedOf(graphemes), words, indexFrom))
}

// textOf returns a text without its marks.
func textOf(parts []textPart) string {
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p.Text)
	}
	return text.String()
}

func foldedOf(graphemes []grapheme) string {
	var folded strings.Builder
	for _, p := range graphemes {
		folded.WriteString(p.folded)
	}
	return folded.String()
}

// markedGraphemes returns graphemes of a text as parts. A grapheme is marked if a byte of its folded text is
// in a match.
func markedGraphemes(graphemes []grapheme, inMatch []bool) []textPart {
	var parts []textPart
	at := 0
	for _, p := range graphemes {
		mark := slices.Contains(inMatch[at:at+len(p.folded)], true)
		at += len(p.folded)
		if n := len(parts); n > 0 && (parts[n-1].Mark == mark || p.folded == "") {
			parts[n-1].Text += p.text
		} else {
			parts = append(parts, textPart{p.text, mark})
		}
	}
	return parts
}

// grapheme is a letter with its combining marks.
type grapheme struct{ text, folded string }

// graphemesOf splits a text into graphemes that can be folded one by one.
func graphemesOf(text string) []grapheme {
	var graphemes []grapheme
	start := 0
	for i, r := range text {
		if i > start && !unicode.Is(unicode.M, r) {
			graphemes = append(graphemes, grapheme{text[start:i], waymark.Plain(text[start:i])})
			start = i
		}
	}
	if start < len(text) {
		graphemes = append(graphemes, grapheme{text[start:], waymark.Plain(text[start:])})
	}
	return graphemes
}

// matches reports for each byte of a text whether it is part of one of the words, which next finds: it returns the
// first offset of a word at or after another offset, or -1.
func matches(text string, words []string, next func(text, word string, from int) int) []bool {
	inMatch := make([]bool, len(text))
	for _, word := range words {
		if word == "" {
			continue
		}
		for at := next(text, word, 0); at >= 0; at = next(text, word, at+len(word)) {
			for i := range word {
				inMatch[at+i] = true
			}
		}
	}
	return inMatch
}

func indexFrom(text, word string, from int) int {
	if i := strings.Index(text[from:], word); i >= 0 {
		return from + i
	}
	return -1
}

// foldAll returns the folded forms of words.
func foldAll(words []string) []string {
	return waymark.Map(words, waymark.Plain)
}

const (
	// maxExcerptLine limits the line of a text around an excerpt, in bytes.
	maxExcerptLine = 4 << 10
	// excerptBefore and excerptAfter are the lengths of an excerpt, in graphemes, before and after
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
	if most == 0 {
		return nil
	}
	graphemes := graphemesOf(strings.ToValidUTF8(best, ""))
	folded := foldedOf(graphemes)
	inMatch := matches(folded, words, beginOf)
	return excerptAround(graphemes, inMatch, slices.Index(inMatch, true), excerptBefore, excerptAfter)
}

// excerptAround returns the graphemes of an excerpt around the byte first of their folded text, with so
// many before and after it.
func excerptAround(graphemes []grapheme, inMatch []bool, first, before, after int) []textPart {
	at, center := 0, 0 // in the folded text, and the grapheme at first
	for center < len(graphemes) && at+len(graphemes[center].folded) <= first {
		at += len(graphemes[center].folded)
		center++
	}
	from, to := max(0, center-before), min(len(graphemes), center+after)
	if from > 0 { // begin with a word, unless the script does not separate words
		for i := from; i < center; i++ {
			if graphemes[i].text == " " {
				from = i + 1
				break
			}
		}
	}
	skipped := 0
	for _, p := range graphemes[:from] {
		skipped += len(p.folded)
	}
	shown := markedGraphemes(graphemes[from:to], inMatch[skipped:])
	if from > 0 {
		shown = slices.Insert(shown, 0, textPart{Text: "…"})
	}
	if to < len(graphemes) {
		shown = append(shown, textPart{Text: "…"})
	}
	return shown
}

const (
	// maxRowDescription limits the description in a row, in characters: it is cut anyway.
	maxRowDescription = 300
	// leadLength limits the first words of a description whose match comes later, in graphemes.
	leadLength = 80
	// matchBefore and matchAfter are the lengths of the part with the match, in graphemes, before and after where it begins.
	matchBefore, matchAfter = 12, 40
)

// rowDescription returns the part of a description that a row shows, with words of a search marked: the first words,
// and, if these do not have the first match that the title does not have, what is near that.
func rowDescription(description, title string, words []string) (lead, hit []textPart) {
	folded, title := waymark.Plain(description), waymark.Plain(title)
	found := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(folded, word) && !strings.Contains(title, word) })
	if !found {
		return marked(page.Cut(description, maxRowDescription), words), nil
	}
	graphemes := graphemesOf(description)
	folded = foldedOf(graphemes)
	first := firstMatch(folded, words, func(word string) bool { return !strings.Contains(title, word) })
	inMatch := matches(folded, words, indexFrom)
	end := min(leadLength, len(graphemes))
	if first < len(foldedOf(graphemes[:end])) {
		return excerptAround(graphemes, inMatch, 0, 0, maxRowDescription), nil
	}
	for i := end; i > 0; i-- { // end with a word, unless the script does not separate words
		if graphemes[i].text == " " {
			end = i
			break
		}
	}
	return markedGraphemes(graphemes[:end], inMatch), excerptAround(graphemes, inMatch, first, matchBefore, matchAfter)
}

const (
	// pathBefore and pathAfter are the lengths of an excerpt from a URL's path.
	pathBefore, pathAfter = 10, 60
)

// pathExcerpt returns a URL's host, and the part of its path with a searched word that the shown texts do not
// have. The words are folded, and marked in the result. ok is false if the path has no such word.
func pathExcerpt(url, shown string, words []string) (host, path []textPart, ok bool) {
	_, rest, _ := strings.Cut(url, "://")
	rest = page.ShortHost(rest)
	folded, shown := waymark.Plain(rest), waymark.Plain(shown)
	hidden := func(word string) bool { return !strings.Contains(shown, word) }
	if firstMatch(folded, words, hidden) == len(folded) {
		return nil, nil, false
	}
	graphemes := graphemesOf(rest)
	folded = foldedOf(graphemes)
	first, inMatch := firstMatch(folded, words, hidden), matches(folded, words, indexFrom)
	begin, size := 0, 0 // how many graphemes of the path are before it, and how many folded bytes these have
	for begin < len(graphemes) && !strings.ContainsAny(graphemes[begin].text, "/?#") {
		size += len(graphemes[begin].folded)
		begin++
	}
	path = excerptAround(graphemes[begin:], inMatch[size:], max(first-size, 0), pathBefore, pathAfter)
	return markedGraphemes(graphemes[:begin], inMatch), path, true
}

// firstMatch returns the first offset in a folded text of a word that is wanted, or the length of the text.
func firstMatch(folded string, words []string, wanted func(word string) bool) int {
	first := len(folded)
	for _, word := range words {
		if at := strings.Index(folded, word); at >= 0 && wanted(word) {
			first = min(first, at)
		}
	}
	return first
}

// beginOf returns the first offset, at or after from, at which a word of a folded text begins with
// word, or -1. In scripts that do not separate words, a word begins at every letter.
func beginOf(folded, word string, from int) int {
	letter, _ := utf8.DecodeRuneInString(word)
	for from < len(folded) {
		i := strings.Index(folded[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(folded[:i])
		if i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) && !unicode.IsMark(before) || waymark.BeginsAnywhere(letter) || waymark.BeginsAnywhere(before) {
			return i
		}
		from = i + len(word)
	}
	return -1
}
