package database

import (
	"fmt"
	"strconv"
	"strings"
)

// DecodeInteger returns the integer before the first colon of a text, and the rest.
func DecodeInteger(text string) (int64, string, error) {
	// Most integers are short and not negative. This loop takes less time than ParseInt.
	var n int64
	for i := range min(len(text), maxShortDigits+1) {
		if text[i] == ':' && i > 0 {
			return n, text[i+1:], nil
		}
		if text[i] < '0' || '9' < text[i] {
			break
		}
		n = n*10 + int64(text[i]-'0')
	}
	digits, rest, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, "", fmt.Errorf("decode %.20q: %w", text, err)
	}
	return n, rest, nil
}

// maxShortDigits is the number of digits that always fit into 64 bits.
const maxShortDigits = 18

// DecodeIDs decodes ids with a colon after each, which can be missing after the last one.
func DecodeIDs(text string) ([]int64, error) { return AppendIDs(nil, text) }

// AppendIDs appends what DecodeIDs decodes to ids.
func AppendIDs(ids []int64, text string) ([]int64, error) {
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
