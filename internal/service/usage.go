package service

import (
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

// drain returns the recorded times and forgets them.
func (u *usage[ID]) drain() map[ID]waymark.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	used := u.last
	u.last = nil
	return used
}

// restore records again what drain returned. Newer times are kept.
func (u *usage[ID]) restore(used map[ID]waymark.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	newer := u.last
	u.last = used
	maps.Copy(u.last, newer)
}
