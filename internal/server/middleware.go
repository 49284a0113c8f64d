package server

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"
)

// instrument is where every request comes in: it gets an id, a time limit, headers that
// keep browsers careful, and at its end one line in the log. The line never has
// the URL, which may hold a key.
type instrument struct {
	next    http.Handler
	limit   time.Duration // of the work for one request
	log     *slog.Logger
	metrics *metrics // nil for none
}

// The headers that every answer has, unless the handler sets its own. They are
// shared, so nobody may change an element.
var (
	noSniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	noContent  = []string{"default-src 'none'; frame-ancestors 'none'"}
)

func (f *instrument) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := &recorder{ResponseWriter: w, id: strconv.FormatUint(rand.Uint64(), 36), since: time.Now()}
	f.metrics.started()
	header := w.Header()
	header["X-Request-Id"] = []string{v.id}
	header["X-Content-Type-Options"] = noSniff
	header["Referrer-Policy"] = noReferrer
	header["Content-Security-Policy"] = noContent

	ctx, cancel := context.WithCancelCause(context.WithValue(r.Context(), recorderKey{}, v))
	v.limit = time.AfterFunc(f.limit, func() { cancel(context.DeadlineExceeded) })
	r = r.WithContext(ctx)
	defer func() {
		v.limit.Stop()
		cancel(nil)
	}()
	defer f.finish(v, r)
	f.next.ServeHTTP(v, r)
}

// finish ends a visit: it catches what went wrong and writes the log line. Where the
// answer is broken off in its middle, the connection is too, so that no client
// takes it for whole.
func (f *instrument) finish(v *recorder, r *http.Request) {
	trouble := recover()
	err, _ := trouble.(error)
	abort := errors.Is(err, http.ErrAbortHandler)
	if trouble != nil && !abort {
		f.log.LogAttrs(r.Context(), slog.LevelError, "panic",
			slog.Any("cause", trouble), slog.String("stack", string(debug.Stack())))
		if abort = v.status != 0; !abort {
			v.Header().Del("Content-Length")
			writeError(v, r, http.StatusInternalServerError, "Server Error")
		}
	}
	status, took := v.status, time.Since(v.since)
	if status == 0 && !abort {
		status = http.StatusOK // what net/http sends for a handler that wrote nothing
	}
	f.metrics.finished(v.route, r.Method, status, abort, took)
	f.logRequest(v, r, status, abort, took)
	if abort {
		panic(http.ErrAbortHandler)
	}
}

func (f *instrument) logRequest(v *recorder, r *http.Request, status int, abort bool, took time.Duration) {
	if !f.log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	attrs := [...]slog.Attr{
		slog.String("method", r.Method[:min(len(r.Method), 16)]),
		slog.String("route", v.route),
		slog.Int("status", status),
		slog.Duration("duration", took),
		slog.Int64("bytes", v.bytes),
		slog.String("user", v.user),
		slog.Bool("aborted", true),
	}
	line := attrs[:6]
	if abort {
		line = attrs[:]
	}
	f.log.LogAttrs(r.Context(), slog.LevelInfo, "request", line...)
}
