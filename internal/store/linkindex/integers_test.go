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

func TestNumbersKeepTheirValues(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []uint32
		bytes  int
	}{
		{"none", nil, 0},
		{"two bytes each", []uint32{0, 7, math.MaxUint16, 7}, 8},
		{"four bytes each", []uint32{7, math.MaxUint16, math.MaxUint16 + 1, 8, math.MaxUint32}, 20},
		{"four bytes each from the first one on", []uint32{math.MaxUint32, 0}, 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			var all numbers
			for range 2 { // the second time in the memory of the first one
				for _, n := range test.values {
					all.append(n)
				}
				empty := all.clip()
				if all.len() != len(test.values) || all.bytes() != test.bytes {
					t.Errorf("got %d numbers in %d bytes, want %d in %d", all.len(), all.bytes(), len(test.values), test.bytes)
				}
				for i, want := range test.values {
					if got := all.at(i); got != want {
						t.Errorf("number %d: got %d, want %d", i, got, want)
					}
				}
				if all = empty; all.len() != 0 {
					t.Errorf("the memory for the next numbers has %d numbers", all.len())
				}
			}
		})
	}
}

func TestEndsTellThePartsApart(t *testing.T) {
	lengths := []int{0, 3, 1, 0, 0, 250, 1 << 16, 1, 0, maxEnd - 1<<16 - 255} // the last part ends at maxEnd
	var all ends
	var starts []int
	end := 0
	for range 20 { // parts without an element come first, because there are more than partAt looks at
		all.append(0)
		starts = append(starts, 0)
	}
	for _, length := range lengths {
		starts = append(starts, end)
		end += length
		all.append(end)
	}
	if all.len() != len(starts) || end != maxEnd {
		t.Fatalf("got %d parts up to %d, want %d up to %d", all.len(), end, len(starts), maxEnd)
	}
	for part, start := range starts {
		if got := all.startOf(part); got != start {
			t.Errorf("part %d begins at %d, want %d", part, got, start)
		}
		for _, offset := range []int{start, all.at(part) - 1} {
			if start == all.at(part) {
				continue // no element
			}
			for from := range part + 1 {
				if got := all.partAt(offset, from); got != part {
					t.Errorf("element %d from part %d on: got part %d, want %d", offset, from, got, part)
				}
			}
		}
	}
}
