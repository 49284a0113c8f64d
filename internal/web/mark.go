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

// marked returns the parts of a text. Those that contain one of the words, without regard to case,
// are marked. The words are folded.
func marked(text string, words []string) []textPart {
	if text == "" {
		return nil
	}
	if len(words) == 0 {
		return []textPart{{Text: text}}
	}
	whole := waymark.Fold(text)
	if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(whole, word) }) {
		return []textPart{{Text: text}}
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

// markedPieces returns pieces of a text as parts. A piece is marked if a byte of its folded text is
// in a match.
func markedPieces(pieces []piece, inMatch []bool) []textPart {
	var parts []textPart
	at := 0
	for _, p := range pieces {
		mark := slices.Contains(inMatch[at:at+len(p.folded)], true)
		at += len(p.folded)
		if n := len(parts); n > 0 && parts[n-1].Mark == mark {
			parts[n-1].Text += p.text
		} else {
			parts = append(parts, textPart{p.text, mark})
		}
	}
	return parts
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
