package store

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

// allotConnections gives those who read their part of the connections.
func (s *Store) allotConnections(connections int) {
	s.readSlots = make(semaphore, max(1, connections/2))
	s.searchSlots = make(semaphore, max(1, connections/4))
	s.streams = &streams{slots: make(semaphore, max(1, connections/4)), minRun: time.Minute}
}

// view runs a question of several statements on one snapshot, when it is its turn.
func (s *Store) view(ctx context.Context, ask func(q querier) error) error {
	if err := s.readSlots.acquire(ctx); err != nil {
		return err
	}
	defer s.readSlots.release()
	return s.snapshot(ctx, ask)
}

// search does the same for a question that may take long. Such questions wait for each
// other, so that quick ones need not wait for them.
func (s *Store) search(ctx context.Context, ask func(q querier) error) error {
	if err := s.searchSlots.acquire(ctx); err != nil {
		return err
	}
	defer s.searchSlots.release()
	return s.view(ctx, ask)
}

// stream does the same for a question whose answer is shown while it is read, as
// fast as whoever asked can take it. It may be broken off for the sake of others.
func (s *Store) stream(ctx context.Context, ask func(q querier) error) error {
	running, err := s.streams.begin(ctx)
	if err != nil {
		return err
	}
	defer running.end()
	err = s.snapshot(running.ctx, ask)
	if err != nil && errors.Is(context.Cause(running.ctx), errPreempted) {
		return errPreempted
	}
	return err
}

func (s *Store) snapshot(ctx context.Context, ask func(q querier) error) error {
	tx, err := s.read.BeginTx(ctx, s.dialect.readTxOptions)
	if err != nil {
		return s.dialect.mapError(fmt.Errorf("begin to read: %w", err))
	}
	defer tx.Rollback() //nolint:errcheck // a snapshot has nothing to lose
	return s.dialect.mapError(ask(querier{runner: tx, dialect: &s.dialect, cache: s.cache, tx: tx}))
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
