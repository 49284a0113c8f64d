// Package transfer imports files of other programs and archives, undoes imports, and exports what a user
// has. It holds the rules of both directions.
package transfer

import (
	"sync"

	"waymark/internal/store"
)

// Transfer imports to a store and exports from it.
type Transfer struct {
	store         *store.Store
	snapshotQuota int64
	dir           string     // of temporary files, "" for that of the system
	pictures      sync.Mutex // held while a picture of a book is scaled
}

// New returns a Transfer on s. snapshotQuota is the maximum size of the snapshots of a user's pages
// together, in bytes; exports do not need it. The caller closes the store.
func New(s *store.Store, snapshotQuota int64) *Transfer {
	return &Transfer{store: s, snapshotQuota: snapshotQuota}
}

// KeepFilesIn sets the folder of temporary files, which is created if it does not exist.
func (t *Transfer) KeepFilesIn(dir string) { t.dir = dir }
