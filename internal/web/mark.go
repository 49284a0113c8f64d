package web

import (
	"slices"
	"strings"
	"unicode"

	"waymark/internal/waymark"
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
