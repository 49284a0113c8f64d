package httpx

import (
	"context"
	"net"
	"net/http"
)

// connection is the connection of a request.
type connection struct {
	net.Conn
	// ctx ends when the server aborts running requests. The context that net/http gives to a
	// request ends earlier: when the client closes its side of the connection.
	ctx context.Context
	// progress returns how many bytes the client has acknowledged since the connection was
	// opened, and an upper bound of those sent but not acknowledged. ok is false if that is
	// not known.
	progress func() (acknowledged, pending int64, ok bool)
}

type connectionKey struct{}

// ConnContext is the ConnContext of an http.Server. Record and StreamWriter need it to
// find the connection of a request.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	known := &connection{Conn: c, progress: func() (acknowledged, pending int64, ok bool) { return tcpProgress(c) }}
	known.ctx = context.WithValue(ctx, connectionKey{}, known)
	return known.ctx
}

// connectionContext returns a context for r that does not end when the client closes its
// side of the connection.
func connectionContext(r *http.Request) context.Context {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		return c.ctx
	}
	return context.WithoutCancel(r.Context())
}

// connectionOf returns the connection of the request that ctx belongs to. Without ConnContext in
// the server, the result has no information.
func connectionOf(ctx context.Context) *connection {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		return c
	}
	return &connection{progress: func() (acknowledged, pending int64, ok bool) { return 0, 0, false }}
}

// discardUnsent makes the system discard bytes that the client has not received when the connection
// is closed. Otherwise the system would continue to send them.
func (c *connection) discardUnsent() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		tcp.SetLinger(0) //nolint:errcheck // the connection is closed already
	}
}
