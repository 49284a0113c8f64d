package web

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

const (
	// maxExcerptText is how much of the text of a snapshot is searched for an excerpt, in bytes.
	maxExcerptText = 256 << 10
	// maxExcerptLine limits the line of that text around an excerpt, in bytes.
	maxExcerptLine = 4 << 10
	// excerptBefore and excerptAfter are the lengths of an excerpt, in graphemes, before and after
	// where its first word begins.
	excerptBefore, excerptAfter = 40, 180
)

// excerpt returns the part of a text in which the most words of a query are the beginnings of
// words, with these marked, or nil if there is none. The first of several such parts counts. The
// words come from waymark.QueryWords.
func excerpt(text string, words []string) []textPart {
	var best string
	most := 0
	for line := range strings.SplitSeq(text[:min(len(text), maxExcerptText)], "\n") {
		for len(line) > 0 && most < len(words) {
			part := line
			if len(part) > maxExcerptLine {
				part = part[:maxExcerptLine]
				if i := strings.LastIndexByte(part, ' '); i > 0 {
					part = part[:i]
				}
			}
			line = line[len(part):]
			folded := waymark.Fold(part)
			n := 0
			for _, word := range words {
				if beginOf(folded, word, 0) >= 0 {
					n++
				}
			}
			if n > most {
				best, most = part, n
			}
		}
	}
	if most == 0 {
		return nil
	}
	graphemes := graphemesOf(strings.ToValidUTF8(best, ""))
	folded := foldedOf(graphemes)
	inMatch := make([]bool, len(folded))
	first := len(folded)
	for _, word := range words {
		for at := beginOf(folded, word, 0); at >= 0; at = beginOf(folded, word, at+len(word)) {
			first = min(first, at)
			for i := range word {
				inMatch[at+i] = true
			}
		}
	}
	return excerptAround(graphemes, inMatch, first, excerptBefore, excerptAfter)
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
	// lateMatch is the number of graphemes after which the words of a search are not seen in every row.
	lateMatch = 60
	// matchContext is the number of graphemes before them in such a row.
	matchContext = 24
)

// markedNear returns the parts of a description, as marked does. It begins near the first word that the title does
// not have if that would be cut off in a row. The words are folded.
func markedNear(description, title string, words []string) []textPart {
	title = waymark.Fold(title)
	if len(words) == 0 {
		return marked(description, words)
	}
	first := -1
	graphemes := graphemesOf(description)
	folded := foldedOf(graphemes)
	for _, word := range words {
		if at := strings.Index(folded, word); at >= 0 && !strings.Contains(title, word) && (first < 0 || at < first) {
			first = at
		}
	}
	if first < lateMatch {
		return marked(description, words)
	}
	return excerptAround(graphemes, matches(folded, words), first, matchContext, len(graphemes))
}

const (
	// urlExcerptBefore and urlExcerptAfter are the lengths of an excerpt of a URL.
	urlExcerptBefore, urlExcerptAfter = 10, 60
)

// urlExcerpt returns the host of a URL and a part of its path, with words of a search marked, if one
// of them is in the URL but not in the texts of its row, and nil otherwise. The words are folded.
func urlExcerpt(url, host, texts string, words []string) []textPart {
	_, rest, _ := strings.Cut(url, "://")
	rest = page.ShortHost(rest)
	folded, shown := waymark.Fold(rest), waymark.Fold(texts)
	hidden := func(word string) bool { return !strings.Contains(shown, word) && strings.Contains(folded, word) }
	if !slices.ContainsFunc(words, hidden) {
		return nil
	}
	graphemes := graphemesOf(rest)
	folded = foldedOf(graphemes)
	first := len(folded)
	for _, word := range words {
		if at := strings.Index(folded, word); at >= 0 && hidden(word) {
			first = min(first, at)
		}
	}
	inMatch := matches(folded, words)
	if first <= len(host)+urlExcerptBefore {
		return excerptAround(graphemes, inMatch, first, first, urlExcerptAfter)
	}
	return append(marked(host, words), excerptAround(graphemes, inMatch, first, urlExcerptBefore, urlExcerptAfter)...)
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

// cut returns the first n characters of a text, with an ellipsis if there are more.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
