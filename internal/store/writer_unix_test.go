//go:build linux || darwin

package store_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

// A disk that takes no more fails the commit itself. The limit on the size of files
// stands in for it.
func TestFullDiskLosesNothingThatWasAcknowledged(t *testing.T) {
	dir := t.TempDir()
	s := storetest.OpenWith(t, store.Options{Dir: dir})
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	set := func(limit syscall.Rlimit) {
		t.Helper()
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
	}
	defer set(before)
	checkRoom(t, s, func() {
		log, err := os.Stat(filepath.Join(dir, "waymark.db-wal"))
		if err != nil {
			t.Fatal(err)
		}
		set(syscall.Rlimit{Cur: uint64(log.Size()) + 2_000_000, Max: before.Max})
	}, func() { set(before) })
}
