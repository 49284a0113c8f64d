package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// ImportBatch is a running import, which can be undone as a whole. Its methods are called
// from one goroutine.
//
// An import of any source has this shape: BeginImport stores the batch, run carries it out, and
// each step of it is one transaction. Bookmarks is the import of a file of another program.
type ImportBatch struct {
	transfer *Transfer
	owner    waymark.User
	progress ImportProgress
	state    waymark.Import

	file *bookmarks.Reader // of OpenImport; nil for records of another source
}

// ImportProgress receives an import after each step, and the problems of the step.
type ImportProgress func(i waymark.Import, problems []waymark.ImportProblem)

// OpenImport recognises the format of a file, and stores a new import of owner. The fields File,
// Options and Size of i describe the file. Run carries the import out, and reports it to progress
// after each step; progress can be nil. The error of a file that is not a known one is a FileError.
func (t *Transfer) OpenImport(ctx context.Context, owner waymark.User, i waymark.Import, file io.Reader, progress ImportProgress) (*ImportBatch, error) {
	reader, err := bookmarks.Open(file, bookmarks.Limits{})
	if err != nil {
		return nil, &FileError{err}
	}
	i.Format = string(reader.Format())
	b, err := t.BeginImport(ctx, owner, i, progress)
	if err != nil {
		return nil, err
	}
	b.file = reader
	return b, nil
}

// position returns how much of the file of OpenImport was read, in bytes.
func (b *ImportBatch) position() int64 {
	if b.file == nil {
		return 0
	}
	return b.file.Position()
}

// BeginImport stores a new import of owner. The fields File, Format, Options and Size of i describe
// the file.
func (t *Transfer) BeginImport(ctx context.Context, owner waymark.User, i waymark.Import, progress ImportProgress) (*ImportBatch, error) {
	if err := i.Options.Validate(); err != nil {
		return nil, err
	}
	i.Owner, i.Options = owner.ID, i.Options.WithDefaults()
	if v := i.Options.Visibility; v != 0 {
		owner.DefaultVisibility = waymark.DefaultsTo(v)
	}
	i, err := t.store.CreateImport(ctx, i)
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(waymark.Import, []waymark.ImportProblem) {}
	}
	return &ImportBatch{transfer: t, owner: owner, progress: progress, state: i}, nil
}

// Import returns the import as its last step left it.
func (b *ImportBatch) Import() waymark.Import { return b.state }

// FileError is an error of the file that is imported. Its text is for the user who imports it.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// importSeenInterval is how often a running import says so, also if it waits for its file.
const importSeenInterval = store.ImportTimeout / 4

// errDiskFull says what to do if the disk is full. With PostgreSQL it is the disk of the database
// server. It is the error of the interrupted import.
var errDiskFull = errors.New("the disk with the database is full: free space, and import the file again, which saves no link twice")

// endTimeout limits the time to store how an import ended, when its own context has ended.
const endTimeout = 10 * time.Second

// run carries out the import: it calls do, and stores how it ended. What was imported stays until it
// is undone. It returns the error of do: store.ErrImportEnded after an undo or the removal of the user, a FileError
// for a file that cannot be read to its end, or the error of ctx.
func (b *ImportBatch) run(ctx context.Context, do func(ctx context.Context) error) (waymark.Import, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		b.tellRunning(ctx, cancel)
	}()
	err := do(ctx)
	if ctx.Err() != nil && err != nil {
		err = context.Cause(ctx)
	}
	cancel(nil)
	<-stopped
	if errors.Is(err, store.ErrImportEnded) {
		b.state.State = waymark.ImportUndoing
		return b.state, err
	}
	if store.IsDiskFull(err) {
		err = fmt.Errorf("%w: %w", errDiskFull, err)
	}
	state, text := endState(err)
	endCtx, endCancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer endCancel()
	ended, endErr := b.transfer.store.EndImport(endCtx, b.state.ID, state, text)
	if endErr == nil {
		b.state = ended
		b.progress(b.state, nil)
	}
	if errors.Is(err, waymark.ErrUnavailable) && endErr != nil {
		return b.state, err // the end could not be stored for the same reason
	}
	return b.state, errors.Join(err, endErr)
}

// endState returns the state of an import that has ended with err. text is the error for its user: only the file or a
// full disk has one.
func endState(err error) (state waymark.ImportState, text string) {
	file, isFile := errors.AsType[*FileError](err)
	switch {
	case err == nil:
		return waymark.ImportFinished, ""
	case errors.Is(err, errDiskFull):
		return waymark.ImportInterrupted, errDiskFull.Error()
	case isFile:
		return waymark.ImportFailed, file.Error()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, waymark.ErrUnavailable):
		return waymark.ImportInterrupted, ""
	}
	return waymark.ImportFailed, ""
}

// tellRunning stores regularly that the import is running, until ctx ends. It cancels the import
// if it was undone or its user removed.
func (b *ImportBatch) tellRunning(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(importSeenInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// Other errors are ignored: the next step has the same, and returns it.
		if err := b.transfer.store.ImportSeen(ctx, b.state.ID); errors.Is(err, store.ErrImportEnded) {
			cancel(err)
			return
		}
	}
}

// retries are the times after which a step is tried again that found the database unavailable:
// another program can hold a lock, or a PostgreSQL server fail over.
var retries = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

// step runs one transaction of the import: see store.Store.StepImport. do must give the same result
// if it runs again, because the result of a COMMIT may not be known.
func (b *ImportBatch) step(ctx context.Context, do func(ctx context.Context, s *store.Store) (store.ImportStep, error)) error {
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var problems []waymark.ImportProblem
		state, err := b.transfer.store.StepImport(ctx, b.state.ID, func(ctx context.Context, s *store.Store) (store.ImportStep, error) {
			step, err := do(ctx, s)
			problems = step.Problems
			return step, err
		})
		if err == nil {
			b.state = state
			b.progress(b.state, problems)
			return nil
		}
		if !errors.Is(err, waymark.ErrUnavailable) || store.IsDiskFull(err) || attempt == len(retries) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retries[attempt]):
		}
	}
}

// tooManyLabels returns the problems of a link some of whose lists or tags were left out.
func tooManyLabels(link store.ImportedLink, line int, url string) (problems []waymark.ImportProblem) {
	add := func(field waymark.Field, limit int) {
		problems = append(problems, waymark.NewImportProblem(line, url, true, waymark.Problem{Field: field, Rule: waymark.RuleMaxCount, Limit: limit}))
	}
	if link.TooManyLists {
		add(waymark.FieldLists, waymark.MaxLinkFolders)
	}
	if link.TooManyTags {
		add(waymark.FieldTags, waymark.MaxLinkTags)
	}
	if link.TooManyPassages {
		add(waymark.FieldPassages, waymark.MaxPassages)
	}
	return problems
}

// sortByLine sorts the problems of a step in the order of the file.
func sortByLine(problems []waymark.ImportProblem) {
	slices.SortStableFunc(problems, func(a, b waymark.ImportProblem) int { return cmp.Compare(a.Line, b.Line) })
}

// UndoImport undoes an import of user: see store.Store.UndoImport.
func (t *Transfer) UndoImport(ctx context.Context, user waymark.User, id waymark.ImportID) (waymark.Import, error) {
	return t.store.UndoImport(ctx, user.ID, id)
}

// The limits of one step of an import. Each is a transaction, and others wait for it on SQLite.
const (
	maxStepLinks = 500
	maxStepPairs = 20_000  // of links with their lists and tags
	maxStepBytes = 4 << 20 // of texts
)
