package web

import (
	"html/template"
	"slices"
	"strings"
	"unicode"

	"waymark/internal/waymark"
)

// marked returns a text as HTML, with <mark> around the parts that contain one of the words,
// without regard to case. The words are folded.
func marked(text string, words []string) template.HTML {
	if len(words) == 0 {
		return escaped(text)
	}
	whole := waymark.Fold(text)
	if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(whole, word) }) {
		return escaped(text)
	}
	pieces := piecesOf(text)
	return markedPieces(pieces, matches(foldedOf(pieces), words))
}

func foldedOf(pieces []piece) string {
	var folded strings.Builder
	for _, p := range pieces {
		folded.WriteString(p.folded)
	}
	return folded.String()
}

// markedPieces returns pieces of a text as HTML, with <mark> around those of whose folded text a
// byte is in a match.
func markedPieces(pieces []piece, inMatch []bool) template.HTML {
	var w htmlWriter
	open := false
	at := 0
	for _, p := range pieces {
		hit := slices.Contains(inMatch[at:at+len(p.folded)], true)
		at += len(p.folded)
		switch {
		case hit && !open:
			w.add(`<mark>`)
		case !hit && open:
			w.add(`</mark>`)
		}
		open = hit
		w.add(escaped(p.text))
	}
	if open {
		w.add(`</mark>`)
	}
	return w.written()
}

// piece is a letter with its combining marks.
type piece struct{ text, folded string }

// piecesOf splits a text into pieces that can be folded one by one.
func piecesOf(text string) []piece {
	var pieces []piece
	start := 0
	for i, r := range text {
		if i > start && !unicode.Is(unicode.M, r) {
			pieces = append(pieces, piece{text[start:i], waymark.Fold(text[start:i])})
			start = i
		}
	}
	if start < len(text) {
		pieces = append(pieces, piece{text[start:], waymark.Fold(text[start:])})
	}
	return pieces
}

// matches reports for each byte of a text whether it is part of one of the words.
func matches(text string, words []string) []bool {
	inMatch := make([]bool, len(text))
	for _, word := range words {
		if word == "" {
			continue
		}
		for at := 0; ; {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			for j := at + i; j < at+i+len(word); j++ {
				inMatch[j] = true
			}
			at += i + len(word)
		}
	}
	return inMatch
}

// foldAll returns the folded forms of words.
func foldAll(words []string) []string {
	folded := make([]string, len(words))
	for i, word := range words {
		folded[i] = waymark.Fold(word)
	}
	return folded
}
