package bench

import (
	_ "embed"
	"strings"
)

// typed are texts that people type into a search, one per line: names, beginnings of words
// and of URLs, words in several scripts. Most of them are in many links. The last one is in none.
//
//go:embed typed_words.txt
var typed string

func typedWords() []string { return strings.Split(strings.TrimSpace(typed), "\n") }
