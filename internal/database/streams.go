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
// preempted. It returns waymark.ErrBusy if it was, or if no slot became free in time.
func (db *DB) StreamTx(ctx context.Context, user int64, read func(q Querier) error) error {
	stream, err := db.streams.begin(ctx, user)
	if err != nil {
		return err
	}
	return db.streamTx(stream, read)
}

// TryStreamTx is StreamTx, but does nothing if no slot is free.
func (db *DB) TryStreamTx(ctx context.Context, user int64, read func(q Querier) error) error {
	stream := db.streams.tryBegin(ctx, user)
	if stream == nil {
		return nil
	}
	return db.streamTx(stream, read)
}

func (db *DB) streamTx(stream *activeStream, read func(q Querier) error) error {
	defer stream.end()
	err := db.readTx(stream.ctx, func(q Querier) error {
		trace := q.trace
		q.trace = func(text string) {
			stream.reads()
			if trace != nil {
				trace(text)
			}
		}
		return read(q)
	})
	if err != nil && errors.Is(context.Cause(stream.ctx), errPreempted) {
		return errPreempted
	}
	return err
}

var (
	errPreempted   = fmt.Errorf("%w: the streaming read was preempted", waymark.ErrBusy)
	errNoStreaming = fmt.Errorf("%w: the slots for streaming reads are in use", waymark.ErrBusy)
)

// The times of streams are much shorter than the time limit of a request, so that a
// request that waits for a slot gets it, or an error that says why not.
const (
	// sharedMinRun is how long a stream runs before it may be preempted for another user who
	// has fewer streams. So a user with many clients does not keep others from their first
	// stream.
	sharedMinRun = 5 * time.Second
	// stallTime is the time without a read after which a stream may be preempted for any
	// other: its client has received less than about 1 MiB in that time.
	stallTime = 10 * time.Second
	// maxStreamWait is how long a user waits for a slot. The server itself waits as long as
	// it takes.
	maxStreamWait = 15 * time.Second
)

// streams limits the streaming reads. Each holds a connection and a snapshot for as long
// as its client reads, so there are few at a time. A stream runs without a time limit
// until another stream needs its slot or the WAL must be truncated; then the oldest ones
// are preempted, but none before it has run for minRun. For another stream it may be
// preempted sooner: if its client is slow, or if its user has more streams than the one who
// waits.
type streams struct {
	slots     *fairSemaphore
	perUser   int
	minRun    time.Duration
	preempted atomic.Int64 // the number of preempted streams
	backups   atomic.Int64 // the number of backups that run, which need no slot

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
	last  atomic.Int64 // when the last read began, in Unix nanoseconds
	end   func()       // ends ctx and releases the slot; later calls do nothing
}

// reads is called before each read of the stream.
func (s *activeStream) reads() { s.last.Store(time.Now().UnixNano()) }

// begin waits for a slot. When none becomes free, it preempts a stream as soon as that is
// permitted.
func (s *streams) begin(ctx context.Context, user int64) (*activeStream, error) {
	granted := s.slots.request(user)
	var tooLong <-chan time.Time
	if user != serverUser {
		tooLong = time.After(maxStreamWait)
	}
	for {
		select {
		case <-granted: // a free slot comes before preemption
			return s.add(ctx, user), nil
		default:
		}
		stream, at := s.toPreempt(user)
		if stream != nil && !time.Now().Before(at) {
			s.preempt(stream)
			continue
		}
		wait := s.minRun
		if stream != nil {
			wait = time.Until(at)
		}
		select {
		case <-granted:
			return s.add(ctx, user), nil
		case <-ctx.Done():
			s.slots.cancel(user, granted)
			return nil, ctx.Err()
		case <-tooLong:
			s.slots.cancel(user, granted)
			return nil, errNoStreaming
		case <-time.After(wait):
		}
	}
}

// tryBegin is begin, but returns nil if no slot is free.
func (s *streams) tryBegin(ctx context.Context, user int64) *activeStream {
	granted := s.slots.request(user)
	select {
	case <-granted:
		return s.add(ctx, user)
	default:
		s.slots.cancel(user, granted)
		return nil
	}
}

func (s *streams) add(ctx context.Context, user int64) *activeStream {
	ctx, cancel := context.WithCancelCause(ctx)
	stream := &activeStream{ctx: ctx, user: user, since: time.Now()}
	stream.reads()
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

// toPreempt returns the stream to preempt for a user who waits, and the time from which that is
// permitted: of the streams of the user with the most, the one for which it is permitted
// first. A user who has as many streams as one user may have can only preempt their own.
func (s *streams) toPreempt(user int64) (found *activeStream, at time.Time) {
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
		minRun := s.minRun
		if count[stream.user] > count[user]+1 {
			minRun = min(minRun, sharedMinRun)
		}
		permitted := stream.since.Add(minRun)
		if stalled := time.Unix(0, stream.last.Load()).Add(stallTime); stalled.Before(permitted) {
			permitted = stalled
		}
		if found == nil || count[stream.user] > count[found.user] || count[stream.user] == count[found.user] && permitted.Before(at) {
			found, at = stream, permitted
		}
	}
	return found, at
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

// count returns the number of streams and backups that run.
func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running) + int(s.backups.Load())
}
