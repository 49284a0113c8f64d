package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"waymark/internal/config"
)

func TestFileThatMayNotBeReadIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "waymark.env")
	if err := os.WriteFile(file, []byte("WAYMARK_DATA=/var/lib/waymark\n"), 0); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // root may read everything: this thread becomes nobody for files, and ends here
		if err := syscall.Setfsuid(65534); err != nil {
			t.Error(err)
		}
		failed <- config.ReadFile(file)
	}()
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "may not be read") {
		t.Errorf("got %v, want an error that says that the file may not be read", err)
	}
}
