package linkindex

import (
	"math"
	"testing"
)

func TestIntegersKeepTheirValues(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []int64
		width  int
	}{
		{"none", nil, 0},
		{"equal", []int64{3, 3, 3}, 0},
		{"near", []int64{7, 8, 7 + 1<<7 - 1, 7 - 1<<7}, 1},
		{"not near", []int64{7, 8, 7 + 1<<7, 9}, 2},
		{"not near, but smaller", []int64{7, 8, 7 - 1<<7 - 1, 9}, 2},
		{"farther and farther", []int64{7, 8, 1 << 10, -1 << 18, 1 << 26, -1 << 34, 1 << 42, 1 << 50, 7, 6}, 7},
		{"far", []int64{7, -1 << 55, 1 << 55}, 8},
		{"the largest and the smallest", []int64{math.MaxInt64, math.MinInt64 + 1, 0, math.MaxInt64}, 8},
		{"the smallest and the largest", []int64{math.MinInt64, math.MaxInt64, 0, math.MinInt64}, 8},
		{"the smallest", []int64{math.MinInt64, math.MinInt64 + 5}, 1},
		{"the largest", []int64{math.MaxInt64, math.MaxInt64 - 5}, 1},
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
			if all.width != test.width {
				t.Errorf("they take %d bytes each, want %d", all.width, test.width)
			}
		})
	}
}
