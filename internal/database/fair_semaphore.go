package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"waymark/internal/waymark"
)

// fairSemaphore limits how many goroutines do something at a time, and how many of one
// user. A free slot goes to the waiting user who has the fewest; of several such users, to
// the next in rotation. So a user with many requests does not delay the single request of
// another one.
type fairSemaphore struct {
	mu      sync.Mutex
	free    int
	perUser int                       // the maximum number of slots of one user
	used    map[int64]int             // slots by user
	waiting map[int64][]chan struct{} // by user, the longest waiting first
	users   []int64                   // those with waiting goroutines, the next one first
}

func newFairSemaphore(slots, perUser int) *fairSemaphore {
	return &fairSemaphore{free: slots, perUser: perUser, used: map[int64]int{}, waiting: map[int64][]chan struct{}{}}
}

// acquire waits for a slot. The caller must release it with the same user. It returns
// waymark.ErrBusy if the time limit of ctx is reached before.
func (s *fairSemaphore) acquire(ctx context.Context, user int64) error {
	granted := s.request(user)
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
		s.cancel(user, granted)
		if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return errNoSlot
	}
}

var errNoSlot = fmt.Errorf("%w: no slot became free: %w", waymark.ErrBusy, context.DeadlineExceeded)

// do calls f in a slot of user, for which it waits.
func (s *fairSemaphore) do(ctx context.Context, user int64, f func() error) error {
	if err := s.acquire(ctx, user); err != nil {
		return err
	}
	defer s.release(user)
	return f()
}

// request returns a channel that is closed when the user has the slot. A caller that no
// longer waits for it must call cancel.
func (s *fairSemaphore) request(user int64) (granted chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	granted = make(chan struct{})
	if len(s.waiting[user]) == 0 {
		s.users = append(s.users, user)
	}
	s.waiting[user] = append(s.waiting[user], granted)
	s.grant()
	return granted
}

// cancel withdraws a request. If the slot was granted already, it releases the slot.
func (s *fairSemaphore) cancel(user int64, granted chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting[user], granted)
	if i < 0 {
		s.releaseLocked(user)
		return
	}
	s.remove(user, i)
	if len(s.waiting[user]) == 0 {
		s.users = slices.DeleteFunc(s.users, func(other int64) bool { return other == user })
	}
}

// release frees a slot of user.
func (s *fairSemaphore) release(user int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked(user)
}

func (s *fairSemaphore) releaseLocked(user int64) {
	s.free++
	if s.used[user]--; s.used[user] == 0 {
		delete(s.used, user)
	}
	if i := slices.Index(s.users, user); i >= 0 { // users who wait and had no slot come first
		s.users = append(slices.Delete(s.users, i, i+1), user)
	}
	s.grant()
}

// grant gives the free slots to users that wait.
func (s *fairSemaphore) grant() {
	for s.free > 0 {
		next := -1
		for i, user := range s.users {
			if s.used[user] < s.perUser && (next < 0 || s.used[user] < s.used[s.users[next]]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		user := s.users[next]
		s.free--
		s.used[user]++
		close(s.waiting[user][0])
		s.remove(user, 0)
		s.users = slices.Delete(s.users, next, next+1)
		if len(s.waiting[user]) > 0 {
			s.users = append(s.users, user) // at the end of the rotation
		}
	}
}

// waits reports whether a goroutine waits for a slot.
func (s *fairSemaphore) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.users) > 0
}

// remove removes a request from those of a user.
func (s *fairSemaphore) remove(user int64, i int) {
	s.waiting[user] = slices.Delete(s.waiting[user], i, i+1)
	if len(s.waiting[user]) == 0 {
		delete(s.waiting, user)
	}
}
