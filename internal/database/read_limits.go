package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"waymark/internal/waymark"
)

// semaphore lets as many in at a time as it has room for.
type semaphore chan struct{}

// acquire waits for a turn; leave ends it.
func (t semaphore) acquire(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t semaphore) release() { <-t }

// allotConnections divides the connections between the kinds of read transactions.
func (db *DB) allotConnections(connections int, streamMinRun time.Duration) {
	db.readSlots = make(semaphore, max(1, connections/2))
	db.searchSlots = make(semaphore, max(1, connections/4))
	db.streams = &streams{slots: make(semaphore, max(1, connections/4)), minRun: streamMinRun}
}

// ReadTx runs read in a transaction that sees one snapshot. It waits for a slot.
func (db *DB) ReadTx(ctx context.Context, read func(q Querier) error) error {
	if err := db.readSlots.acquire(ctx); err != nil {
		return err
	}
	defer db.readSlots.release()
	return db.readTx(ctx, read)
}

// SearchTx is ReadTx for reads that may take long. They have slots of their own, so
// that short reads do not wait for them.
func (db *DB) SearchTx(ctx context.Context, read func(q Querier) error) error {
	if err := db.searchSlots.acquire(ctx); err != nil {
		return err
	}
	defer db.searchSlots.release()
	return db.ReadTx(ctx, read)
}

// StreamTx is ReadTx for a read whose rows are sent to a client as they are read. It
// may be preempted: then it ends with waymark.ErrUnavailable.
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
		return db.dialect.mapError(fmt.Errorf("begin to read: %w", err))
	}
	defer tx.Rollback() //nolint:errcheck // a read transaction has nothing to lose
	return read(Querier{runner: tx, dialect: db.dialect, stmts: db.stmts, tx: tx, trace: db.trace})
}

var errPreempted = fmt.Errorf("%w: a long answer gave way to others", waymark.ErrUnavailable)

// streams are the long answers that are sent. Each holds a snapshot for as long as
// somebody takes to read it, so there are few at a time. It may take as long as it
// likes while nobody waits for its place, and the database not for its end.
type streams struct {
	slots     semaphore
	minRun    time.Duration // how long one runs at least before it gives way
	preempted atomic.Int64  // how many did

	mu      sync.Mutex
	running []*activeStream // the oldest first
}

// activeStream is one of them.
type activeStream struct {
	ctx   context.Context // ends when it must give way
	since time.Time
	end   func()
}

// begin waits for a turn, if need be until the oldest stream may be broken off.
func (s *streams) begin(ctx context.Context) (*activeStream, error) {
	for {
		select {
		case s.slots <- struct{}{}: // before anybody is broken off
			return s.add(ctx), nil
		default:
		}
		oldest := time.NewTimer(s.untilPreemptible())
		defer oldest.Stop()
		select {
		case s.slots <- struct{}{}:
			return s.add(ctx), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-oldest.C:
			s.preempt(1)
		}
	}
}

func (s *streams) add(ctx context.Context) *activeStream {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &activeStream{ctx: ctx, since: time.Now()}
	one.end = sync.OnceFunc(func() {
		cancel(errPreempted) // which nobody sees where it has come to its end
		s.mu.Lock()
		s.running = slices.DeleteFunc(s.running, func(other *activeStream) bool { return other == one })
		s.mu.Unlock()
		<-s.slots
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, one)
	return one
}

// untilPreemptible is how long the oldest stream is still safe.
func (s *streams) untilPreemptible() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) == 0 {
		return s.minRun
	}
	return time.Until(s.running[0].since.Add(s.minRun))
}

// preempt breaks off that many streams at most, the oldest first, but none that is safe.
// Their snapshots end at once, even while somebody is slow to take what was read.
func (s *streams) preempt(most int) {
	s.mu.Lock()
	var old []*activeStream
	for _, one := range s.running {
		if len(old) < most && time.Since(one.since) >= s.minRun {
			old = append(old, one)
		}
	}
	s.mu.Unlock()
	for _, one := range old {
		s.preempted.Add(1)
		one.end()
	}
}
