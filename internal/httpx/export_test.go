package httpx

import (
	"context"
	"net"
)

// WithProgress returns a context with a connection whose client receives what progress
// returns.
func WithProgress(ctx context.Context, progress func() (acknowledged, pending int64, ok bool)) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{ctx: ctx, progress: progress})
}

// TCPProgress is tcpProgress.
func TCPProgress(c net.Conn) (acknowledged, pending int64, ok bool) { return tcpProgress(c) }
