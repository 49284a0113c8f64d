package service_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"waymark/internal/database/dbtest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

func TestUploadOnAFullDiskIsUnavailable(t *testing.T) {
	disk := dbtest.SmallDisk(t, "64k")
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
