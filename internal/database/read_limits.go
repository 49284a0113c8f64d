package database

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"waymark/internal/waymark"
)

// semaphore limits how many goroutines do something at a time. Its capacity is the
// number of slots.
type semaphore chan struct{}

// acquire waits for a free slot.
func (s semaphore) acquire(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s semaphore) release() { <-s }

// allotConnections divides the connections between the kinds of read transactions.
func (db *DB) allotConnections(connections int, streamMinRun time.Duration) {
	db.readSlots = make(semaphore, max(1, connections/2))
	processors := runtime.GOMAXPROCS(0) - 1 // one is left to short reads and writes
	searches := max(1, min(processors, connections/4))
	db.searchSlots = newFairSemaphore(searches)
	db.searchWorkers = make(semaphore, max(0, processors-searches))
	db.streams = &streams{slots: make(semaphore, max(1, connections/4)), minRun: streamMinRun}
}

// ReadTx runs read in a transaction that sees one snapshot. It waits for one of a
// limited number of slots. Errors of read are returned as they are.
func (db *DB) ReadTx(ctx context.Context, read func(q Querier) error) error {
	if err := db.readSlots.acquire(ctx); err != nil {
		return err
	}
	defer db.readSlots.release()
	return db.readTx(ctx, read)
}

// Search calls read, which needs much of a processor. Searches have slots of their own, so
// that short reads do not wait for them. Users that wait for a slot get one in rotation.
func (db *DB) Search(ctx context.Context, user int64, read func() error) error {
	if err := db.searchSlots.acquire(ctx, user); err != nil {
		return err
	}
	defer db.searchSlots.release()
	return read()
}

// TrySearchWorker reports whether a search may use a further goroutine. It returns the
// function to call when that has ended, or nil. Searches and their goroutines leave one
// processor to others.
func (db *DB) TrySearchWorker() (done func()) {
	select {
	case db.searchWorkers <- struct{}{}:
		return db.searchWorkers.release
	default:
		return nil
	}
}

// StreamTx is ReadTx for a read whose rows are sent to a client while they are read, so
// that it takes as long as the client does. It has a slot of its own kind, and may be
// preempted: then it returns waymark.ErrUnavailable.
func (db *DB) StreamTx(ctx context.Context, read func(q Querier) error) error {
	stream, err := db.streams.begin(ctx)
	if err != nil {
		return err
	}
	defer stream.end()
	err = db.readTx(stream.ctx, read)
	if err != nil && errors.Is(context.Cause(stream.ctx), errPreempted) {
		return errPreempted
	}
	return err
}

func (db *DB) readTx(ctx context.Context, read func(q Querier) error) error {
	tx, err := db.read.BeginTx(ctx, db.dialect.readTxOptions)
	if err != nil {
		return db.dialect.mapError(fmt.Errorf("begin a read transaction: %w", err))
	}
	defer tx.Rollback() //nolint:errcheck // a read transaction changes nothing
	return read(Querier{runner: tx, dialect: db.dialect, stmts: db.stmts, tx: tx, trace: db.trace})
}

var errPreempted = fmt.Errorf("%w: the streaming read was preempted", waymark.ErrUnavailable)

// streams limits the streaming reads. Each holds a connection and a snapshot for as long
// as its client reads, so there are few at a time. A stream runs without a time limit
// until another stream needs its slot or the WAL must be truncated; then the oldest ones
// are preempted, but none before it has run for minRun.
type streams struct {
	slots     semaphore
	minRun    time.Duration
	preempted atomic.Int64 // the number of preempted streams

	mu      sync.Mutex
	running []*activeStream // the oldest first
}

// activeStream is a running streaming read.
type activeStream struct {
	ctx   context.Context // is canceled with errPreempted when the stream is preempted
	since time.Time
	end   func() // ends ctx and releases the slot; later calls do nothing
}

// begin waits for a slot. When none becomes free, it preempts the oldest stream as soon
// as that one has run for minRun.
func (s *streams) begin(ctx context.Context) (*activeStream, error) {
	for {
		select {
		case s.slots <- struct{}{}: // a free slot comes before preemption
			return s.add(ctx), nil
		default:
		}
		preemptible := time.NewTimer(s.untilPreemptible())
		defer preemptible.Stop()
		select {
		case s.slots <- struct{}{}:
			return s.add(ctx), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-preemptible.C:
			s.preempt(1)
		}
	}
}

func (s *streams) add(ctx context.Context) *activeStream {
	ctx, cancel := context.WithCancelCause(ctx)
	stream := &activeStream{ctx: ctx, since: time.Now()}
	stream.end = sync.OnceFunc(func() {
		cancel(errPreempted) // no effect on a stream that has finished
		s.mu.Lock()
		s.running = slices.DeleteFunc(s.running, func(other *activeStream) bool { return other == stream })
		s.mu.Unlock()
		s.slots.release()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, stream)
	return stream
}

// untilPreemptible returns the time until the oldest stream may be preempted.
func (s *streams) untilPreemptible() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) == 0 {
		return s.minRun
	}
	return time.Until(s.running[0].since.Add(s.minRun))
}

// preempt ends up to limit streams that have run for minRun, the oldest first. Their
// snapshots are released at once, even while a client is slow to read what was sent.
func (s *streams) preempt(limit int) {
	s.mu.Lock()
	var oldest []*activeStream
	for _, stream := range s.running {
		if len(oldest) < limit && time.Since(stream.since) >= s.minRun {
			oldest = append(oldest, stream)
		}
	}
	s.mu.Unlock()
	for _, stream := range oldest {
		s.preempted.Add(1)
		stream.end()
	}
}
