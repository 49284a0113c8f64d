package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// Reason says why a request failed.
type Reason string

// The reasons of errors.
const (
	InvalidURL       Reason = "invalid_url"
	Forbidden        Reason = "forbidden" // by this package: a private address, a port, a scheme
	NoSuchHost       Reason = "no_such_host"
	LookupFailed     Reason = "lookup_failed" // the name server returned an error
	Refused          Reason = "refused"       // no server listens there
	Unreachable      Reason = "unreachable"   // there is no route to it, or this server has no network
	ProxyFailed      Reason = "proxy"         // Options.Proxy cannot be reached, or refuses its credentials
	TLSFailed        Reason = "tls"
	Timeout          Reason = "timeout"
	TooManyRedirects Reason = "redirects"
	Interrupted      Reason = "interrupted" // the connection ended early
	BadEncoding      Reason = "encoding"    // the Content-Encoding is unknown or wrong, or Options.Ratio is exceeded
	BadResponse      Reason = "response"    // not HTTP, or a header that is too large
)

// Error is the error of a request. It wraps its cause, if there is one.
type Error struct {
	Reason Reason
	err    error
}

// Error implements error.
func (e *Error) Error() string {
	if e.err == nil {
		return string(e.Reason)
	}
	return string(e.Reason) + ": " + e.err.Error()
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.err }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	switch e.Reason {
	case Timeout, Interrupted, LookupFailed, Refused, Unreachable, ProxyFailed, BadResponse:
		return true
	}
	return false
}

// forbidden returns the error for a request that this package does not allow.
func forbidden(why string) *Error { return &Error{Reason: Forbidden, err: errors.New(why)} }

// newError returns an error as an *Error, with the reason of an error of net/http.
func newError(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Reason: reason(err), err: err}
}

func reason(err error) Reason {
	var operation *net.OpError
	var timeout interface{ Timeout() bool }
	var lookup *net.DNSError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var notTLS tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &operation) && operation.Op == "proxyconnect": // of net/http: the others say nothing about the page
		return ProxyFailed
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return NoSuchHost
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.As(err, &timeout) && timeout.Timeout():
		return Timeout
	case errors.As(err, &lookup):
		return LookupFailed
	case errors.As(err, &certificate), errors.As(err, &alert), errors.As(err, &notTLS), errors.As(err, &authority):
		return TLSFailed
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Unreachable
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Interrupted
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"): // an error without a type
		return TLSFailed
	}
	return BadResponse
}
