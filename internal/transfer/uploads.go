package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"waymark/internal/permits"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// ErrImportRunning means that an import of the user is already running on this server.
var ErrImportRunning = errors.New("an import is running")

// MaxUploads is the number of files that a server imports at the same time. Each user can send one.
const MaxUploads = 4

// permitWait is how long an import or a file waits until there are fewer.
const permitWait = 10 * time.Second

// textWait is how long a page waits until its text is read.
const textWait = 30 * time.Second

// Uploads imports the files that users send to a server, in the background.
type Uploads struct {
	transfer *Transfer
	imports  *permits.Limit
	files    *permits.Limit // that are received and stored
	texts    *permits.Limit // of pages that are read, which can take seconds
	log      *slog.Logger

	ctx     context.Context //nolint:containedctx // of the imports, which go on after their requests
	cancel  context.CancelFunc
	running sync.WaitGroup
	mu      sync.Mutex
	users   map[waymark.UserID]chan struct{} // whose imports are running; closed when the import has ended
	stopped bool
}

// NewUploads returns an Uploads that keeps files in a folder while they are imported, at most n
// at the same time. It deletes the files of a server that was killed.
func (t *Transfer) NewUploads(dir string, n int, log *slog.Logger) (*Uploads, error) {
	left, err := fs.Glob(os.DirFS(dir), uploadName)
	if err != nil {
		return nil, err
	}
	for _, name := range left {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	t.KeepFilesIn(dir)
	u := &Uploads{
		transfer: t, log: log, users: map[waymark.UserID]chan struct{}{},
		imports: permits.New(permits.Options{All: int64(n), PerUser: 1, Wait: permitWait, Refused: fmt.Errorf("%w: %d imports are running", waymark.ErrBusy, n)}),
		files:   permits.New(permits.Options{All: maxReceived, Wait: permitWait, Refused: fmt.Errorf("%w: %d files are received", waymark.ErrBusy, maxReceived)}),
		texts:   permits.New(permits.Options{All: 1, Wait: textWait, Refused: fmt.Errorf("%w: other pages are read", waymark.ErrBusy)}),
	}
	u.ctx, u.cancel = context.WithCancel(context.Background())
	return u, nil
}

// Close interrupts the imports, and waits until that is stored.
func (u *Uploads) Close() error {
	u.mu.Lock()
	u.stopped = true
	u.mu.Unlock()
	u.cancel()
	u.running.Wait()
	return nil
}

// Import receives a file, and imports it in the background: see OpenImport. ctx belongs to the request, and ends only the
// transfer of the file. Errors are ErrImportRunning if owner has an import, waymark.ErrBusy if others have too many,
// waymark.ErrUnavailable for a full disk, and that of body.
func (u *Uploads) Import(ctx context.Context, owner waymark.User, i waymark.Import, body io.Reader) (_ waymark.Import, err error) {
	u.awaitEnd(ctx, owner.ID)
	done, err := u.begin(ctx, owner.ID)
	if err != nil {
		return waymark.Import{}, err
	}
	defer func() {
		if err != nil {
			done()
		}
	}()
	file, err := u.transfer.save(body)
	if err != nil {
		return waymark.Import{}, err
	}
	finish := func() {
		if err := discard(file); err != nil {
			u.log.Error("uploaded file not deleted", "error", err)
		}
	}
	defer func() {
		if err != nil {
			finish()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return waymark.Import{}, err
	}
	i.Size = info.Size()
	batch, err := u.transfer.OpenImport(ctx, owner, i, file, nil)
	if err != nil {
		return waymark.Import{}, err
	}
	state := batch.Import()
	u.log.Info("import started", "user", owner.Name, "import", int64(state.ID), "format", state.Format, "bytes", state.Size)
	go func() {
		defer done()
		defer finish()
		i, err := batch.Run(u.ctx)
		u.logEnd(owner, i, err)
	}()
	return state, nil
}

// undoWait is how long Undo waits for the end.
const undoWait = 5 * time.Second

// Undo undoes an import of user: see Transfer.UndoImport. If that takes more than a few
// seconds or ctx ends, it continues in the background and logs its error. After a few seconds the
// result is the import as it is then.
func (u *Uploads) Undo(ctx context.Context, user waymark.User, id waymark.ImportID) (waymark.Import, error) {
	u.mu.Lock()
	stopped := u.stopped
	if !stopped {
		u.running.Add(1)
	}
	u.mu.Unlock()
	if stopped {
		return waymark.Import{}, waymark.ErrUnavailable
	}
	var undone waymark.Import
	done, returned := make(chan error), make(chan struct{})
	defer close(returned)
	go func() {
		defer u.running.Done()
		var err error
		undone, err = u.transfer.UndoImport(u.ctx, user, id)
		select {
		case done <- err:
		case <-returned:
			if err != nil && !errors.Is(err, context.Canceled) {
				u.log.Error("import not undone", "import", int64(id), "error", err)
			}
		}
	}()
	select {
	case err := <-done:
		return undone, err
	case <-ctx.Done():
		return waymark.Import{}, ctx.Err()
	case <-time.After(undoWait):
		return u.transfer.store.Import(ctx, user.ID, id)
	}
}

// logEnd logs how an import ended.
func (u *Uploads) logEnd(owner waymark.User, i waymark.Import, err error) {
	attrs := []any{"user", owner.Name, "import", int64(i.ID), "state", string(i.State), "added", i.Counts.Added, "failed", i.Counts.Failed}
	var file *FileError
	if err == nil || errors.As(err, &file) || errors.Is(err, store.ErrImportEnded) || errors.Is(err, context.Canceled) {
		u.log.Info("import ended", attrs...)
		return
	}
	u.log.Error("import failed", append(attrs, "error", err)...)
}

// endWait is how long Import waits for the end of another import. A client that sees its end can
// send the next file before this process has deleted the last one.
const endWait = time.Second

// awaitEnd waits until no import of a user is running, at most for endWait.
func (u *Uploads) awaitEnd(ctx context.Context, user waymark.UserID) {
	u.mu.Lock()
	ended := u.users[user]
	u.mu.Unlock()
	if ended == nil {
		return
	}
	select {
	case <-ended:
	case <-ctx.Done():
	case <-time.After(endWait):
	}
}

// begin acquires a permit for an import of a user. The caller must call done.
func (u *Uploads) begin(ctx context.Context, user waymark.UserID) (done func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.stopped:
		return nil, waymark.ErrUnavailable
	case u.users[user] != nil:
		return nil, ErrImportRunning
	}
	ended := make(chan struct{})
	u.users[user] = ended
	u.mu.Unlock()
	release, err := u.imports.Acquire(ctx, int64(user), 1)
	u.mu.Lock()
	if err == nil && u.stopped {
		release()
		err = waymark.ErrUnavailable
	}
	if err != nil {
		delete(u.users, user)
		close(ended)
		return nil, err
	}
	u.running.Add(1)
	return func() {
		u.mu.Lock()
		delete(u.users, user)
		u.mu.Unlock()
		release()
		close(ended)
		u.running.Done()
	}, nil
}

// maxReceived is the number of files that a server receives and stores as attachments at the same time. With
// waymark.MaxUpload it limits the space that they take on the disk.
const maxReceived = 8
