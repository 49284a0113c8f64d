//go:build linux || darwin

package database

import (
	"math"
	"path/filepath"
	"syscall"
)

// FreeSpace returns the number of bytes that can be written to the disk of a file. It
// returns math.MaxInt64 if that is not known.
func FreeSpace(file string) int64 {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(file), &stat); err != nil || stat.Bsize == 0 || stat.Bavail > math.MaxInt64/uint64(stat.Bsize) {
		return math.MaxInt64
	}
	return int64(stat.Bavail) * int64(stat.Bsize) //nolint:unconvert // Bsize has another type on darwin
}
