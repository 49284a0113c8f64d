package httpx

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"waymark/internal/waymark"
)

// ErrNoMemory is the waymark.ErrUnavailable for too many large bodies in memory.
var ErrNoMemory = fmt.Errorf("%w: the memory for large request bodies is in use", waymark.ErrUnavailable)

// GuestBody is the maximum size of the body of a client that is not signed in, in bytes.
const GuestBody = 16 << 10

// GuestBodyTime is how long such a body may take to arrive.
const GuestBodyTime = 10 * time.Second

// HurryBody gives the body of a request that is refused GuestBodyTime to arrive: net/http reads the rest of
// it before it sends the response.
func HurryBody(w http.ResponseWriter) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(GuestBodyTime)) //nolint:errcheck // not every server has deadlines
}

const (
	// smallBody is the size up to which a body needs no memory of the budget, in bytes.
	smallBody = 64 << 10
	// maxBodyMemory is what a body takes of the budget at most, in bytes: the largest body that is
	// read into memory. A body of unknown length takes all of it.
	maxBodyMemory = 32 << 20
	// memoryWait is how long a large body waits for memory.
	memoryWait = 2 * time.Second
)

// Memory limits the memory for large request bodies that are read at the same time.
type Memory struct {
	size int64
	free *semaphore.Weighted
}

// NewMemory returns a budget of that many bytes.
func NewMemory(bytes int64) *Memory {
	return &Memory{size: bytes, free: semaphore.NewWeighted(bytes)}
}

// Body is a request body that takes memory once more than 64 KiB of it are read. Other bodies never
// wait, so a user who sends large bodies slowly does not delay the pages of others.
type Body struct {
	io.ReadCloser
	ctx    context.Context // of the request
	memory *Memory
	weight int64 // what the body takes
	small  int   // the number of bytes that can be read without memory
	taken  bool
}

// Body returns the body of a request. The caller must call Release when the request ends.
func (m *Memory) Body(r *http.Request) *Body {
	weight := int64(maxBodyMemory)
	if r.ContentLength >= 0 {
		weight = min(weight, r.ContentLength)
	}
	return &Body{ReadCloser: r.Body, ctx: r.Context(), memory: m, weight: min(weight, m.size), small: smallBody + 1} // to read the end
}

// Read implements io.Reader. It returns ErrNoMemory if the budget is used up for two seconds.
func (b *Body) Read(p []byte) (int, error) {
	if b.taken {
		return b.ReadCloser.Read(p)
	}
	if b.small == 0 {
		ctx, cancel := context.WithTimeout(b.ctx, memoryWait)
		defer cancel()
		if b.memory.free.Acquire(ctx, b.weight) != nil {
			return 0, ErrNoMemory
		}
		b.taken = true
		return b.ReadCloser.Read(p)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.small)])
	b.small -= n
	return n, err
}

// Release releases the memory of the body.
func (b *Body) Release() {
	if b.taken {
		b.memory.free.Release(b.weight)
		b.taken = false
	}
}

// LongBody returns a body that may be larger and take longer than others. It takes no memory of the
// budget, so the caller must not keep it in memory. A client that sends nothing for StreamTimeout is
// disconnected. If the body is larger than limit bytes, the error is an *http.MaxBytesError. Use it
// instead of r.Body.
func LongBody(w http.ResponseWriter, r *http.Request, limit int64) io.ReadCloser {
	body := r.Body
	if reserved, ok := body.(*Body); ok {
		body = reserved.ReadCloser
	}
	return &longBody{LimitBody(w, body, limit), http.NewResponseController(w)}
}

type longBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *longBody) Read(p []byte) (int, error) {
	deadline := time.Now().Add(StreamTimeout)
	b.control.SetReadDeadline(deadline)  //nolint:errcheck // not every server has deadlines
	b.control.SetWriteDeadline(deadline) //nolint:errcheck // as above
	return b.ReadCloser.Read(p)
}
