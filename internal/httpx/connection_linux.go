package httpx

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitSendBuffer does nothing: Linux reports how much of the buffer was received.
func limitSendBuffer(net.Conn) {}

// tcpProgress returns how many bytes the other side of c has acknowledged, and an upper
// bound of those sent but not acknowledged.
func tcpProgress(c net.Conn) (acknowledged, pending int64, ok bool) {
	tcp, ok := c.(syscall.Conn)
	if !ok {
		return 0, 0, false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0, 0, false
	}
	var info *unix.TCPInfo
	controlErr := raw.Control(func(fd uintptr) {
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	if controlErr != nil || err != nil {
		return 0, 0, false
	}
	return int64(info.Bytes_acked), int64(info.Notsent_bytes) + int64(info.Unacked)*int64(info.Snd_mss), true
}
