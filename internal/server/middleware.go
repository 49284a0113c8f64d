package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"waymark/internal/config"
	"waymark/internal/httpx"
)

// instrument is the outermost handler. It gives each request an ID, a timeout,
// security headers and a log line, and counts it in the metrics. The log line does not
// contain the URL, because an API key may be in it.
type instrument struct {
	next    http.Handler
	fail    func(w http.ResponseWriter, r *http.Request, status int, message string) // responds with an error
	timeout time.Duration                                                            // of each request
	log     *slog.Logger
	metrics *metrics // nil for none
	trusted config.TrustedProxies

	warned atomic.Int64 // when warnOfProxy last logged, in Unix seconds
}

// The headers of every response, unless the handler sets its own. The slices are
// shared by all responses and must not be modified.
var (
	noSniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	noContent  = []string{"default-src 'none'; frame-ancestors 'none'"}
	ours       = []string{"1"}
)

func (i *instrument) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, r, stop := httpx.Record(w, r, i.timeout)
	defer stop()
	i.metrics.started()
	header := w.Header()
	header["X-Request-Id"] = []string{v.ID}
	header["Waymark"] = ours // a response without it comes from somebody else, such as the sign-in page of a Wi-Fi network
	header["X-Content-Type-Options"] = noSniff
	header["Referrer-Policy"] = noReferrer
	header["Content-Security-Policy"] = noContent
	if httpx.ForwardedByStranger(r, i.trusted) {
		i.warnOfProxy(r)
	}
	defer i.finish(v, r)
	i.next.ServeHTTP(v, r)
}

// warnOfProxy logs, once an hour, that the address of a client is not used because its proxy is not
// trusted. All clients then share the limits of one address.
func (i *instrument) warnOfProxy(r *http.Request) {
	last, now := i.warned.Load(), time.Now().Unix()
	if now-last >= 3600 && i.warned.CompareAndSwap(last, now) {
		i.log.WarnContext(r.Context(), "X-Forwarded-For is ignored: it comes from an address that is not in --trusted-proxies", "peer", r.RemoteAddr)
	}
}

// finish recovers from a panic, counts the request and logs it. A panic before the
// response has begun becomes a 500. A later one closes the connection, so that the
// client notices that the body is incomplete.
func (i *instrument) finish(v *httpx.Recorder, r *http.Request) {
	cause := recover()
	err, _ := cause.(error)
	aborted := errors.Is(err, http.ErrAbortHandler)
	if cause != nil && !aborted {
		i.log.LogAttrs(r.Context(), slog.LevelError, "panic",
			slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
		if aborted = v.Status != 0; !aborted {
			for _, name := range []string{"Content-Length", "Content-Disposition", "Content-Encoding", "Cache-Control", "Etag", "Last-Modified"} {
				v.Header().Del(name)
			}
			i.fail(v, r, http.StatusInternalServerError, "Server Error")
		}
	}
	status, duration := v.Status, time.Since(v.Start)
	if status == 0 && !aborted {
		status = http.StatusOK // net/http sends it for a handler that wrote nothing
	}
	i.metrics.finished(v.Route, r.Method, status, aborted, duration)
	i.logRequest(v, r, status, aborted, duration)
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

func (i *instrument) logRequest(v *httpx.Recorder, r *http.Request, status int, aborted bool, duration time.Duration) {
	if !i.log.Enabled(r.Context(), slog.LevelInfo) || v.Route == healthRoute && status == http.StatusOK {
		return // a container asks every few seconds whether the server is healthy
	}
	all := [...]slog.Attr{
		slog.String("method", r.Method[:min(len(r.Method), 16)]),
		slog.String("route", v.Route),
		slog.Int("status", status),
		slog.Duration("duration", duration),
		slog.Int64("bytes", v.Bytes),
		slog.String("client", httpx.ClientAddress(r, i.trusted).String()),
		slog.String("user", v.User),
		slog.String("key", v.Key),
		slog.Bool("aborted", true),
	}
	attrs := all[:len(all)-1]
	if aborted {
		attrs = all[:]
	}
	i.log.LogAttrs(r.Context(), slog.LevelInfo, "request", attrs...)
}

// requestIDHandler adds the ID of the request to every log line with its context. An operator finds
// the cause of a 500 by the X-Request-Id of the response.
type requestIDHandler struct{ slog.Handler }

func (h requestIDHandler) Handle(ctx context.Context, line slog.Record) error {
	if id := httpx.RequestID(ctx); id != "" {
		line.AddAttrs(slog.String("id", id))
	}
	return h.Handler.Handle(ctx, line)
}

func (h requestIDHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestIDHandler{h.Handler.WithAttrs(attrs)}
}

func (h requestIDHandler) WithGroup(name string) slog.Handler {
	return requestIDHandler{h.Handler.WithGroup(name)}
}
