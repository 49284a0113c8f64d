// Package fetch is the HTTP client for URLs that users choose. It connects only to public addresses,
// and limits the redirects, the time and the bytes of a request. It does not interpret responses:
// the packages below it do. Package migrate has its own client, whose URL the operator chooses.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Options are the limits of a Client.
type Options struct {
	// Allow are networks to which the client may connect although their addresses are not public.
	Allow []netip.Prefix
	// Proxy is the URL of an HTTP, HTTPS or SOCKS5 proxy; nil for none.
	Proxy *url.URL
	// UserAgent is sent with each request.
	UserAgent string

	Timeout     time.Duration // of a request with its redirects, until its body is read
	Bytes       int64         // maximum size of a body, compressed and decompressed; the rest is not read
	Redirects   int           // maximum number of redirects
	HeaderBytes int64         // maximum size of the header of a response
	// Ratio is the maximum of decompressed to compressed size, beyond the first 64 KiB.
	Ratio int

	// Resolver looks up names; nil for the system's resolver.
	Resolver *net.Resolver
}

// Client requests pages. Its methods may be called from many goroutines.
type Client struct {
	options  Options
	guard    *ssrf.Guardian
	resolver *net.Resolver
	http     *http.Client
}

// New returns a client. It has no default limits: the caller must set all of them.
func New(o Options) *Client {
	var v4, v6 []netip.Prefix
	for _, network := range o.Allow {
		if network.Addr().Is4() {
			v4 = append(v4, network)
		} else {
			v6 = append(v6, network)
		}
	}
	c := &Client{
		options: o,
		guard: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...),
			ssrf.WithDeniedV4Prefixes(azureHost)),
		resolver: o.Resolver,
	}
	if c.resolver == nil {
		c.resolver = net.DefaultResolver
	}
	dialer := &net.Dialer{Timeout: o.Timeout, Resolver: c.resolver, Control: c.control}
	transport := &http.Transport{
		DialContext:            dialer.DialContext,
		DisableCompression:     true, // the method decode decompresses, within limits
		DisableKeepAlives:      true, // few hosts are requested twice
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: o.HeaderBytes,
		TLSHandshakeTimeout:    o.Timeout,
	}
	if o.Proxy != nil {
		// The operator has chosen the address of the proxy, so it may be private.
		transport.DialContext = (&net.Dialer{Timeout: o.Timeout}).DialContext
		transport.Proxy = http.ProxyURL(o.Proxy)
		transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
			return proxyError(response)
		}
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: c.checkRedirect}
	return c
}

// azureHost is a service of Azure that is only reachable from its virtual machines:
// https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

// WithBytes returns a copy of the client that reads at most limit bytes of a body.
func (c *Client) WithBytes(limit int64) *Client {
	limited := *c
	limited.options.Bytes = limit
	return &limited
}

// LooksUp reports whether the client can look up names: whether it finds one that always exists, see RFC 2606.
func (c *Client) LooksUp(ctx context.Context) bool {
	_, err := c.resolver.LookupNetIP(ctx, "ip", "example.com")
	return err == nil
}

// connectionIdle is how long a client that WithConnections returned keeps an idle connection.
const connectionIdle = 2 * time.Second

// WithConnections returns a copy of the client that reuses connections and opens at most limit
// connections to a host. Requests wait until a connection is free.
func (c *Client) WithConnections(limit int) *Client {
	limited := *c
	transport := c.http.Transport.(*http.Transport).Clone() //nolint:forcetypeassert // set by New
	transport.DisableKeepAlives = false
	transport.MaxConnsPerHost, transport.MaxIdleConnsPerHost, transport.IdleConnTimeout = limit, limit, connectionIdle
	limited.http = &http.Client{Transport: transport, CheckRedirect: c.http.CheckRedirect}
	return &limited
}

// Response is the response to a request.
type Response struct {
	URL       *url.URL   // after redirects
	Redirects []Redirect // that were followed, in order
	Status    int
	Header    http.Header
	// Body is decompressed, and ends after Options.Bytes, with an *Error. The caller must close it.
	Body io.ReadCloser

	cookies http.CookieJar // that were set on the way
}

// Redirect is a redirect that was followed.
type Redirect struct {
	Status int // of the response, such as 301
	To     *url.URL
}

// redirects returns the redirects before a response, in order.
func redirects(response *http.Response) (all []Redirect) {
	for request := response.Request; request.Response != nil; request = request.Response.Request {
		all = append(all, Redirect{Status: request.Response.StatusCode, To: request.URL})
	}
	slices.Reverse(all)
	return all
}

// Get requests a URL and follows redirects. It does not send the credentials and the fragment of the
// URL. A response of any status is not an error. Errors are of type *Error.
func (c *Client) Get(ctx context.Context, rawURL string) (*Response, error) {
	return c.request(ctx, rawURL, newCookies())
}

// Follow is Get for the page to which the page of a response refers, with the cookies that were set before.
func (c *Client) Follow(ctx context.Context, response *Response, rawURL string) (*Response, error) {
	return c.request(ctx, rawURL, response.cookies)
}

// newCookies returns cookies for one request with its redirects: some pages redirect until they get back
// the cookie that they have set.
func newCookies() http.CookieJar {
	jar, _ := cookiejar.New(nil) // it returns no error
	return jar
}

func (c *Client) request(ctx context.Context, rawURL string, cookies http.CookieJar) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	response, err := c.do(ctx, rawURL, cookies) //nolint:bodyclose // Response.Body closes it
	if err != nil {
		cancel()
		return nil, newError(err)
	}
	decoded, err := c.decode(response)
	if c.options.Proxy != nil {
		err = cmp.Or(proxyError(response), err)
	}
	if err != nil {
		cancel()
		response.Body.Close()
		return nil, newError(err)
	}
	return &Response{
		URL:       response.Request.URL,
		Redirects: redirects(response),
		Status:    response.StatusCode,
		Header:    response.Header,
		Body: &body{Reader: decoded, expired: ctx.Err, close: func() error {
			defer cancel()
			return response.Body.Close()
		}},
		cookies: cookies,
	}, nil
}

// proxyError returns an error if a response says that the proxy does not accept the credentials in its URL.
func proxyError(response *http.Response) error {
	if response.StatusCode != http.StatusProxyAuthRequired {
		return nil
	}
	return &Error{Reason: ProxyFailed, err: errors.New(response.Status)}
}

func (c *Client) do(ctx context.Context, rawURL string, cookies http.CookieJar) (*http.Response, error) {
	target, err := url.Parse(rawURL)
	if err != nil {
		return nil, &Error{Reason: InvalidURL, err: err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, &Error{Reason: InvalidURL, err: err}
	}
	request.Header.Set("User-Agent", c.options.UserAgent)
	request.Header.Set("Accept", "text/html,application/xhtml+xml,application/pdf;q=0.9,application/xml;q=0.9,*/*;q=0.8")
	request.Header.Set("Accept-Encoding", "gzip, br")
	if err := c.prepare(request); err != nil {
		return nil, err
	}
	client := *c.http
	client.Jar = cookies
	return client.Do(request)
}

// checkRedirect is called before each redirect is followed.
func (c *Client) checkRedirect(request *http.Request, before []*http.Request) error {
	if len(before) > c.options.Redirects {
		return &Error{Reason: TooManyRedirects}
	}
	// The old URL can be private, so the new server must not see it.
	request.Header.Del("Referer")
	return c.prepare(request)
}

// lookupTimeout limits the lookup of a name that the proxy looks up, too. Where no name server responds,
// the lookup would use up the time of the request.
const lookupTimeout = 2 * time.Second

// prepare removes the credentials from a request, and returns an error if its URL is not allowed.
func (c *Client) prepare(request *http.Request) error {
	u := request.URL
	u.User = nil
	request.Header.Del("Authorization")
	if u.Scheme != "http" && u.Scheme != "https" {
		return forbidden("only http and https URLs are fetched, not " + u.Scheme)
	}
	if u.Hostname() == "" {
		return &Error{Reason: InvalidURL, err: errors.New("the URL has no host")}
	}
	if !allowedPort(u.Port()) {
		return forbidden("port " + u.Port() + " is not fetched: only 80, 443 and those above 1024 are")
	}
	// Some resolvers and proxies treat 0x7f.1 and 2130706433 as addresses, others as names.
	address, err := netip.ParseAddr(u.Hostname())
	if err != nil && endsInNumber(u.Hostname()) {
		return forbidden("the address " + u.Hostname() + " is not written in the usual form")
	}
	if c.options.Proxy == nil {
		return nil // control checks the address
	}
	if err == nil {
		return c.checkAddress(address)
	}
	// The proxy looks up the name. Check the addresses here too, if this server can look up the name;
	// in a network that needs a proxy, it often cannot.
	ctx, cancel := context.WithTimeout(request.Context(), lookupTimeout)
	defer cancel()
	addresses, err := c.resolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return request.Context().Err()
	}
	for _, address := range addresses {
		if err := c.checkAddress(address.Unmap()); err != nil {
			return err
		}
	}
	return nil
}

// allowedPort reports whether the client may connect to the port of a URL. An empty port means the
// default of the scheme. Other ports up to 1024 belong to other services, which a request could
// disturb.
func allowedPort(port string) bool {
	switch port {
	case "", "80", "443":
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 1024
}

// endsInNumber reports whether a host ends with a number: in the URL standard it is an address.
func endsInNumber(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	if rest, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// control is called before each connection, with the address to which the dialer is about to connect.
// Checking the address earlier would not be safe, because another lookup can return another one.
func (c *Client) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return forbidden(err.Error())
	}
	return c.checkAddress(to.Addr())
}

// checkAddress returns an error unless address is public or allowed.
func (c *Client) checkAddress(address netip.Addr) error {
	if err := c.guard.SafeAddr(address.WithZone("")); err != nil {
		return forbidden("the address " + address.String() + " is not public")
	}
	return nil
}

type body struct {
	io.Reader
	expired func() error // returns an error after the time limit of the request
	close   func() error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	switch {
	case err == nil || err == io.EOF: //nolint:errorlint // readers return io.EOF unwrapped
		return n, err
	case b.expired() != nil: // err only says that the connection was closed
		err = b.expired()
	}
	return n, newError(err)
}

func (b *body) Close() error { return b.close() }

// RetryAfter returns how long to wait according to a Retry-After header, at most longest. It returns
// 0 if the header is missing, invalid or in the past.
func RetryAfter(header http.Header, now time.Time, longest time.Duration) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longest)
}
