package dbtest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// SmallDisk mounts a disk of a size such as 24m and returns its directory. Only root may do so:
// the test is skipped otherwise.
func SmallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// FillDisk writes a file until the disk is full, and returns the name of the file.
func FillDisk(t *testing.T, disk string) string {
	t.Helper()
	name := filepath.Join(disk, "another program")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // the disk is full
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	return name
}
