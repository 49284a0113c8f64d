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

// turns lets as many in at a time as it has room for.
type turns chan struct{}

// wait waits for a turn; leave ends it.
func (t turns) wait(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turns) leave() { <-t }

// share gives those who read their part of the connections.
func (s *Store) share(connections int) {
	s.pages = make(turns, max(1, connections/2))
	s.searches = make(turns, max(1, connections/4))
	s.streams = &streams{turns: make(turns, max(1, connections/4)), safe: time.Minute}
}

// view runs a question of several statements on one snapshot, when it is its turn.
func (s *Store) view(ctx context.Context, ask func(q querier) error) error {
	if err := s.pages.wait(ctx); err != nil {
		return err
	}
	defer s.pages.leave()
	return s.snapshot(ctx, ask)
}

// search does the same for a question that may take long. Such questions wait for each
// other, so that quick ones need not wait for them.
func (s *Store) search(ctx context.Context, ask func(q querier) error) error {
	if err := s.searches.wait(ctx); err != nil {
		return err
	}
	defer s.searches.leave()
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
	if err != nil && errors.Is(context.Cause(running.ctx), errGaveWay) {
		return errGaveWay
	}
	return err
}

func (s *Store) snapshot(ctx context.Context, ask func(q querier) error) error {
	tx, err := s.read.BeginTx(ctx, s.dialect.snapshot)
	if err != nil {
		return s.dialect.translate(fmt.Errorf("begin to read: %w", err))
	}
	defer tx.Rollback() //nolint:errcheck // a snapshot has nothing to lose
	return s.dialect.translate(ask(querier{runner: tx, dialect: &s.dialect, cache: s.cache, tx: tx}))
}

var errGaveWay = fmt.Errorf("%w: a long answer gave way to others", waymark.ErrUnavailable)

// streams are the long answers that are sent. Each holds a snapshot for as long as
// somebody takes to read it, so there are few at a time. It may take as long as it
// likes while nobody waits for its place, and the database not for its end.
type streams struct {
	turns   turns
	safe    time.Duration // how long one runs at least before it gives way
	gaveWay atomic.Int64  // how many did

	mu      sync.Mutex
	running []*streaming // the oldest first
}

// streaming is one of them.
type streaming struct {
	ctx   context.Context // ends when it must give way
	since time.Time
	end   func()
}

// begin waits for a turn, if need be until the oldest stream may be broken off.
func (s *streams) begin(ctx context.Context) (*streaming, error) {
	for {
		select {
		case s.turns <- struct{}{}: // before anybody is broken off
			return s.add(ctx), nil
		default:
		}
		oldest := time.NewTimer(s.untilGivesWay())
		defer oldest.Stop()
		select {
		case s.turns <- struct{}{}:
			return s.add(ctx), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-oldest.C:
			s.giveWay(1)
		}
	}
}

func (s *streams) add(ctx context.Context) *streaming {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &streaming{ctx: ctx, since: time.Now()}
	one.end = sync.OnceFunc(func() {
		cancel(errGaveWay) // which nobody sees where it has come to its end
		s.mu.Lock()
		s.running = slices.DeleteFunc(s.running, func(other *streaming) bool { return other == one })
		s.mu.Unlock()
		<-s.turns
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, one)
	return one
}

// untilGivesWay is how long the oldest stream is still safe.
func (s *streams) untilGivesWay() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) == 0 {
		return s.safe
	}
	return time.Until(s.running[0].since.Add(s.safe))
}

// giveWay breaks off that many streams at most, the oldest first, but none that is safe.
// Their snapshots end at once, even while somebody is slow to take what was read.
func (s *streams) giveWay(most int) {
	s.mu.Lock()
	var old []*streaming
	for _, one := range s.running {
		if len(old) < most && time.Since(one.since) >= s.safe {
			old = append(old, one)
		}
	}
	s.mu.Unlock()
	for _, one := range old {
		s.gaveWay.Add(1)
		one.end()
	}
}
