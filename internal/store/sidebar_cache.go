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

// sidebarCache has the sidebar numbers of users, since each page shows some of them.
type sidebarCache struct {
	mu     sync.Mutex
	byUser map[waymark.UserID]sidebarNumbers
}

// maxCachedSidebars limits the memory for the numbers of users, which is about 300 bytes for each.
const maxCachedSidebars = 10_000

func (c *sidebarCache) get(user waymark.UserID) (n sidebarNumbers, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok = c.byUser[user]
	return n, ok
}

func (c *sidebarCache) put(user waymark.UserID, n sidebarNumbers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byUser == nil || len(c.byUser) >= maxCachedSidebars {
		c.byUser = map[waymark.UserID]sidebarNumbers{}
	}
	c.byUser[user] = n
}
