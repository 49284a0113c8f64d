package database

import (
	"fmt"
	"strconv"
	"strings"
)

// DecodeInteger returns the integer before the first colon of a text, and the rest.
func DecodeInteger(text string) (int64, string, error) {
	digits, rest, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, "", fmt.Errorf("decode %.20q: %w", text, err)
	}
	return n, rest, nil
}

// DecodeIDs decodes ids with a colon after each, which can be missing after the last one.
func DecodeIDs(text string) (ids []int64, err error) {
	for text != "" {
		id, rest, err := DecodeInteger(text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		text = rest
	}
	return ids, nil
}
