package store

import (
	"slices"
	"strings"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// storableText reports whether s is valid UTF-8 without NUL, which both databases
// require of a text.
func storableText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// plainIDs returns ids of one kind as integers.
func plainIDs[ID waymark.ID](ids []ID) []int64 {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	return plain
}

// unique returns the values sorted, each once.
func unique[T int64 | string](values []T) []T {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}
