package httpx

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitSendBuffer limits the unsent bytes of a stream that the system buffers. By default these are
// megabytes, which the system would still send after the server has ended the stream. Bytes that
// are sent but not acknowledged do not count, so the limit does not slow down fast clients.
func limitSendBuffer(c net.Conn) {
	if raw, ok := rawConn(c); ok {
		// After an error, the default limit applies.
		_ = raw.Control(func(fd uintptr) {
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, flushSize)
		})
	}
}

// rawConn returns the file descriptor of c, if it has one.
func rawConn(c net.Conn) (raw syscall.RawConn, ok bool) {
	tcp, ok := c.(syscall.Conn)
	if !ok {
		return nil, false
	}
	raw, err := tcp.SyscallConn()
	return raw, err == nil
}

// tcpProgress returns how many bytes the other side of c has acknowledged, and an upper
// bound of those sent but not acknowledged.
func tcpProgress(c net.Conn) (acknowledged, pending int64, ok bool) {
	raw, ok := rawConn(c)
	if !ok {
		return 0, 0, false
	}
	var info *unix.TCPInfo
	var err error
	controlErr := raw.Control(func(fd uintptr) {
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	if controlErr != nil || err != nil {
		return 0, 0, false
	}
	return int64(info.Bytes_acked), int64(info.Notsent_bytes) + int64(info.Unacked)*int64(info.Snd_mss), true
}
