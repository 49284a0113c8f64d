package web

import (
	"slices"
	"strings"
)

// word is a part of the text of a query.
type word struct {
	raw   string // as it was typed
	kind  wordKind
	value string // without its prefix and quotation marks
}

type wordKind int

// The kinds of words.
const (
	plainWord    wordKind = iota
	excludedWord          // -word, -#name, -tag:name or -list:name
	tagWord               // #name or tag:name
	listWord              // list:name
	stateWord             // is:broken
	contentWord           // in:snapshot
)

// states are the values of is:.
var states = []string{"broken", "private", "internal", "public", "unfiled", "untagged", "ok", "moved", "dead", "blocked", "unsure", "mine"}

// parseWords splits the text of a query. Words in quotation marks are one word. A prefix
// without a value, and an unknown state, are plain text.
func parseWords(text string) []word {
	var words []word
	for _, raw := range splitQuoted(text) {
		w := word{raw: raw, value: unquote(raw)}
		label, name := labelOf(raw)
		state, is := cutPrefixFold(raw, "is:")
		switch {
		case strings.EqualFold(raw, "in:snapshot"), strings.EqualFold(raw, "in:copy"):
			w.kind, w.value = contentWord, "snapshot"
		case label != plainWord:
			w.kind, w.value = label, name
		case is && slices.Contains(states, strings.ToLower(state)):
			w.kind, w.value = stateWord, strings.ToLower(state)
		case strings.HasPrefix(raw, "-") && unquote(raw[1:]) != "":
			w.kind, w.value = excludedWord, unquote(raw[1:])
		}
		if w.value != "" {
			words = append(words, w)
		}
	}
	return words
}

// labelOf returns listWord or tagWord and the name of the list or tag, or plainWord if the word names
// neither.
func labelOf(raw string) (wordKind, string) {
	for _, prefix := range []struct {
		text string
		kind wordKind
	}{{"list:", listWord}, {"tag:", tagWord}, {"#", tagWord}} {
		if rest, ok := cutPrefixFold(raw, prefix.text); ok && unquote(rest) != "" {
			return prefix.kind, unquote(rest)
		}
	}
	return plainWord, ""
}

// excludedLabel is labelOf for what follows the - of an excludedWord.
func (w word) excludedLabel() (wordKind, string) { return labelOf(w.raw[1:]) }

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// splitQuoted splits a text at white space outside quotation marks.
func splitQuoted(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\u3000')
	})
}

func unquote(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, `"`, "")) }

// withoutWord returns the text of a query without one of its words.
func withoutWord(words []word, index int) string {
	var rest []string
	for i, w := range words {
		if i != index {
			rest = append(rest, w.raw)
		}
	}
	return strings.Join(rest, " ")
}
