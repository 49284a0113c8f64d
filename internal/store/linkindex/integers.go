package linkindex

import (
	"encoding/binary"
	"math"
	"sort"
)

// integers is an array of integers, stored as differences to the first one. All differences take
// the same number of bytes, as few as the largest needs: 0 while all integers are equal, 8 at most.
type integers struct {
	n     int
	first int64
	width int    // the bytes of each
	data  []byte // the differences to the first one, little-endian, and 8 further bytes
}

func (a *integers) len() int { return a.n }

func (a *integers) at(i int) int64 {
	if a.width == 0 {
		return a.first
	}
	return a.first + signExtended(int64(binary.LittleEndian.Uint64(a.data[i*a.width:])), a.width)
}

func (a *integers) append(n int64) {
	if a.n == 0 {
		a.first = n
	}
	difference := n - a.first
	if difference != signExtended(difference, a.width) {
		a.widen(difference)
	}
	a.n++
	if a.width > 0 {
		if len(a.data) == 0 {
			a.data = append(a.data, reserved[:]...)
		}
		a.data = append(a.data, reserved[:a.width]...)
		a.put(a.n-1, difference)
	}
}

// reserved are the bytes after the last integer, so that each can be read and written as eight bytes.
var reserved [8]byte

// put stores the difference of an integer, and bytes after it, which the next one overwrites.
func (a *integers) put(i int, difference int64) {
	binary.LittleEndian.PutUint64(a.data[i*a.width:], uint64(difference))
}

// widen makes the integers wide enough for a difference.
func (a *integers) widen(difference int64) {
	values := make([]int64, a.n)
	for i := range values {
		values[i] = a.at(i)
	}
	for difference != signExtended(difference, a.width) {
		a.width++
	}
	a.n, a.data = 0, a.data[:0]
	for _, n := range values {
		a.append(n)
	}
}

// signExtended returns the lowest bytes of n as an integer in two's complement.
func signExtended(n int64, bytes int) int64 {
	unused := 64 - 8*bytes
	return n << unused >> unused
}

// clip gives the integers an array without more room, and returns the empty larger one.
func (a *integers) clip() (empty integers) { return integers{data: clip(&a.data)} }

func (a *integers) bytes() int { return cap(a.data) }

// numbers is an array of the numbers that stand for lists, tags or hosts. Each takes two bytes while all are
// less than 65,536, and four bytes otherwise.
type numbers struct {
	narrow []uint16
	wide   []uint32 // nil while narrow has the numbers
}

func (a *numbers) len() int { return len(a.narrow) + len(a.wide) }

func (a *numbers) at(i int) uint32 {
	if a.wide == nil {
		return uint32(a.narrow[i])
	}
	return a.wide[i]
}

func (a *numbers) append(n uint32) {
	if a.wide == nil && n <= math.MaxUint16 {
		a.narrow = append(a.narrow, uint16(n))
		return
	}
	if a.wide == nil {
		a.wide = make([]uint32, len(a.narrow), cap(a.narrow)+1)
		for i, number := range a.narrow {
			a.wide[i] = uint32(number)
		}
		a.narrow = nil
	}
	a.wide = append(a.wide, n)
}

// clip gives the numbers an array without more room, and returns the empty larger one.
func (a *numbers) clip() (empty numbers) {
	if a.wide == nil {
		return numbers{narrow: clip(&a.narrow)}
	}
	return numbers{wide: clip(&a.wide)}
}

func (a *numbers) bytes() int { return 2*cap(a.narrow) + 4*cap(a.wide) }

// ends are the end offsets of consecutive parts of an array. Each takes three bytes. There is one
// additional byte at the end, so that each offset can be read as four bytes.
type ends []byte

// maxEnd is the largest end.
const maxEnd = 1<<24 - 1

func (e ends) len() int { return len(e) / 3 }

func (e ends) at(i int) int { return int(binary.LittleEndian.Uint32(e[3*i:]) & maxEnd) }

func (e *ends) append(end int) {
	if len(*e) == 0 {
		*e = append(*e, 0)
	}
	last := len(*e) - 1
	*e = append(*e, 0, 0, 0)
	binary.LittleEndian.PutUint32((*e)[last:], uint32(end))
}

// startOf returns where a part begins.
func (e ends) startOf(part int) int {
	if part == 0 {
		return 0
	}
	return e.at(part - 1)
}

// partAt returns the part with the element at offset. It is at or after from, often near it.
func (e ends) partAt(offset, from int) int {
	if offset < e.at(from) {
		return from
	}
	from++
	step := 1
	for from+step < e.len() && e.at(from+step) <= offset {
		from += step
		step *= 2
	}
	return from + sort.Search(min(step+1, e.len()-from), func(i int) bool { return e.at(from+i) > offset })
}
