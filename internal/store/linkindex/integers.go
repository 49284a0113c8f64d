package linkindex

import "slices"

// integers is an array of integers. They take 4 bytes each while all of them are near the
// first one, as the ids of links that were added one after the other, and 8 bytes otherwise.
type integers struct {
	base int64
	near []uint32 // the differences to base
	far  []int64  // all integers, once one of them was not near
}

func (a *integers) len() int { return len(a.near) + len(a.far) }

func (a *integers) at(i int) int64 {
	if a.far != nil {
		return a.far[i]
	}
	return a.base + int64(a.near[i])
}

func (a *integers) append(n int64) {
	if a.len() == 0 {
		a.base = n - 1<<31
	}
	switch difference := uint64(n) - uint64(a.base); {
	case a.far != nil:
		a.far = append(a.far, n)
	case difference < 1<<32:
		a.near = append(a.near, uint32(difference))
	default:
		far := make([]int64, 0, cap(a.near))
		for i := range a.near {
			far = append(far, a.at(i))
		}
		a.near, a.far = nil, append(far, n)
	}
}

// clip gives back the memory that append reserved.
func (a *integers) clip() { a.near, a.far = slices.Clone(a.near), slices.Clone(a.far) }

func (a *integers) bytes() int { return 4*cap(a.near) + 8*cap(a.far) }
