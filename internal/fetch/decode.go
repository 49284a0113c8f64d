package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// ratioFree is the number of decompressed bytes up to which Options.Ratio does not apply.
const ratioFree = 64 << 10

// decode returns a reader of the decompressed body of a response, with the limits of the client.
func (c *Client) decode(response *http.Response) (io.Reader, error) {
	compressed := &countingReader{Reader: io.LimitReader(response.Body, c.options.Bytes)}
	decoded, err := decompress(response.Header.Get("Content-Encoding"), compressed)
	if err != nil {
		return nil, err
	}
	if decoded != compressed {
		decoded = &ratioReader{decoded: decoded, compressed: compressed, ratio: int64(c.options.Ratio)}
	}
	return io.LimitReader(decoded, c.options.Bytes), nil
}

// decompress returns the decompressed data. Its first Read returns an error in the header. Servers also send names that are no
// encoding, such as utf-8 and none: what they send with them is not encoded.
func decompress(encoding string, from io.Reader) (io.Reader, error) {
	for _, name := range slices.Backward(strings.Split(strings.ToLower(encoding), ",")) {
		switch strings.TrimSpace(name) {
		case "gzip", "x-gzip":
			from = &lazyReader{from: from, open: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }}
		case "deflate":
			from = &lazyReader{from: from, open: newInflater}
		case "br":
			from = brotli.NewReader(from)
		case "zstd":
			decoder, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
			if err != nil {
				return nil, &Error{Reason: BadEncoding, err: err}
			}
			from = decoder
		}
	}
	return from, nil
}

// maxZstdWindow is the window that RFC 9659 allows for zstd in HTTP, in bytes.
const maxZstdWindow = 8 << 20

// newInflater returns a reader of deflate: with the header of zlib, as the standard demands, or without, as some servers send it.
func newInflater(from io.Reader) (io.Reader, error) {
	data := bufio.NewReader(from)
	head, err := data.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(data)
	}
	return flate.NewReader(data), nil
}

// lazyReader reads the header of compressed data at the first Read.
type lazyReader struct {
	from io.Reader
	open func(io.Reader) (io.Reader, error)
	data io.Reader
}

func (r *lazyReader) Read(p []byte) (n int, err error) {
	if r.data == nil {
		if r.data, err = r.open(r.from); err != nil {
			return 0, err
		}
	}
	return r.data.Read(p)
}

// countingReader counts the bytes that were read. It keeps the error of its reader, so that
// ratioReader can distinguish it from an error in the compressed data.
type countingReader struct {
	io.Reader
	n   int64
	err error
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	if err != nil {
		r.err = err
	}
	return n, err
}

// ratioReader returns an error if there are more than ratioFree decompressed bytes, and more than
// ratio times as many as compressed ones.
type ratioReader struct {
	decoded    io.Reader
	compressed *countingReader
	ratio, n   int64
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.decoded.Read(p)
	r.n += int64(n)
	switch {
	case r.n > ratioFree && r.n > r.ratio*r.compressed.n:
		return 0, &Error{Reason: BadEncoding, err: fmt.Errorf("decompressed to more than %d times its size", r.ratio)}
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case r.compressed.err != nil && !errors.Is(r.compressed.err, io.EOF):
		return n, r.compressed.err
	}
	return n, &Error{Reason: BadEncoding, err: err}
}
