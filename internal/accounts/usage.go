package accounts

import (
	"context"
	"maps"
	"sync"
	"time"

	"waymark/internal/waymark"
)

// usage holds the times when API keys or sessions were last used until they are written to
// the database. The zero value is ready to use.
type usage[ID comparable] struct {
	mu   sync.Mutex
	last map[ID]waymark.Time
}

// record records a use, unless the stored time of the last use is less than a minute old.
func (u *usage[ID]) record(id ID, stored, now waymark.Time) {
	if now < stored.Add(time.Minute) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = make(map[ID]waymark.Time)
	}
	u.last[id] = max(u.last[id], now)
}

// save calls write with the times that were recorded since the last call. If write fails, they are
// kept for the next call.
func (u *usage[ID]) save(ctx context.Context, write func(context.Context, map[ID]waymark.Time) error) error {
	u.mu.Lock()
	used := u.last
	u.last = nil
	u.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := write(ctx, used)
	if err != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		maps.Copy(used, u.last) // these are newer
		u.last = used
	}
	return err
}
