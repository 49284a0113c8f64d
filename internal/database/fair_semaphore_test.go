package database

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
)

// mustAcquire acquires a slot for each of the users.
func mustAcquire(t *testing.T, s *fairSemaphore, users ...int64) {
	t.Helper()
	for _, user := range users {
		if err := s.acquire(t.Context(), user); err != nil {
			t.Fatal(err)
		}
	}
}

// acquireInOrder starts a goroutine for each of the users, which acquires a slot and keeps
// it. The returned slice has the users that have one, in the order in which they got it.
func acquireInOrder(t *testing.T, s *fairSemaphore, users ...int64) *[]int64 {
	var order []int64
	for _, user := range users {
		go func() {
			if err := s.acquire(t.Context(), user); err == nil {
				order = append(order, user)
			}
		}()
		synctest.Wait()
	}
	return &order
}

func TestFairSemaphoreServesUsersInRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(1, 1)
		mustAcquire(t, s, 1)
		order := acquireInOrder(t, s, 1, 1, 1, 2, 3, 2)
		for _, user := range []int64{1, 2, 3, 1, 2, 1, 1} {
			s.release(user)
			synctest.Wait()
		}
		if want := []int64{2, 3, 1, 2, 1, 1}; !slices.Equal(*order, want) {
			t.Errorf("users were served in the order %v, want %v", *order, want)
		}
		if s.free != 1 || len(s.used)+len(s.waiting)+len(s.users) != 0 {
			t.Errorf("at the end there are %d free slots, users %v, waiting %v %v, want one free slot", s.free, s.used, s.waiting, s.users)
		}
	})
}

func TestFairSemaphoreServesTheUserWithTheFewestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(3, 3)
		mustAcquire(t, s, 1, 1, 3)
		order := acquireInOrder(t, s, 1, 1, 2)
		s.release(3)
		synctest.Wait()
		if want := []int64{2}; !slices.Equal(*order, want) {
			t.Errorf("users %v were served, want %v", *order, want)
		}
	})
}

func TestFairSemaphoreLimitsTheSlotsOfAUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(3, 2)
		order := acquireInOrder(t, s, 1, 1, 1, 1, 2)
		if want := []int64{1, 1, 2}; !slices.Equal(*order, want) {
			t.Errorf("users %v were served, want %v", *order, want)
		}
		s.release(2)
		synctest.Wait()
		if s.free != 1 {
			t.Error("a user got a third slot")
		}
		s.release(1)
		synctest.Wait()
		if want := []int64{1, 1, 2, 1}; !slices.Equal(*order, want) {
			t.Errorf("users %v were served, want %v", *order, want)
		}
		s.release(1)
		s.release(1)
		synctest.Wait()
	})
}

func TestFairSemaphoreForgetsWhoStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(1, 1)
		mustAcquire(t, s, 2)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.acquire(ctx, 1) }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("acquire returned %v", err)
		}
		s.release(2)
		if s.free != 1 {
			t.Error("the slot was given to a goroutine that had stopped waiting")
		}
	})
}

func TestFairSemaphoreTakesBackASlotThatComesTooLate(t *testing.T) {
	s := newFairSemaphore(1, 1)
	granted := s.request(1)
	<-granted
	s.cancel(1, granted)
	if s.free != 1 {
		t.Error("the slot of a canceled request is not free")
	}
}
