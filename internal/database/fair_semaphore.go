package database

import (
	"context"
	"slices"
	"sync"
)

// fairSemaphore limits how many goroutines do something at a time. Users that wait
// for a slot get one in rotation, so that a user with many requests does not delay the
// single request of another one.
type fairSemaphore struct {
	mu      sync.Mutex
	free    int
	waiting map[int64][]chan struct{} // by user, the longest waiting first
	users   []int64                   // those with waiting goroutines, the next one first
}

func newFairSemaphore(slots int) *fairSemaphore {
	return &fairSemaphore{free: slots, waiting: map[int64][]chan struct{}{}}
}

// acquire waits for a slot.
func (s *fairSemaphore) acquire(ctx context.Context, user int64) error {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return nil
	}
	acquired := make(chan struct{})
	if len(s.waiting[user]) == 0 {
		s.users = append(s.users, user)
	}
	s.waiting[user] = append(s.waiting[user], acquired)
	s.mu.Unlock()
	select {
	case <-acquired:
		return nil
	case <-ctx.Done():
		if !s.leave(user, acquired) {
			s.release() // it was acquired at the same moment
		}
		return ctx.Err()
	}
}

// release gives the slot to the next user that waits.
func (s *fairSemaphore) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.users) == 0 {
		s.free++
		return
	}
	user := s.users[0]
	close(s.waiting[user][0])
	s.waiting[user] = s.waiting[user][1:]
	s.users = s.users[1:]
	if len(s.waiting[user]) > 0 {
		s.users = append(s.users, user)
	} else {
		delete(s.waiting, user)
	}
}

// leave stops waiting. It reports false if the slot was acquired already.
func (s *fairSemaphore) leave(user int64, acquired chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting[user], acquired)
	if i < 0 {
		return false
	}
	s.waiting[user] = slices.Delete(s.waiting[user], i, i+1)
	if len(s.waiting[user]) == 0 {
		delete(s.waiting, user)
		s.users = slices.DeleteFunc(s.users, func(other int64) bool { return other == user })
	}
	return true
}
