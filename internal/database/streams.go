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

// StreamTx is ReadTx for a read whose rows are sent to a client while they are read, so
// that it takes as long as the client does. It has a slot of its own kind, and may be
// preempted: then it returns waymark.ErrUnavailable.
func (db *DB) StreamTx(ctx context.Context, user int64, read func(q Querier) error) error {
	stream, err := db.streams.begin(ctx, user)
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

var errPreempted = fmt.Errorf("%w: the streaming read was preempted", waymark.ErrUnavailable)

// sharedMinRun is how long a stream runs before it may be preempted for another user who
// has fewer streams. It is much shorter than the time limit of a request, so that a user
// with many slow clients does not keep others from their first stream.
const sharedMinRun = 5 * time.Second

// streams limits the streaming reads. Each holds a connection and a snapshot for as long
// as its client reads, so there are few at a time. A stream runs without a time limit
// until another stream needs its slot or the WAL must be truncated; then the oldest ones
// are preempted, but none before it has run for minRun, or for sharedMinRun if its user
// has more streams than the one who waits.
type streams struct {
	slots     *fairSemaphore
	perUser   int
	minRun    time.Duration
	preempted atomic.Int64 // the number of preempted streams

	mu      sync.Mutex
	running []*activeStream // the oldest first
}

func newStreams(slots int, minRun time.Duration) *streams {
	return &streams{slots: newFairSemaphore(slots, share(slots)), perUser: share(slots), minRun: minRun}
}

// activeStream is a running streaming read.
type activeStream struct {
	ctx   context.Context // is canceled with errPreempted when the stream is preempted
	user  int64
	since time.Time
	end   func() // ends ctx and releases the slot; later calls do nothing
}

// begin waits for a slot. When none becomes free, it preempts a stream as soon as that is
// permitted.
func (s *streams) begin(ctx context.Context, user int64) (*activeStream, error) {
	granted := s.slots.request(user)
	for {
		select {
		case <-granted: // a free slot comes before preemption
			return s.add(ctx, user), nil
		default:
		}
		stream, at := s.victim(user)
		if stream != nil && !time.Now().Before(at) {
			s.preempt(stream)
			continue
		}
		wait := s.minRun
		if stream != nil {
			wait = time.Until(at)
		}
		preemptible := time.NewTimer(wait)
		defer preemptible.Stop()
		select {
		case <-granted:
			return s.add(ctx, user), nil
		case <-ctx.Done():
			s.slots.cancel(user, granted)
			return nil, ctx.Err()
		case <-preemptible.C:
		}
	}
}

func (s *streams) add(ctx context.Context, user int64) *activeStream {
	ctx, cancel := context.WithCancelCause(ctx)
	stream := &activeStream{ctx: ctx, user: user, since: time.Now()}
	stream.end = sync.OnceFunc(func() {
		cancel(errPreempted) // no effect on a stream that has finished
		s.mu.Lock()
		s.running = slices.DeleteFunc(s.running, func(other *activeStream) bool { return other == stream })
		s.mu.Unlock()
		s.slots.release(user)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, stream)
	return stream
}

// victim returns the stream to preempt for a user who waits, and the time from which that is
// permitted: the oldest stream of the user with the most. A user who has as many streams as
// one user may have can only preempt their own.
func (s *streams) victim(user int64) (victim *activeStream, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := map[int64]int{}
	for _, stream := range s.running {
		count[stream.user]++
	}
	for _, stream := range s.running {
		own := stream.user == user
		if count[user] >= s.perUser && !own {
			continue
		}
		if victim == nil || count[stream.user] > count[victim.user] {
			victim = stream
		}
	}
	if victim == nil {
		return nil, time.Time{}
	}
	minRun := s.minRun
	if count[victim.user] > count[user]+1 {
		minRun = min(minRun, sharedMinRun)
	}
	return victim, victim.since.Add(minRun)
}

// preemptOld ends all streams that have run for minRun.
func (s *streams) preemptOld() {
	s.mu.Lock()
	old := slices.DeleteFunc(slices.Clone(s.running), func(stream *activeStream) bool { return time.Since(stream.since) < s.minRun })
	s.mu.Unlock()
	for _, stream := range old {
		s.preempt(stream)
	}
}

// preempt ends a stream. Its snapshot is released at once, even while a client is slow to
// read what was sent.
func (s *streams) preempt(stream *activeStream) {
	s.preempted.Add(1)
	stream.end()
}

// count returns the number of streams that run.
func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running)
}
