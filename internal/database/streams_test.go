package database

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"waymark/internal/waymark"
)

// mustBegin begins a stream, which must not wait for longer than limit.
func mustBegin(t *testing.T, s *streams, user int64, limit time.Duration) *activeStream {
	t.Helper()
	began := time.Now()
	stream, err := s.begin(t.Context(), user)
	if waited := time.Since(began); err != nil || waited > limit {
		t.Fatalf("user %d waited for %s, error %v, want at most %s", user, waited, err, limit)
	}
	return stream
}

func isPreempted(stream *activeStream) bool {
	return errors.Is(context.Cause(stream.ctx), errPreempted)
}

// keepReading makes streams read every second until the test ends.
func keepReading(t *testing.T, streams ...*activeStream) {
	go func() {
		for second := time.Tick(time.Second); ; {
			for _, stream := range streams {
				stream.reads()
			}
			select {
			case <-second:
			case <-t.Context().Done():
				return
			}
		}
	}()
}

func TestManySlowStreamsOfOneUserDoNotDelayAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreams(3, time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		for range 15 {
			go s.begin(ctx, 1)
		}
		synctest.Wait()
		for range 20 {
			mustBegin(t, s, 2, 0).end()
		}
		if got := s.preempted.Load(); got != 0 {
			t.Errorf("%d streams were preempted, want none", got)
		}
		cancel()
		synctest.Wait()
	})
}

func TestUserWithSeveralStreamsLosesOneToAUserWithoutAny(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreams(3, time.Minute)
		oldest := mustBegin(t, s, 1, 0) // of user 1
		single := mustBegin(t, s, 2, 0)
		mustBegin(t, s, 1, 0)
		ctx, cancel := context.WithCancel(t.Context())
		go s.begin(ctx, 1)
		synctest.Wait()
		mustBegin(t, s, 3, sharedMinRun)
		if !isPreempted(oldest) || isPreempted(single) || s.preempted.Load() != 1 {
			t.Errorf("%d streams were preempted, want only the oldest one of user 1", s.preempted.Load())
		}
		cancel()
		synctest.Wait()
	})
}

func TestUsersWithOneStreamEachKeepItForTheMinimumRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreams(3, time.Minute)
		oldest := mustBegin(t, s, 1, 0)
		keepReading(t, oldest, mustBegin(t, s, 2, 0), mustBegin(t, s, 3, 0))
		for range 3 {
			began := time.Now()
			if _, err := s.begin(t.Context(), 4); !errors.Is(err, waymark.ErrBusy) || time.Since(began) != maxStreamWait {
				t.Errorf("got %v after %s, want ErrBusy after %s", err, time.Since(began), maxStreamWait)
			}
		}
		time.Sleep(time.Second)
		mustBegin(t, s, 4, maxStreamWait)
		if !isPreempted(oldest) {
			t.Error("the oldest stream was not preempted")
		}
	})
}

func TestTryBeginWaitsForNoSlotAndPreemptsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreams(3, time.Minute) // two for each user
		first := mustBegin(t, s, 1, 0)
		second := s.tryBegin(t.Context(), 1)
		if second == nil {
			t.Fatal("a free slot was not granted")
		}
		time.Sleep(2 * time.Minute)
		if s.tryBegin(t.Context(), 1) != nil {
			t.Error("a third stream of a user began")
		}
		if isPreempted(first) || isPreempted(second) {
			t.Error("a stream was preempted")
		}
		second.end()
		third := s.tryBegin(t.Context(), 1)
		if third == nil {
			t.Fatal("the slot that had become free was not granted")
		}
		third.end()
	})
}

func TestStalledStreamIsPreemptedForAUserWithoutAny(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreams(3, time.Minute)
		oldest := mustBegin(t, s, 1, 0)
		stalled := mustBegin(t, s, 2, 0)
		keepReading(t, oldest, mustBegin(t, s, 3, 0))
		mustBegin(t, s, 4, stallTime)
		if isPreempted(oldest) || !isPreempted(stalled) {
			t.Error("a stream was preempted that was read, or the stalled one was not")
		}
	})
}

func TestUserReplacesTheirOwnStalledStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreams(3, time.Minute)
		stalled := mustBegin(t, s, 1, 0)
		keepReading(t, mustBegin(t, s, 1, 0))
		mustBegin(t, s, 1, stallTime)
		if !isPreempted(stalled) {
			t.Error("the stalled stream was not preempted")
		}
	})
}

func TestUserWithTheMostStreamsPreemptsTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreams(3, time.Minute)
		single := mustBegin(t, s, 2, 0)
		oldest := mustBegin(t, s, 1, 0)
		mustBegin(t, s, 1, 0)
		mustBegin(t, s, 1, time.Minute)
		if !isPreempted(oldest) || isPreempted(single) {
			t.Error("the stream of another user was preempted")
		}
	})
}
