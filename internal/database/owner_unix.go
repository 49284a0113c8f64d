//go:build unix

package database

import (
	"io/fs"
	"syscall"
)

// SameOwner reports whether two files belong to the same user.
func SameOwner(a, b fs.FileInfo) bool {
	statA, okA := a.Sys().(*syscall.Stat_t)
	statB, okB := b.Sys().(*syscall.Stat_t)
	return !okA || !okB || statA.Uid == statB.Uid
}
