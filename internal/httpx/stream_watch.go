package httpx

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// watchInterval is the longest time between two checks of a stream.
const watchInterval = time.Second

// streamWatch ends a stream if its client receives less than flushSize bytes per timeout, or if the
// client is no longer permitted to receive it.
//
// A write deadline alone cannot enforce a minimum speed: the system buffers megabytes at once, and
// then accepts nothing until the client has received a large part, so a write waits far longer than
// its own bytes need. Therefore the deadline moves by the timeout for each flushSize bytes that the
// client has acknowledged. The deadline is at most two timeouts away, because acknowledgements come
// in bursts.
type streamWatch struct {
	control *http.ResponseController
	conn    *connection
	timeout time.Duration
	stop    func() // ends run and waits for its end

	mu           sync.Mutex
	deadline     time.Time
	acknowledged int64
	err          error // why the stream must end
}

// watchStream starts to watch the stream that is written to w. The caller must call stop.
// If permitted returns an error, the stream ends with it.
func watchStream(ctx context.Context, w http.ResponseWriter, timeout time.Duration, permitted func(context.Context) error) *streamWatch {
	s := &streamWatch{control: http.NewResponseController(w), conn: connectionOf(ctx), timeout: timeout}
	limitSendBuffer(s.conn.Conn)
	s.acknowledged, _, _ = s.conn.progress()
	ctx, cancel := context.WithCancel(ctx) // also ends the watch of a stream whose handler panics
	var running sync.WaitGroup
	running.Go(func() { s.run(ctx, permitted) })
	s.stop = func() {
		cancel()
		running.Wait()
	}
	return s
}

func (s *streamWatch) run(ctx context.Context, permitted func(context.Context) error) {
	ticker := time.NewTicker(min(watchInterval, s.timeout/8))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := s.check(ctx, permitted); err != nil {
			s.abort(err)
			return
		}
	}
}

// check moves the deadline according to the bytes that the client has received. It returns an error
// if the stream must end.
func (s *streamWatch) check(ctx context.Context, permitted func(context.Context) error) error {
	if permitted != nil {
		ctx, cancel := context.WithTimeout(ctx, watchInterval)
		defer cancel()
		if err := permitted(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.measure() == 0 {
		return nil
	}
	return s.setDeadline(s.deadline)
}

// measure moves the deadline according to the bytes received since the last call. It returns the
// number of bytes that the client has not received yet.
func (s *streamWatch) measure() (pending int64) {
	acknowledged, pending, ok := s.conn.progress()
	now := time.Now()
	if soonest := now.Add(s.timeout); (!ok || pending == 0) && s.deadline.Before(soonest) {
		s.deadline = soonest
	}
	s.deadline = s.deadline.Add(s.timeFor(acknowledged - s.acknowledged))
	s.acknowledged = acknowledged
	if limit := now.Add(2 * s.timeout); s.deadline.After(limit) {
		s.deadline = limit
	}
	return pending
}

// beforeWrite sets the deadline for the next part. It returns an error if the stream must
// end.
func (s *streamWatch) beforeWrite() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.measure()
	return s.setDeadline(s.deadline)
}

// afterWrites sets the deadline for the bytes that net/http sends after the last part. They may
// have to wait until the client has received nearly everything.
func (s *streamWatch) afterWrites() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pending := s.measure(); s.err == nil {
		s.setDeadline(s.deadline.Add(s.timeFor(pending))) //nolint:errcheck // the previous one remains
	}
}

// timeFor returns the time that a client has to receive that many bytes.
func (s *streamWatch) timeFor(bytes int64) time.Duration {
	return time.Duration(float64(s.timeout) * float64(bytes) / flushSize)
}

func (s *streamWatch) setDeadline(t time.Time) error {
	if err := s.control.SetWriteDeadline(t); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// abort makes running and later writes fail, and ends the context of the request.
func (s *streamWatch) abort(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.conn.discardUnsent()
	s.setDeadline(time.Now().Add(-time.Second)) //nolint:errcheck // it fails if the connection is closed already
}

// cause returns the error with which the watch has ended the stream, or err.
func (s *streamWatch) cause(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	return err
}
