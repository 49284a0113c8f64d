package database

import (
	"math"
	"testing"
)

func TestReserveIsSmallerOnlyIfTheDiskIsFull(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct{ size, have, free, want int64 }{
		{8 * mib, 8 * mib, math.MaxInt64, 8 * mib}, // the free space is not known
		{8 * mib, 8 * mib, 100 * mib, 8 * mib},
		{4 * mib, 8 * mib, 100 * mib, 4 * mib},
		{8 * mib, 2 * mib, 100 * mib, 2 * mib},
		{8 * mib, 8 * mib, 0, 7 * mib},
		{8 * mib, 1000, 0, 0},
	} {
		r := &reserve{size: test.size}
		if got := r.sizeAtOpen(test.have, test.free); got != test.want {
			t.Errorf("%d bytes of %d, %d free: got %d, want %d", test.have, test.size, test.free, got, test.want)
		}
	}
}
