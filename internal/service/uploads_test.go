package service_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// lines is a log that sends its lines.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestTheErrorOfAnUndoThatContinuesInTheBackgroundIsLogged(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *service.Service, _ *store.Store) {
		ada := addUser(t, svc, "ada")
		log := make(lines, 1)
		uploads, err := svc.NewUploads(t.TempDir(), 1, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = uploads.Undo(ctx, ada, 1)
		switch {
		case errors.Is(err, context.Canceled):
			select {
			case line := <-log:
				if !strings.Contains(line, "import not undone") || !strings.Contains(line, waymark.ErrNotFound.Error()) {
					t.Errorf("got the log %q, want the error of the undo", line)
				}
			case <-time.After(30 * time.Second):
				t.Error("the error of the undo is not in the log")
			}
		case !errors.Is(err, waymark.ErrNotFound): // the undo was faster
			t.Errorf("got %v, want the error of the context or of the undo", err)
		}
		if err := uploads.Close(); err != nil {
			t.Error(err)
		}
	})
}
