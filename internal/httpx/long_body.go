package httpx

import (
	"io"
	"net/http"
	"time"
)

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
