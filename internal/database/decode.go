package database

import (
	"fmt"
	"strconv"
	"strings"
)

// DecodeInteger returns the integer before the first colon of an encoded text, and the
// text after that.
func DecodeInteger(text string) (int64, string, error) {
	digits, rest, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, "", fmt.Errorf("decode %.20q: %w", text, err)
	}
	return n, rest, nil
}

// DecodeIDs decodes ids that each end with a colon.
func DecodeIDs(text string) ([]int64, error) {
	var ids []int64
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
