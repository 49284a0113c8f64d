package snapshots

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// chunkSize is how much of a file is in memory at a time, in bytes, before compression.
const chunkSize = 256 << 10

// Packed is a file in the chunks in which it is stored, each compressed.
type Packed struct {
	Size   int64 // of the file in bytes
	Bytes  int64 // of all chunks
	chunks []int // their sizes
	in     io.ReaderAt
}

// Pack compresses a file into another one, which the result needs. It does so before the transaction that
// stores the file, because other writes wait for that.
func Pack(file io.Reader, into interface {
	io.Writer
	io.ReaderAt
}) (Packed, error) {
	p := Packed{in: into}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return p, err
	}
	defer w.Close() //nolint:errcheck // it writes nothing
	buffer := make([]byte, chunkSize)
	var compressed []byte
	for {
		n, err := io.ReadFull(file, buffer)
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return p, err
		}
		compressed = w.EncodeAll(buffer[:n], compressed[:0])
		if _, err := into.Write(compressed); err != nil {
			return p, err
		}
		p.Size, p.Bytes, p.chunks = p.Size+int64(n), p.Bytes+int64(len(compressed)), append(p.chunks, len(compressed))
	}
}
