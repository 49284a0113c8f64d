package httpx

import (
	"io"
	"net/http"
	"time"
)

// LongBody returns a body that may be larger and take longer than others. It takes no memory of the budget, so
// the caller must not keep it in memory. Each 64 KiB must arrive within timeout, and the request
// must end before the timeout of the last 64 KiB. If the body is larger than limit bytes, the error
// is an *http.MaxBytesError. Use it instead of r.Body.
func LongBody(w http.ResponseWriter, r *http.Request, limit int64, timeout time.Duration) io.ReadCloser {
	body := r.Body
	if reserved, ok := body.(*Body); ok {
		body = reserved.ReadCloser
	}
	return &longBody{ReadCloser: LimitBody(w, body, limit), control: http.NewResponseController(w), timeout: timeout}
}

type longBody struct {
	io.ReadCloser
	control *http.ResponseController
	timeout time.Duration
	left    int // the number of bytes that can be read until the next deadline
}

// Read implements io.Reader.
func (b *longBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		deadline := time.Now().Add(b.timeout)
		// Not every server has deadlines.
		b.control.SetReadDeadline(deadline)  //nolint:errcheck // see above
		b.control.SetWriteDeadline(deadline) //nolint:errcheck // see above
		b.left = longBodyStep
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	return n, err
}

// longBodyStep is what must arrive until each deadline of a long body, in bytes.
const longBodyStep = 64 << 10
