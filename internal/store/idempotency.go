package store

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"waymark/internal/waymark"
)

// The errors of Once itself. But for ErrResponseEmptied they mean that nothing was changed.
var (
	// ErrKeyInProgress means that a request with the same key is still running.
	ErrKeyInProgress = errors.New("a request with this idempotency key is in progress")
	// ErrKeyReused means that the key belongs to another request.
	ErrKeyReused = errors.New("the idempotency key belongs to another request")
	// ErrResponseTooLarge means that the response has more bytes than may be stored.
	ErrResponseTooLarge = errors.New("the response is too large to be stored")
	// ErrResponseEmptied means that the request was carried out, but its response is no longer
	// stored: it contained a list or tag of another user that is no longer visible.
	ErrResponseEmptied = errors.New("the response is no longer stored")
)

// OnceRequest is a request that may be sent several times but must be carried out once.
type OnceRequest struct {
	User waymark.UserID
	Key  string            // chosen by the client
	Hash [sha256.Size]byte // of what is requested
	Bulk bool              // whether it changes many entities
}

// Response is the response to a OnceRequest.
type Response struct {
	Status int
	Body   []byte
	Others bool // the body contains lists or tags of other users
}

// idempotency holds the limits of stored responses, and the requests with a key that are
// running in this process.
type idempotency struct {
	age      time.Duration
	maxBytes int64 // of each user

	mu      sync.Mutex
	running map[runningKey]bool
}

type runningKey struct {
	user waymark.UserID
	key  string
}

// The defaults of Options.ResponseAge and Options.ResponseBytes, and the smallest size that
// a response counts as, which limits the number of responses.
const (
	responseAge      = 24 * time.Hour
	responseBytes    = 8 << 20
	minResponseBytes = 4 << 10
)

func newIdempotency(age time.Duration, maxBytes int64) *idempotency {
	return &idempotency{
		age:      cmp.Or(age, responseAge),
		maxBytes: cmp.Or(maxBytes, responseBytes),
		running:  map[runningKey]bool{},
	}
}

// begin marks the key as running. It returns false if it is running already.
func (i *idempotency) begin(k runningKey) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running[k] {
		return false
	}
	i.running[k] = true
	return true
}

func (i *idempotency) end(k runningKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.running, k)
}
