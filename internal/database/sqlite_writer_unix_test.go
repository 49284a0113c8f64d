//go:build linux || darwin

package database_test

import (
	"os/signal"
	"syscall"
	"testing"
)

// A full disk fails the commit itself. A limit on the size of files has the same effect.
func TestFullDiskKeepsAcknowledgedWrites(t *testing.T) {
	db := openSQLite(t)
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	set := func(limit syscall.Rlimit) {
		t.Helper()
		check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	}
	defer set(before)
	checkFull(t, db, func() {
		set(syscall.Rlimit{Cur: uint64(db.WALBytes()) + 2_000_000, Max: before.Max})
	}, func() { set(before) })
}
