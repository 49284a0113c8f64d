package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
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

// decompress returns the decompressed data. Its first Read returns an error in the header.
func decompress(encoding string, from io.Reader) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return from, nil
	case "gzip", "x-gzip":
		return &gzipReader{from: from}, nil
	case "br":
		return brotli.NewReader(from), nil
	}
	return nil, &Error{Reason: BadEncoding, err: fmt.Errorf("unknown Content-Encoding %q", encoding)}
}

// gzipReader is a *gzip.Reader that reads the header at the first Read.
type gzipReader struct {
	from   io.Reader
	reader *gzip.Reader
}

func (r *gzipReader) Read(p []byte) (n int, err error) {
	if r.reader == nil {
		if r.reader, err = gzip.NewReader(r.from); err != nil {
			return 0, err
		}
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
