package database

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
)

func TestFairSemaphoreServesUsersInRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(1)
		if err := s.acquire(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		var order []int64
		for _, user := range []int64{1, 1, 1, 2, 3, 2} {
			go func() {
				if err := s.acquire(t.Context(), user); err != nil {
					t.Error(err)
					return
				}
				order = append(order, user)
				s.release()
			}()
			synctest.Wait()
		}
		s.release()
		synctest.Wait()
		if want := []int64{1, 2, 3, 1, 2, 1}; !slices.Equal(order, want) {
			t.Errorf("users were served in the order %v, want %v", order, want)
		}
		if s.free != 1 {
			t.Errorf("%d free slots at the end, want 1", s.free)
		}
	})
}

func TestFairSemaphoreForgetsWhoStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(1)
		if err := s.acquire(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.acquire(ctx, 1) }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("acquire returned %v", err)
		}
		s.release()
		if s.free != 1 {
			t.Error("the slot was given to a goroutine that had stopped waiting")
		}
	})
}
