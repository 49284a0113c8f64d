package httpx

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"waymark/internal/waymark"
)

// Recorder is the ResponseWriter of a request, with what its log line and metrics need.
type Recorder struct {
	http.ResponseWriter
	ID     string // random, for the X-Request-Id header and the log
	Start  time.Time
	Status int // 0 until the header is sent
	Bytes  int64
	Route  string // the pattern, "" if none matched
	User   string // the user's name, "" if none is known
	Key    string // the name of the API key, "" if none is known

	timeout *time.Timer
}

type recorderKey struct{}

type serverKey struct{}

// BaseContext returns the BaseContext of an http.Server. Its end also aborts changes, see Record.
func BaseContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, serverKey{}, ctx)
}

// Record returns a recorder for the response to r, and r with a context that ends with
// context.DeadlineExceeded after timeout. The caller must call stop.
//
// The context of a read ends when the client disconnects, as the context of r does. That of a
// change does not: a change must not stop halfway.
func Record(w http.ResponseWriter, r *http.Request, timeout time.Duration) (recorder *Recorder, recorded *http.Request, stop func()) {
	v := &Recorder{ResponseWriter: w, ID: strconv.FormatUint(rand.Uint64(), 36), Start: time.Now()}
	parent, isRead := r.Context(), r.Method == http.MethodGet || r.Method == http.MethodHead
	if !isRead {
		parent = context.WithoutCancel(parent)
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(parent, recorderKey{}, v))
	v.timeout = time.AfterFunc(timeout, func() { cancel(context.DeadlineExceeded) })
	unwatch := func() bool { return true }
	if server, ok := parent.Value(serverKey{}).(context.Context); ok && !isRead {
		unwatch = context.AfterFunc(server, func() { cancel(context.Canceled) })
	}
	return v, r.WithContext(ctx), func() {
		unwatch()
		v.timeout.Stop()
		cancel(nil)
	}
}

// SetRoute records the route of the request of ctx, and its user once that is known.
func SetRoute(ctx context.Context, route string, user waymark.User) {
	if v, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		v.Route, v.User = route, user.Name
	}
}

// SetAPIKey records the name of the API key of the request that ctx belongs to.
func SetAPIKey(ctx context.Context, name string) {
	if v, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		v.Key = name
	}
}

// RequestID returns the ID of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	if v, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		return v.ID
	}
	return ""
}

// WriteHeader records the status.
func (v *Recorder) WriteHeader(status int) {
	if v.Status == 0 && status >= http.StatusOK {
		v.Status = status
	}
	v.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (v *Recorder) Write(b []byte) (int, error) {
	if v.Status == 0 {
		v.Status = http.StatusOK
	}
	n, err := v.ResponseWriter.Write(b)
	v.Bytes += int64(n)
	return n, err
}

// SetWriteDeadline is called by http.ResponseController. The deadline replaces the
// timeout of the request too: a StreamWriter, which sets one for each chunk, may run
// for as long as the client keeps reading.
func (v *Recorder) SetWriteDeadline(deadline time.Time) error {
	v.timeout.Stop()
	if !deadline.IsZero() {
		v.timeout.Reset(time.Until(deadline))
	}
	return http.NewResponseController(v.ResponseWriter).SetWriteDeadline(deadline)
}

// Unwrap is called by http.ResponseController.
func (v *Recorder) Unwrap() http.ResponseWriter { return v.ResponseWriter }
