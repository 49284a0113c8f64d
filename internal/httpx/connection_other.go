//go:build !linux

package httpx

import "net"

// limitSendBuffer bounds the system's buffer for unsent data, since it does not tell how
// much of that was received: without a bound a write can wait for megabytes.
func limitSendBuffer(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetWriteBuffer(flushSize) //nolint:errcheck // the default size remains
	}
}

// tcpProgress reports that the progress of the other side is not known.
func tcpProgress(net.Conn) (acknowledged, pending int64, ok bool) { return 0, 0, false }
