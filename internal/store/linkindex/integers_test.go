package linkindex

import (
	"math"
	"testing"
)

func TestIntegersKeepTheirValues(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []int64
		bytes  int // of each
	}{
		{"near", []int64{7, 8, 5, 7 + 1<<31 - 1, 7 - 1<<31}, 4},
		{"equal", []int64{3, 3, 3}, 4},
		{"too large", []int64{7, 8, 7 + 1<<31, 9}, 8},
		{"too small", []int64{7, 8, 7 - 1<<31 - 1, 9}, 8},
		{"the largest and the smallest", []int64{math.MaxInt64, math.MinInt64, 0, math.MaxInt64}, 8},
		{"the smallest", []int64{math.MinInt64, math.MinInt64 + 5}, 4},
		{"the largest", []int64{math.MaxInt64, math.MaxInt64 - 5}, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			var all integers
			for _, n := range test.values {
				all.append(n)
			}
			all.clip()
			if all.len() != len(test.values) {
				t.Errorf("got %d integers, want %d", all.len(), len(test.values))
			}
			for i, want := range test.values {
				if got := all.at(i); got != want {
					t.Errorf("integer %d: got %d, want %d", i, got, want)
				}
			}
			if got, want := all.bytes(), test.bytes*len(test.values); got < want || got >= want+64 {
				t.Errorf("they take %d bytes, want about %d", got, want)
			}
		})
	}
}
