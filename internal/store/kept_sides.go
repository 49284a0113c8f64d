package store

import (
	"sync"

	"waymark/internal/waymark"
)

// sideNumbers are the parts of a user's side that stay the same until links, lists or tags change.
type sideNumbers struct {
	version     uint64         // of the index
	counts      waymark.Counts // without the notes in the trash
	counted     bool           // there are not too many links to count those of lists and tags
	lists, tags []int64        // the user's own that have the most links
}

// keptSides are the numbers of users, since each page shows some of them.
type keptSides struct {
	mu     sync.Mutex
	byUser map[waymark.UserID]sideNumbers
}

// maxKeptSides limits the memory for the numbers of users, which is about 300 bytes for each.
const maxKeptSides = 10_000

func (k *keptSides) of(user waymark.UserID) (n sideNumbers, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, ok = k.byUser[user]
	return n, ok
}

func (k *keptSides) keep(user waymark.UserID, n sideNumbers) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byUser == nil || len(k.byUser) >= maxKeptSides {
		k.byUser = map[waymark.UserID]sideNumbers{}
	}
	k.byUser[user] = n
}
