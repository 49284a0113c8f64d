package httpx

import (
	"context"
	"net"
	"net/http"
)

// connection is the connection of a request.
type connection struct {
	net.Conn
	// ctx is that of the server, which ends when running requests are aborted. net/http
	// derives the context of a request from it, and cancels that one too early: when the
	// client closes its side of the connection.
	ctx context.Context
}

type connectionKey struct{}

// ConnContext is the ConnContext of an http.Server. It lets Record and StreamWriter know
// the connection of a request.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{c, ctx})
}

// connectionContext returns the context for the work on r, without that of its client.
func connectionContext(r *http.Request) context.Context {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		return c.ctx
	}
	return context.WithoutCancel(r.Context())
}
