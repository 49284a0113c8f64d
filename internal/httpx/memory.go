package httpx

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"waymark/internal/permits"
	"waymark/internal/waymark"
)

// ErrNoMemory is the waymark.ErrUnavailable for too many large bodies in memory.
var ErrNoMemory = fmt.Errorf("%w: the memory for large request bodies is in use", waymark.ErrUnavailable)

// The maximum sizes of bodies that are read into memory, in bytes.
const (
	GuestBody = 16 << 10 // of a client that is not signed in
	UserBody  = 1 << 20
	BulkBody  = 32 << 20 // of a request that creates several entities

	// BodyMemory is the memory for all large bodies.
	BodyMemory = 2 * BulkBody
)

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
	// bodyStep is how much of the budget a larger body takes at a time, in bytes. A body takes no more than
	// has arrived, so that a client that sends nothing keeps nothing from others.
	bodyStep = 1 << 20
	// memoryWait is how long a large body waits for memory.
	memoryWait = 2 * time.Second
)

// Memory limits the memory for large request bodies that are read at the same time. A user has half of it.
type Memory struct{ steps *permits.Limit }

// NewMemory returns a budget of that many bytes: twice the largest body or more.
func NewMemory(bytes int64) *Memory {
	return &Memory{permits.New(permits.Options{All: bytes / bodyStep, Wait: memoryWait, Refused: ErrNoMemory})}
}

// Body is a request body that takes memory once more than 64 KiB of it are read. Other bodies never
// wait, so a user who sends large bodies slowly does not delay the pages of others.
type Body struct {
	io.ReadCloser
	ctx    context.Context // of the request
	user   waymark.UserID
	memory *Memory
	left   int // the number of bytes that can be read before the body takes more memory
	taken  []func()
}

// Body returns the body of a request of a user. The caller must call Release when the request ends. The server's
// time limit for a whole request ends it, or LongBody, which needs no memory.
func (m *Memory) Body(r *http.Request, user waymark.UserID) *Body {
	return &Body{ReadCloser: r.Body, ctx: r.Context(), user: user, memory: m, left: smallBody + 1} // to read the end
}

// Read implements io.Reader. It returns ErrNoMemory if the budget or the share of the user is used up for two seconds.
func (b *Body) Read(p []byte) (int, error) {
	if b.left == 0 {
		release, err := b.memory.steps.Acquire(b.ctx, int64(b.user), 1)
		if err != nil {
			return 0, ErrNoMemory
		}
		b.taken = append(b.taken, release)
		b.left = bodyStep
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// Release releases the memory of the body.
func (b *Body) Release() {
	for _, release := range b.taken {
		release()
	}
	b.taken = nil
}

// minRate is how many bytes a client has to send in each second of a LongBody on average, after the first minute.
// A telephone with a bad connection sends more.
const minRate = 4 << 10

// LongBody returns a body that may be larger and take longer than others. It takes no memory of the
// budget, so the caller must not keep it in memory. A client that sends nothing for StreamTimeout, or less than
// minRate, is disconnected. If the body is larger than limit bytes, the error is an *http.MaxBytesError. Use it
// instead of r.Body.
func LongBody(w http.ResponseWriter, r *http.Request, limit int64) io.ReadCloser {
	body := r.Body
	if reserved, ok := body.(*Body); ok {
		body = reserved.ReadCloser
	}
	return &longBody{ReadCloser: LimitBody(w, body, limit), control: http.NewResponseController(w), began: time.Now()}
}

type longBody struct {
	io.ReadCloser
	control *http.ResponseController
	began   time.Time
	read    int64
}

func (b *longBody) Read(p []byte) (int, error) {
	now := time.Now()
	deadline := now.Add(StreamTimeout)
	if slowest := b.began.Add(StreamTimeout + time.Duration(b.read/minRate)*time.Second); slowest.Before(deadline) {
		deadline = slowest
	}
	b.control.SetReadDeadline(deadline)                //nolint:errcheck // not every server has deadlines
	b.control.SetWriteDeadline(now.Add(StreamTimeout)) //nolint:errcheck // as above
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	return n, err
}
