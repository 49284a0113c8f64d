package service_test

import (
	"errors"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

func TestUploadOnAFullDiskIsUnavailable(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	eachDatabase(t, func(t *testing.T, svc *service.Service, _ *store.Store) {
		ada := addUser(t, svc, "ada")
		uploads, err := svc.NewUploads(disk, 1, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		_, err = uploads.Import(t.Context(), ada, waymark.Import{}, strings.NewReader(strings.Repeat("https://example.org/\n", 10_000)))
		if !errors.Is(err, waymark.ErrUnavailable) {
			t.Errorf("got %v, want %v", err, waymark.ErrUnavailable)
		}
		if err := uploads.Close(); err != nil {
			t.Error(err)
		}
	})
}
