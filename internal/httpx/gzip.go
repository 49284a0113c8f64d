package httpx

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// gzipBody compresses a body in chunks (RFC 1952). The chunks do not refer to each other, so
// that the 800 KB of an encoder are needed only while one of them is compressed, not while
// a client receives it.
type gzipBody struct {
	checksum uint32
	size     uint32 // modulo 2^32, as the format demands
	begun    bool
	out      appendWriter
}

// encoders holds *flate.Writers. Higher levels cost too much processor time for what they
// save: docs/decisions/0011-compression.md.
var encoders = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

// The parts of the format around the compressed data: method deflate, no time, no name,
// unknown system; and an empty last block.
const (
	gzipHeader    = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"
	gzipLastBlock = "\x03\x00"
)

// compress returns the compressed form of the next chunk, valid until the next call.
func (g *gzipBody) compress(chunk []byte, last bool) []byte {
	g.out = g.out[:0]
	if !g.begun {
		g.out = append(g.out, gzipHeader...)
		g.begun = true
	}
	if len(chunk) > 0 {
		g.checksum = crc32.Update(g.checksum, crc32.IEEETable, chunk)
		g.size += uint32(len(chunk))
		encoder := encoders.Get().(*flate.Writer)
		encoder.Reset(&g.out)
		encoder.Write(chunk) //nolint:errcheck // appending returns no errors
		encoder.Flush()      //nolint:errcheck // as above
		encoder.Reset(nil)
		encoders.Put(encoder)
	}
	if last {
		g.out = append(g.out, gzipLastBlock...)
		g.out = binary.LittleEndian.AppendUint32(g.out, g.checksum)
		g.out = binary.LittleEndian.AppendUint32(g.out, g.size)
	}
	return g.out
}

// appendWriter is a writer that appends to itself.
type appendWriter []byte

func (a *appendWriter) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}
