package httpx

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"waymark/internal/waymark"
)

// Recorder is the ResponseWriter of one request. It records what the log line and the
// metrics of the request need.
type Recorder struct {
	http.ResponseWriter
	ID     string // random, for the X-Request-Id header and the log
	Start  time.Time
	Status int // 0 until the header is sent
	Bytes  int64
	Route  string // the pattern, "" if none matched
	User   string // the user's name, "" if none is known
	Key    string // the name of the API key, "" if none is known

	timeout   *time.Timer
	streaming atomic.Bool // parts of the response are sent, each with a write deadline
}

type recorderKey struct{}

// ErrDisconnected is the cause of a context that ended because the client had closed its
// side of the connection.
var ErrDisconnected = errors.New("the client disconnected")

// Timeouts limit the time of a request.
type Timeouts struct {
	Request    time.Duration // for the whole request
	Disconnect time.Duration // for a read after its client has closed its side of the connection
}

// Record returns a recorder for the response to r, and r with a context of its own. The
// caller must call stop.
//
// The context ends with context.DeadlineExceeded after limits.Request. It does not end when the
// client closes its side of the connection: the client may still wait for the response, and a
// change must not stop halfway. Only a read then ends, with ErrDisconnected after
// limits.Disconnect. A read whose response is already being sent does not end in this way: sending
// fails if the client has disconnected.
func Record(w http.ResponseWriter, r *http.Request, limits Timeouts) (recorder *Recorder, recorded *http.Request, stop func()) {
	v := &Recorder{ResponseWriter: w, ID: strconv.FormatUint(rand.Uint64(), 36), Start: time.Now()}
	ctx, cancel := context.WithCancelCause(context.WithValue(connectionContext(r), recorderKey{}, v))
	v.timeout = time.AfterFunc(limits.Request, func() { cancel(context.DeadlineExceeded) })
	unwatch := func() bool { return true }
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		unwatch = context.AfterFunc(r.Context(), func() {
			select {
			case <-time.After(limits.Disconnect):
			case <-ctx.Done():
			}
			if !v.streaming.Load() {
				cancel(ErrDisconnected)
			}
		})
	}
	return v, r.WithContext(ctx), func() {
		unwatch()
		v.timeout.Stop()
		cancel(nil)
	}
}

// SetRoute records the route of the request that ctx belongs to, and its user once
// that is known.
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
// timeout of the request too: a StreamWriter, which sets one for each part, may run
// for as long as the client keeps reading.
func (v *Recorder) SetWriteDeadline(deadline time.Time) error {
	v.streaming.Store(true)
	v.timeout.Stop()
	if !deadline.IsZero() {
		v.timeout.Reset(time.Until(deadline))
	}
	return http.NewResponseController(v.ResponseWriter).SetWriteDeadline(deadline)
}

// Unwrap is called by http.ResponseController.
func (v *Recorder) Unwrap() http.ResponseWriter { return v.ResponseWriter }
