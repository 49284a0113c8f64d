package httpx

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"waymark/internal/waymark"
)

// ErrNoMemory means that the budget for bodies and buffers is used up. It is a
// waymark.ErrUnavailable: a later attempt may succeed.
var ErrNoMemory = fmt.Errorf("%w: the memory for requests is in use", waymark.ErrUnavailable)

const (
	// freeBody is how much of a request body needs no reservation.
	freeBody = 16 << 10
	// bodyStep is the number of bytes of a body for which memory is reserved at a time, so that a
	// client that stops sending uses only memory for the bytes that it has sent.
	bodyStep = 64 << 10
	// bodyFactor is the reserved memory relative to the size of a body: once for the body, and once
	// for the decoded data.
	bodyFactor = 2
	// partsMemory is what a response in parts reserves: for its buffer, and for the entities
	// that have been read but not sent. A shorter response needs no reservation.
	partsMemory = 5 << 18
)

// Memory is the budget for the request bodies and the response buffers that are in memory at
// the same time. One user can use half of it.
type Memory struct {
	wait  time.Duration
	share int64
	all   *semaphore.Weighted

	mu      sync.Mutex
	users   map[waymark.UserID]*userMemory // those with requests
	waiting *RequestMemory                 // has memory, and waits for more of the whole budget
}

type userMemory struct {
	*semaphore.Weighted
	requests int
	waiting  *RequestMemory // has memory of the user, and waits for more
}

// NewMemory returns a budget of that many bytes. A request that does not fit waits for at
// most wait.
func NewMemory(bytes int64, wait time.Duration) *Memory {
	return &Memory{wait: wait, share: bytes / 2, all: semaphore.NewWeighted(bytes), users: map[waymark.UserID]*userMemory{}}
}

// RequestMemory is what one request has reserved. It must be used by one goroutine only.
type RequestMemory struct {
	memory   *Memory
	ctx      context.Context // of the request
	id       waymark.UserID
	user     *userMemory // nil before the first reservation
	reserved int64
	giveUp   context.CancelFunc // ends the wait for more
	changes  bool               // the request may change data, so its response is sent in any case
}

// For returns the memory of a request of a user, with nothing reserved yet. The caller must
// call Release.
func (m *Memory) For(r *http.Request, user waymark.UserID) *RequestMemory {
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead
	return &RequestMemory{memory: m, ctx: r.Context(), id: user, changes: changes}
}

// reserve waits until the request may use n more bytes, or the maximum of its user. It returns
// ErrNoMemory if that takes too long.
func (r *RequestMemory) reserve(n int64) error {
	m := r.memory
	if n = min(n, m.share-r.reserved); n <= 0 {
		return nil
	}
	if r.user == nil {
		r.user = m.addRequest(r.id)
	}
	ctx, cancel := context.WithTimeout(r.ctx, m.wait)
	defer cancel()
	if err := r.acquire(ctx, r.user.Weighted, n, &r.user.waiting); err != nil {
		return err
	}
	if err := r.acquire(ctx, m.all, n, &r.user.waiting, &m.waiting); err != nil {
		r.user.Release(n)
		return err
	}
	r.reserved += n
	return nil
}

// acquire waits for n bytes of a semaphore. If all requests that already have memory waited, they
// could wait for each other forever. So of these, only the one that has the most memory waits, and
// the slots in waiting refer to it; the others get ErrNoMemory immediately.
func (r *RequestMemory) acquire(ctx context.Context, from *semaphore.Weighted, n int64, waiting ...**RequestMemory) error {
	if from.TryAcquire(n) {
		return nil
	}
	if r.reserved > 0 {
		ctx, r.giveUp = context.WithCancel(ctx)
		defer r.giveUp()
		if !r.memory.beginWait(r, waiting) {
			return ErrNoMemory
		}
		defer r.memory.endWait(r, waiting)
	}
	if from.Acquire(ctx, n) != nil {
		return cmp.Or(r.ctx.Err(), ErrNoMemory)
	}
	return nil
}

// beginWait puts a request into the slots, or returns false if one in them has more memory.
func (m *Memory) beginWait(r *RequestMemory, slots []**RequestMemory) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, slot := range slots {
		if *slot != nil && (*slot).reserved >= r.reserved {
			return false
		}
	}
	for _, slot := range slots {
		if *slot != nil {
			(*slot).giveUp()
		}
		*slot = r
	}
	return true
}

func (m *Memory) endWait(r *RequestMemory, slots []**RequestMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, slot := range slots {
		if *slot == r {
			*slot = nil
		}
	}
}

// addRequest counts a request of a user, and returns the memory of that user.
func (m *Memory) addRequest(user waymark.UserID) *userMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.users[user]
	if u == nil {
		u = &userMemory{Weighted: semaphore.NewWeighted(m.share)}
		m.users[user] = u
	}
	u.requests++
	return u
}

// Release releases the memory of the request.
func (r *RequestMemory) Release() {
	if r.user == nil {
		return
	}
	m := r.memory
	m.all.Release(r.reserved)
	r.user.Release(r.reserved)
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.user.requests--; r.user.requests == 0 {
		delete(m.users, r.id)
	}
}

// Body returns the body of the request. Reading from the body reserves memory; Read returns
// ErrNoMemory if the budget is used up.
func (r *RequestMemory) Body(request *http.Request) io.ReadCloser {
	if request.Body == nil || request.Body == http.NoBody {
		return request.Body
	}
	return &reservedBody{ReadCloser: request.Body, memory: r, left: freeBody + 1} // to read the end of the body
}

// reservedBody is a body that reserves memory for the bytes that are read.
type reservedBody struct {
	io.ReadCloser
	memory *RequestMemory
	left   int64 // the number of bytes that can be read before the next reservation
}

// Read implements io.Reader.
func (b *reservedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		if err := b.memory.reserve(bodyFactor * bodyStep); err != nil {
			return 0, err
		}
		b.left = bodyStep
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Writer returns a ResponseWriter on w with which a StreamWriter reserves memory for a
// response in parts.
func (r *RequestMemory) Writer(w http.ResponseWriter) http.ResponseWriter {
	return &reservedWriter{w, r}
}

type reservedWriter struct {
	http.ResponseWriter
	memory *RequestMemory
}

// Unwrap is called by http.ResponseController.
func (w *reservedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ReserveParts reserves the memory for a response in parts, if w has a budget. A request
// that changes much calls it before, since its response cannot be an error afterwards.
func ReserveParts(w http.ResponseWriter) error { return Reserve(w, partsMemory) }

// Reserve reserves memory until the request has the given number of bytes, or the maximum of its
// user. It returns ErrNoMemory if the budget is used up. Without a budget in w it does nothing.
func Reserve(w http.ResponseWriter, bytes int64) error {
	if w, ok := w.(*reservedWriter); ok {
		return w.memory.reserve(bytes - w.memory.reserved)
	}
	return nil
}

// ReserveMore reserves memory for more bytes of decoded data, like Reserve.
func ReserveMore(w http.ResponseWriter, bytes int64) error {
	if w, ok := w.(*reservedWriter); ok {
		return w.memory.reserve(bytes)
	}
	return nil
}

// reserveResponse is ReserveParts for a response that begins. The response to a change is
// sent in any case.
func reserveResponse(w http.ResponseWriter) error {
	err := ReserveParts(w)
	if w, ok := w.(*reservedWriter); ok && w.memory.changes {
		return nil
	}
	return err
}
