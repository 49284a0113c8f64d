package database_test

import (
	"math"
	"strconv"
	"testing"

	"waymark/internal/database"
)

func TestDecodeInteger(t *testing.T) {
	for _, want := range []int64{0, 7, -7, 18070, 999_999_999_999_999_999, 1_000_000_000_000_000_000, math.MaxInt64, math.MinInt64} {
		got, rest, err := database.DecodeInteger(strconv.FormatInt(want, 10) + ":2:text")
		if got != want || rest != "2:text" || err != nil {
			t.Errorf("got %d, rest %q, error %v, want %d", got, rest, err, want)
		}
	}
	if got, rest, err := database.DecodeInteger("12"); got != 12 || rest != "" || err != nil {
		t.Errorf("at the end of the text: got %d, rest %q, error %v, want 12", got, rest, err)
	}
	for _, text := range []string{"", ":", "-:", "1x:", "x1:", "9223372036854775808:", "12345678901234567890123:"} {
		if got, _, err := database.DecodeInteger(text); err == nil {
			t.Errorf("%q was decoded as %d, want an error", text, got)
		}
	}
}
