package transfer_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestUploadOnAFullDiskIsUnavailable(t *testing.T) {
	disk := dbtest.SmallDisk(t, "64k")
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		uploads, err := svc.NewUploads(disk, 1, slog.New(slog.DiscardHandler))
		check(t, err)
		_, err = uploads.Import(t.Context(), ada, waymark.Import{}, strings.NewReader(strings.Repeat("https://example.org/\n", 10_000)))
		if !errors.Is(err, waymark.ErrUnavailable) {
			t.Errorf("got %v, want %v", err, waymark.ErrUnavailable)
		}
		if err := uploads.Close(); err != nil {
			t.Error(err)
		}
	})
}
