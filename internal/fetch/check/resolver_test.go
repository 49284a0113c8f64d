package check_test

import (
	"encoding/binary"
	"net"
)

// answerNoSuchHost returns a connection to a name server that knows no name.
func answerNoSuchHost() net.Conn {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		for {
			// A message in a stream has its length before it: RFC 1035, 4.2.2.
			var size [2]byte
			if _, err := server.Read(size[:]); err != nil {
				return
			}
			message := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := server.Read(message); err != nil {
				return
			}
			message[2] |= 0x80               // a response
			message[3] = message[3]&^0xf | 3 // of the code NXDOMAIN
			if _, err := server.Write(append(size[:], message...)); err != nil {
				return
			}
		}
	}()
	return client
}
