//go:build !linux

package httpx

import "net"

// limitSendBuffer limits the system's send buffer for a stream, because the system does not
// report how much of it was received: otherwise a write could wait until megabytes are
// received, and the system would still send them after the server has ended the stream.
func limitSendBuffer(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetWriteBuffer(flushSize) //nolint:errcheck // the default size remains
	}
}

// tcpProgress always returns false for ok: the system does not report the progress.
func tcpProgress(net.Conn) (acknowledged, pending int64, ok bool) { return 0, 0, false }
