package linkindex

import (
	"encoding/binary"
	"slices"
)

// integers is an array of integers. Each takes as few bytes as the one that differs most from
// the first one: none while all are equal, at most 8.
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
		a.data = append(a.data, make([]byte, a.n*a.width+8-len(a.data))...)
		a.put(a.n-1, difference)
	}
}

// put stores the difference of an integer. What it writes after the integer is overwritten when
// the next one is stored.
func (a *integers) put(i int, difference int64) {
	binary.LittleEndian.PutUint64(a.data[i*a.width:], uint64(difference))
}

// widen makes the integers wide enough for a difference.
func (a *integers) widen(difference int64) {
	old := *a
	for difference != signExtended(difference, a.width) {
		a.width++
	}
	a.data = make([]byte, a.n*a.width+8)
	for i := range a.n {
		a.put(i, old.at(i)-a.first)
	}
}

// signExtended returns the integer that the lowest bytes of n are in two's complement.
func signExtended(n int64, bytes int) int64 {
	unused := 64 - 8*bytes
	return n << unused >> unused
}

// clip gives back the memory that append reserved.
func (a *integers) clip() { a.data = slices.Clone(a.data) }

func (a *integers) bytes() int { return cap(a.data) }
