// Package permits limits what all users share: operations that run at a time, files that are received, memory. It is
// the one place for such a limit.
//
// A user has at most a share of a limit, so that nobody can take all of it from the others. Who gets no permit within
// Options.Wait is refused. What needs a permit must end by itself: reading a body by the deadlines of package httpx,
// a request to another server and a transaction by the time limit of their context.
package permits

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Options are the sizes of a Limit.
type Options struct {
	All     int64         // the permits of all users together
	PerUser int64         // the maximum for one user; 0 for half of All, rounded up
	Wait    time.Duration // how long Acquire waits for a permit
	Refused error         // the error of Acquire after that time
}

// Limit is a number of permits. Its methods may be called from many goroutines.
type Limit struct {
	options Options
	all     *semaphore.Weighted

	mu    sync.Mutex
	users map[int64]*userPermits // those that have permits or wait for some
}

type userPermits struct {
	semaphore *semaphore.Weighted
	callers   int // that have permits or wait for some
}

// New returns a limit.
func New(o Options) *Limit {
	if o.PerUser == 0 {
		o.PerUser = (o.All + 1) / 2
	}
	return &Limit{options: o, all: semaphore.NewWeighted(o.All), users: map[int64]*userPermits{}}
}

// Acquire acquires n permits for a user, at most Options.PerUser. The caller must call release. Acquire first waits
// for permits of the user, so that users wait for each other in turn, however many requests one of them sends. It
// returns Options.Refused after Options.Wait or the time limit of ctx, and the error of ctx if that is canceled.
func (l *Limit) Acquire(ctx context.Context, user, n int64) (release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, l.options.Wait)
	defer cancel()
	own := l.join(user)
	if own.semaphore.Acquire(waiting, n) != nil {
		l.leave(user)
		return nil, l.refusal(ctx)
	}
	releaseOwn := func() {
		own.semaphore.Release(n)
		l.leave(user)
	}
	if l.all.Acquire(waiting, n) != nil {
		releaseOwn()
		return nil, l.refusal(ctx)
	}
	return func() {
		l.all.Release(n)
		releaseOwn()
	}, nil
}

// Do calls f with one permit of a user. Its errors are those of f and of Acquire.
func (l *Limit) Do(ctx context.Context, user int64, f func() error) error {
	release, err := l.Acquire(ctx, user, 1)
	if err != nil {
		return err
	}
	defer release()
	return f()
}

// refusal returns the error of a caller that got no permit.
func (l *Limit) refusal(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return l.options.Refused
}

func (l *Limit) join(user int64) *userPermits {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.users[user]
	if own == nil {
		own = &userPermits{semaphore: semaphore.NewWeighted(l.options.PerUser)}
		l.users[user] = own
	}
	own.callers++
	return own
}

func (l *Limit) leave(user int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.users[user]
	if own.callers--; own.callers == 0 {
		delete(l.users, user)
	}
}
