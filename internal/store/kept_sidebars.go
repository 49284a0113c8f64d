package store

import (
	"sync"

	"waymark/internal/waymark"
)

// sidebarNumbers are the parts of a user's sidebar that stay the same until links, lists or tags change.
type sidebarNumbers struct {
	version     uint64         // of the index
	counts      waymark.Counts // without the notes in the trash
	counted     bool           // there are not too many links to count those of lists and tags
	lists, tags []int64        // the user's own that have the most links
}

// keptSidebars are the numbers of users, since each page shows some of them.
type keptSidebars struct {
	mu     sync.Mutex
	byUser map[waymark.UserID]sidebarNumbers
}

// maxKeptSidebars limits the memory for the numbers of users, which is about 300 bytes for each.
const maxKeptSidebars = 10_000

func (k *keptSidebars) of(user waymark.UserID) (n sidebarNumbers, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, ok = k.byUser[user]
	return n, ok
}

func (k *keptSidebars) keep(user waymark.UserID, n sidebarNumbers) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byUser == nil || len(k.byUser) >= maxKeptSidebars {
		k.byUser = map[waymark.UserID]sidebarNumbers{}
	}
	k.byUser[user] = n
}
