//go:build !linux && !darwin

package database

import "math"

// FreeSpace returns math.MaxInt64: the free space is not known on this system.
func FreeSpace(string) int64 { return math.MaxInt64 }
