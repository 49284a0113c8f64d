package database_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

// slowReader is a streaming read that stops after its first row until finish is called.
type slowReader struct {
	goOn   chan struct{}
	result chan error
	seen   int64 // rows
}

const (
	streamRows = 1100 // read in three queries, as pages of a stream are
	streamPage = 400
)

// readSlowly starts a streaming read of all texts for a user.
func readSlowly(ctx context.Context, t *testing.T, user int64, db *database.DB) *slowReader {
	t.Helper()
	r := &slowReader{goOn: make(chan struct{}), result: make(chan error, 1)}
	started := make(chan struct{})
	go func() {
		r.result <- db.StreamTx(ctx, user, func(q database.Querier) error {
			for last := int64(0); ; {
				before := r.seen
				for id, err := range database.QueryEach(ctx, q, database.ScanValue[int64], "SELECT id FROM texts WHERE id > $1 ORDER BY id LIMIT $2", last, streamPage) {
					if err != nil {
						return err
					}
					last = id
					if r.seen++; r.seen == 1 {
						close(started)
						<-r.goOn
					}
				}
				if r.seen == before {
					return nil
				}
			}
		})
	}()
	select {
	case <-started:
	case err := <-r.result:
		t.Fatalf("the stream ended before its first row: %v", err)
	}
	return r
}

// finish reads the other rows.
func (r *slowReader) finish() error {
	close(r.goOn)
	return <-r.result
}

// eachStreaming runs a test on a database of each system with three slots for streams.
func eachStreaming(t *testing.T, minRun time.Duration, run func(t *testing.T, db *database.DB)) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		o.Connections, o.StreamMinRun = 13, minRun
		db := dbtest.Open(t, o)
		fill(t, db, streamRows)
		run(t, db)
	})
}

// waitForReads waits until want streams run, and no other reads. Package sql returns
// a connection to the pool shortly after its context ends.
func waitForReads(t *testing.T, db *database.DB, want int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		stats := db.Stats()
		inUse := stats.Pools["read"].InUse
		if stats.Streams == want && inUse == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("got %d streams and %d connections in use, want %d", stats.Streams, inUse, want)
		}
	}
}

func TestSlowStreamSeesItsSnapshotUntilItsEnd(t *testing.T) {
	eachStreaming(t, time.Nanosecond, func(t *testing.T, db *database.DB) {
		first := readSlowly(t.Context(), t, 1, db)
		second := readSlowly(t.Context(), t, 1, db)
		mustWrite(t, db, insert(streamRows+1))
		if got := db.Stats().Streams; got != 2 {
			t.Errorf("got %d streams, want both", got)
		}
		for _, r := range []*slowReader{second, first} {
			if err := r.finish(); err != nil || r.seen != streamRows {
				t.Errorf("got %d rows, error %v, want the %d that existed at the start", r.seen, err, streamRows)
			}
		}
	})
}

func TestOldestStreamIsPreempted(t *testing.T) {
	eachStreaming(t, time.Millisecond, func(t *testing.T, db *database.DB) {
		var readers []*slowReader
		for user := range int64(4) { // one more than there are slots
			readers = append(readers, readSlowly(t.Context(), t, user, db))
		}
		waitForReads(t, db, 3)
		for i, r := range readers {
			want := error(nil)
			if i == 0 {
				want = waymark.ErrUnavailable
			}
			wantError(t, fmt.Sprint("stream ", i), r.finish(), want)
		}
		if stats := db.Stats(); stats.Preempted != 1 || stats.Streams != 0 {
			t.Errorf("got %d preempted streams and %d running ones, want 1 and 0", stats.Preempted, stats.Streams)
		}
	})
}

func TestStreamIsNotPreemptedBeforeItsMinimumRun(t *testing.T) {
	eachStreaming(t, 0, func(t *testing.T, db *database.DB) {
		var readers []*slowReader
		for user := range int64(3) {
			readers = append(readers, readSlowly(t.Context(), t, user, db))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err := db.StreamTx(ctx, 4, func(database.Querier) error { return nil })
		wantError(t, "a stream without a slot", err, context.DeadlineExceeded)
		for i, r := range readers {
			wantError(t, fmt.Sprint("stream ", i), r.finish(), nil)
		}
	})
}

func TestCanceledStreamReleasesItsConnection(t *testing.T) {
	eachStreaming(t, 0, func(t *testing.T, db *database.DB) {
		for range 9 {
			ctx, cancel := context.WithCancel(t.Context())
			r := readSlowly(ctx, t, 1, db)
			cancel()
			wantError(t, "a canceled stream", r.finish(), context.Canceled)
		}
		waitForReads(t, db, 0)
	})
}

func TestShortReadsDoNotWaitForSearches(t *testing.T) {
	eachStreaming(t, 0, func(t *testing.T, db *database.DB) {
		slots := min(3, runtime.GOMAXPROCS(0))
		started, proceed, ended := make(chan struct{}), make(chan struct{}), make(chan error)
		for user := range int64(slots) {
			go func() {
				ended <- db.Search(t.Context(), user, func() error {
					started <- struct{}{}
					<-proceed
					return nil
				})
			}()
			<-started
		}
		none := func() error { return nil }
		count := func(q database.Querier) error {
			_, err := database.QueryOne(t.Context(), q, database.ScanValue[int64], "SELECT count(*) FROM texts")
			return err
		}
		wantError(t, "a query", count(db.Querier()), nil)
		wantError(t, "a read transaction", db.ReadTx(t.Context(), 1, count), nil)
		wantError(t, "a stream", db.StreamTx(t.Context(), 1, count), nil)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		wantError(t, "a search without a slot", db.Search(ctx, 4, none), waymark.ErrBusy)
		close(proceed)
		for range slots {
			wantError(t, "a search", <-ended, nil)
		}
		wantError(t, "a search with a slot", db.Search(t.Context(), 4, none), nil)
	})
}

// writeBytes inserts texts of about that size in total, each in a commit of its own.
func writeBytes(t *testing.T, db *database.DB, bytes int) {
	t.Helper()
	text := strings.Repeat("a text of some length, ", 2000)
	for range bytes / len(text) {
		mustWrite(t, db, func(exec exec) error { return exec("INSERT INTO texts (text) VALUES ($1)", text) })
	}
}

func TestWALStaysShortBetweenCommits(t *testing.T) {
	db := openSQLite(t)
	text := strings.Repeat("a text of some length, ", 14_000)
	for range 240 { // about 77 MB
		mustWrite(t, db, func(exec exec) error { return exec("INSERT INTO texts (text) VALUES ($1)", text) })
	}
	stats := db.Stats()
	if stats.WALBytes > 28<<20 {
		t.Errorf("the WAL has %d bytes, want at most 28 MiB", stats.WALBytes)
	}
	if stats.DatabaseBytes < 48<<20 || stats.Checkpoints["complete"] == 0 || stats.Checkpoints["error"] != 0 {
		t.Errorf("got a database of %d bytes and checkpoints %v, want at least 48 MiB, and no error", stats.DatabaseBytes, stats.Checkpoints)
	}
}

func TestWALStaysShortDuringConstantReads(t *testing.T) {
	db := openSQLite(t)
	if err := db.SetCheckpointLimits(t.Context(), 256<<10, 1<<20, 1<<40, time.Minute); err != nil {
		t.Fatal(err)
	}
	// snapshot reads until end is called.
	snapshot := func() (end func() error) {
		started, proceed, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			result <- db.ReadTx(t.Context(), 1, func(q database.Querier) error {
				_, err := database.QueryOne(t.Context(), q, database.ScanValue[int64], "SELECT count(*) FROM texts")
				close(started)
				<-proceed
				return err
			})
		}()
		<-started
		return func() error {
			close(proceed)
			return <-result
		}
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		stopped <- func() error {
			for end := snapshot(); ; {
				next := snapshot() // starts before the other one ends
				if err := end(); err != nil {
					next() //nolint:errcheck // the first error counts
					return err
				}
				end = next
				select {
				case <-stop:
					return end()
				default:
				}
			}
		}()
	}()
	var longest int64
	for range 20 {
		writeBytes(t, db, 1<<19)
		longest = max(longest, db.Stats().WALBytes)
	}
	close(stop)
	wantError(t, "constant reads", <-stopped, nil)
	if longest > 3<<20 {
		t.Errorf("the WAL had up to %d bytes, want at most 3 MiB", longest)
	}
	if stats := db.Stats(); stats.Checkpoints["error"] != 0 || stats.Checkpoints["complete"] == 0 {
		t.Errorf("got checkpoints %v, want complete ones and no error", stats.Checkpoints)
	}
}

func TestStreamIsPreemptedWhenTheWALIsTooLong(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	o.StreamMinRun = time.Nanosecond
	db := dbtest.Open(t, o)
	if err := db.SetCheckpointLimits(t.Context(), 256<<10, 1<<20, 3<<20, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	fill(t, db, streamRows)
	reader := readSlowly(t.Context(), t, 1, db)
	writeBytes(t, db, 1<<20)
	if stats := db.Stats(); stats.Preempted != 0 {
		t.Errorf("the stream was preempted when the WAL had %d bytes", stats.WALBytes)
	}
	var longest int64
	for range 10 {
		writeBytes(t, db, 1<<20)
		longest = max(longest, db.Stats().WALBytes)
	}
	if now := db.Stats().WALBytes; longest > 10<<20 || now > 4<<20 {
		t.Errorf("the WAL had up to %d bytes, and has %d now, want at most 10 MiB and 4 MiB", longest, now)
	}
	waitForReads(t, db, 0)
	wantError(t, "the slow stream", reader.finish(), waymark.ErrUnavailable)
	if reader.seen >= streamRows {
		t.Errorf("the preempted stream read all %d rows", reader.seen)
	}
}
