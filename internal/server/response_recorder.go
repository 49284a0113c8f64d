package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"waymark/internal/waymark"
)

// recorder is one request on its way through: it notes what the log line tells.
type recorder struct {
	http.ResponseWriter
	id     string
	since  time.Time
	limit  *time.Timer
	status int // 0 before the head is sent
	bytes  int64
	route  string
	user   string
}

type recorderKey struct{}

// onRoute notes which route a request took, and whose it is once that is known.
func onRoute(ctx context.Context, route string, user waymark.User) {
	v, ok := ctx.Value(recorderKey{}).(*recorder)
	if !ok {
		return
	}
	v.route = route
	v.user = user.Name
}

// WriteHeader notes the status.
func (v *recorder) WriteHeader(status int) {
	if v.status == 0 && status >= http.StatusOK {
		v.status = status
	}
	v.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (v *recorder) Write(b []byte) (int, error) {
	if v.status == 0 {
		v.status = http.StatusOK
	}
	n, err := v.ResponseWriter.Write(b)
	v.bytes += int64(n)
	return n, err
}

// SetWriteDeadline is for http.ResponseController. A handler that sets its own
// deadline, as long answers do for each part, gets that long for its work too.
func (v *recorder) SetWriteDeadline(deadline time.Time) error {
	v.limit.Stop()
	if !deadline.IsZero() {
		v.limit.Reset(time.Until(deadline))
	}
	return http.NewResponseController(v.ResponseWriter).SetWriteDeadline(deadline)
}

// Unwrap is for http.ResponseController.
func (v *recorder) Unwrap() http.ResponseWriter { return v.ResponseWriter }

// requestIDHandler adds the id of the request to every log line that is written for it,
// so that the cause of a 500 is found from the X-Request-Id that the client saw.
type requestIDHandler struct{ slog.Handler }

func (h requestIDHandler) Handle(ctx context.Context, line slog.Record) error {
	if v, ok := ctx.Value(recorderKey{}).(*recorder); ok {
		line.AddAttrs(slog.String("id", v.id))
	}
	return h.Handler.Handle(ctx, line)
}

func (h requestIDHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestIDHandler{h.Handler.WithAttrs(attrs)}
}

func (h requestIDHandler) WithGroup(name string) slog.Handler {
	return requestIDHandler{h.Handler.WithGroup(name)}
}
