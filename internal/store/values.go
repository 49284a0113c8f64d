package store

import (
	"fmt"
	"slices"
	"strconv"
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

// decodeInteger returns the integer before the first colon of an encoded text, and the
// text after that.
func decodeInteger(text string) (int64, string, error) {
	digits, rest, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, "", fmt.Errorf("decode %.20q: %w", text, err)
	}
	return n, rest, nil
}

// decodeIDs decodes ids that each end with a colon.
func decodeIDs(text string) ([]int64, error) {
	var ids []int64
	for text != "" {
		id, rest, err := decodeInteger(text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		text = rest
	}
	return ids, nil
}
