package transfer_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// lines is a log that sends its lines.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestTheErrorOfAnUndoThatContinuesInTheBackgroundIsLogged(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		log := make(lines, 1)
		uploads, err := svc.NewUploads(t.TempDir(), 1, slog.New(slog.NewTextHandler(log, nil)))
		check(t, err)
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

// The name of the directory is not a pattern.
func TestUploadsOfAKilledServerAreDeletedInADirectoryOfAnyName(t *testing.T) {
	for _, name := range []string{"plain", "a[1]", "[", "a*", `a\`} {
		dir := filepath.Join(t.TempDir(), name)
		check(t, os.MkdirAll(dir, 0o700))
		left := filepath.Join(dir, "upload-1.tmp")
		check(t, os.WriteFile(left, nil, 0o600))
		if _, err := new(transfer.Transfer).NewUploads(dir, 1, slog.New(slog.DiscardHandler)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: the file is left: %v", name, err)
		}
	}
}

// Clients of one user that send nothing more do not keep another user from sending a file.
func TestUnfinishedUploadsOfAUserLeaveOthersTheirs(t *testing.T) {
	uploads, err := new(transfer.Transfer).NewUploads(t.TempDir(), 1, slog.New(slog.DiscardHandler))
	check(t, err)
	var senders []*io.PipeWriter
	var ended sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for range 64 {
		body, sender := io.Pipe()
		senders = append(senders, sender)
		ended.Go(func() {
			if file, err := uploads.Receive(ctx, 1, body); err == nil {
				check(t, file.Close())
			}
		})
	}
	began := time.Now()
	for range 10 { // more than are received at a time
		file, err := uploads.Receive(t.Context(), 2, strings.NewReader("a"))
		check(t, err)
		check(t, file.Close())
	}
	if waited := time.Since(began); waited > 5*time.Second {
		t.Errorf("the files of another user were received after %s", waited)
	}
	cancel()
	for _, sender := range senders {
		sender.Close()
	}
	ended.Wait()
}
