//go:build !linux

package database

import "runtime"

// yieldThread lets other goroutines run, where the system has no call for threads.
func yieldThread() { runtime.Gosched() }
