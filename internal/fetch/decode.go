package fetch

import (
	"bufio"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow is the largest window that RFC 9659 allows in HTTP, in bytes.
const maxZstdWindow = 8 << 20

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

// decompress returns the decompressed data. Its first Read returns an error in the header.
func decompress(encoding string, from io.Reader) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return from, nil
	case "gzip", "x-gzip":
		return &lazyReader{open: func() (io.Reader, error) { return gzip.NewReader(from) }}, nil
	case "br":
		return brotli.NewReader(from), nil
	case "zstd":
		return &lazyReader{open: func() (io.Reader, error) {
			return zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		}}, nil
	case "deflate":
		return &lazyReader{open: func() (io.Reader, error) { return inflate(from) }}, nil
	}
	return nil, &Error{Reason: BadEncoding, err: fmt.Errorf("unknown Content-Encoding %q", encoding)}
}

// inflate reads the zlib format, or raw deflate data, which some servers send.
func inflate(from io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(from)
	header, err := buffered.Peek(2)
	if err != nil {
		return nil, err
	}
	if header[0]&0x0f == 8 && (int(header[0])<<8|int(header[1]))%31 == 0 {
		return zlib.NewReader(buffered)
	}
	return flate.NewReader(buffered), nil
}

// lazyReader opens its reader at the first Read.
type lazyReader struct {
	open   func() (io.Reader, error)
	reader io.Reader
}

func (r *lazyReader) Read(p []byte) (int, error) {
	if r.reader == nil {
		reader, err := r.open()
		if err != nil {
			return 0, err
		}
		r.reader = reader
	}
	return r.reader.Read(p)
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
