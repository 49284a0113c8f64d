package fetch_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"waymark/internal/fetch"
)

func options() fetch.Options {
	return fetch.Options{
		Allow:     []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		UserAgent: "Waymark/test",
		Timeout:   30 * time.Second, Bytes: 1 << 20, Redirects: 3, HeaderBytes: 64 << 10, Ratio: 200,
	}
}

func wantReason(t *testing.T, c *fetch.Client, rawURL string, want fetch.Reason) {
	t.Helper()
	response, err := c.Get(t.Context(), rawURL)
	if err == nil {
		response.Body.Close()
	}
	var failed *fetch.Error
	if !errors.As(err, &failed) || failed.Reason != want {
		t.Errorf("%s: got error %v, want the reason %s", rawURL, err, want)
	}
}

// privateURLs name addresses of this machine, private networks and cloud services.
var privateURLs = []string{
	"http://127.0.0.1/", "http://127.1.2.3/", "http://0.0.0.0/", "http://10.1.2.3/", "http://172.16.0.1/", "http://192.168.1.1/",
	"http://169.254.169.254/latest/meta-data/", "http://168.63.129.16/", "http://100.64.0.1/", "http://198.18.0.1/", "http://224.0.0.1/", "http://255.255.255.255/",
	"http://[::]/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/",
	"http://[fe80::1%25lo]/", "http://[fc00::1]/", "http://[fd12:3456::1]/", "http://[ff02::1]/", "http://[2001:db8::1]/",
	"http://[64:ff9b::7f00:1]/", "http://[64:ff9b:1::1]/", "http://[2002:7f00:1::]/", "http://[2001::1]/", "http://[100::1]/",
	// Spellings that some programs read as addresses.
	"http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://127.1/", "http://0177.0.0.1/", "http://127.0.0.01/", "http://127.0.0.1./", "http://017700000001/",
}

func TestOnlyPublicAddressesAreConnectedTo(t *testing.T) {
	o := options()
	o.Allow = nil
	for _, rawURL := range privateURLs {
		wantReason(t, fetch.New(o), rawURL, fetch.Forbidden)
	}
}

// The proxy would connect to them.
func TestPrivateAddressesAreNotRequestedFromAProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the proxy was asked for %s", r.URL)
	}))
	defer proxy.Close()
	o := options()
	o.Allow, o.Proxy = nil, parse(t, proxy.URL)
	for _, rawURL := range append([]string{"http://localhost/"}, privateURLs...) {
		wantReason(t, fetch.New(o), rawURL, fetch.Forbidden)
	}
}

// namingProxy returns the URL of a proxy whose responses name the requested URL.
func namingProxy(t *testing.T) *url.URL {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "through the proxy: "+r.URL.String())
	}))
	t.Cleanup(proxy.Close)
	return parse(t, proxy.URL)
}

func TestProxyThatRefusesItsCredentialsSaysNothingAboutThePage(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer proxy.Close()
	o := options()
	response, err := fetch.New(o).Get(t.Context(), proxy.URL)
	if err != nil {
		t.Fatal(err) // without a proxy it is the response of the site
	}
	response.Body.Close()
	o.Proxy = parse(t, proxy.URL)
	for _, rawURL := range []string{"http://127.0.0.1:2000/", "https://127.0.0.1:2000/"} {
		wantReason(t, fetch.New(o), rawURL, fetch.ProxyFailed)
	}
}

func TestAProxyIsUsedIfNoNameServerResponds(t *testing.T) {
	o := options()
	o.Proxy = namingProxy(t)
	if got := get(t, fetch.New(o), "http://127.0.0.1:2000/a"); got != "through the proxy: http://127.0.0.1:2000/a" {
		t.Errorf("got %q", got)
	}
	if testing.Short() {
		t.Skip("the lookup takes two seconds")
	}
	o.Proxy, o.Timeout = namingProxy(t), 5*time.Second
	o.Resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	if got := get(t, fetch.New(o), "http://example.org/"); got != "through the proxy: http://example.org/" {
		t.Errorf("got %q", got)
	}
}

func parse(t *testing.T, rawURL string) *url.URL {
	t.Helper()
	u, err := url.Parse(rawURL)
	check(t, err)
	return u
}

func get(t *testing.T, c *fetch.Client, rawURL string) string {
	t.Helper()
	response, err := c.Get(t.Context(), rawURL)
	check(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	check(t, err)
	return string(content)
}

func TestURLsThatAreNotFetched(t *testing.T) {
	for rawURL, want := range map[string]fetch.Reason{
		"ftp://127.0.0.1/":         fetch.Forbidden,
		"file:///etc/passwd":       fetch.Forbidden,
		"gopher://127.0.0.1:70/":   fetch.Forbidden,
		"http://127.0.0.1:22/":     fetch.Forbidden,
		"http://127.0.0.1:25/":     fetch.Forbidden,
		"http://127.0.0.1:1024/":   fetch.Forbidden,
		"http://127.0.0.1:0/":      fetch.Forbidden,
		"http://127.0.0.1:65536/":  fetch.Forbidden,
		"http:///path":             fetch.InvalidURL,
		"http://%zz/":              fetch.InvalidURL,
		"http://127.0.0.1:1025/\n": fetch.InvalidURL,
	} {
		wantReason(t, fetch.New(options()), rawURL, want)
	}
}

func TestRequestsSayLittle(t *testing.T) {
	var requests []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r)
		if len(requests) == 1 {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b", Path: "/"})
			http.Redirect(w, r, strings.Replace("http://"+r.Host+"/next", "://", "://ada:secret@", 1), http.StatusMovedPermanently)
		}
	}))
	defer server.Close()
	get(t, fetch.New(options()), strings.Replace(server.URL, "://", "://ada:secret@", 1)+"/first#part")
	if len(requests) != 2 {
		t.Fatalf("got %d requests, want 2", len(requests))
	}
	for _, r := range requests {
		for _, name := range []string{"Authorization", "Referer"} {
			if got := r.Header.Get(name); got != "" {
				t.Errorf("%s: got the header %s: %s", r.URL, name, got)
			}
		}
		if got := r.Header.Get("User-Agent"); got != "Waymark/test" {
			t.Errorf("%s: got User-Agent %q", r.URL, got)
		}
	}
}

func TestTheResponseHasTheLastURL(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/aaaa" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		http.Redirect(w, r, r.URL.Path+"a", http.StatusFound)
	}))
	defer server.Close()
	response, err := fetch.New(options()).Get(t.Context(), server.URL+"/a")
	check(t, err)
	defer response.Body.Close()
	if response.URL.String() != server.URL+"/aaaa" || response.Status != http.StatusNotFound || len(response.Redirects) != 3 {
		t.Errorf("got %s, status %d and %d redirects, want /aaaa, 404 and 3", response.URL, response.Status, len(response.Redirects))
	}
	o := options()
	o.Redirects = 2
	wantReason(t, fetch.New(o), server.URL+"/a", fetch.TooManyRedirects)
}

func TestEncodingsAreDecoded(t *testing.T) {
	const text = "<title>Bread</title>"
	for name, compress := range map[string]func(w io.Writer) (io.WriteCloser, error){
		"gzip":           func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"br":             func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriter(w), nil },
		"zstd":           func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		"deflate":        func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil },
		"Deflate, utf-8": func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 9) }, // without the header of zlib
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				encoding := name
				if got := r.Header.Get("Accept-Encoding"); got != "gzip, br" {
					t.Errorf("got Accept-Encoding %q, want gzip, br", got)
				}
				w.Header().Set("Content-Encoding", encoding)
				content := text
				if r.URL.Path == "/bomb" {
					content = strings.Repeat(" ", 4<<20)
				}
				var compressed bytes.Buffer
				c, err := compress(&compressed)
				if err != nil {
					t.Error(err)
					return
				}
				io.WriteString(c, content)
				c.Close()
				w.Write(compressed.Bytes())
			}))
			defer server.Close()
			o := options()
			o.Bytes = 8 << 20
			if got := get(t, fetch.New(o), server.URL); got != text {
				t.Errorf("got %q, want %q", got, text)
			}
			response, err := fetch.New(o).Get(t.Context(), server.URL+"/bomb")
			check(t, err)
			defer response.Body.Close()
			n, err := io.Copy(io.Discard, response.Body)
			var failed *fetch.Error
			if !errors.As(err, &failed) || failed.Reason != fetch.BadEncoding || n >= 4<<20 {
				t.Errorf("bomb: got %d bytes and error %v, want less and a bad encoding", n, err)
			}
		})
	}
}

// TestCookiesLastForOneRequest tests that a page which redirects until it gets its cookie is read, and that
// the next request does not have the cookie.
func TestCookiesLastForOneRequest(t *testing.T) {
	var without int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err != nil {
			without++
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return
		}
		io.WriteString(w, "the page")
	}))
	defer server.Close()
	client := fetch.New(options())
	for range 2 {
		response, err := client.Get(t.Context(), server.URL+"/page")
		check(t, err)
		response.Body.Close()
		again, err := client.Follow(t.Context(), response, server.URL+"/other")
		check(t, err)
		again.Body.Close()
		var failed *fetch.Error
		if _, err := client.Follow(t.Context(), response, "http://10.1.2.3/"); !errors.As(err, &failed) || failed.Reason != fetch.Forbidden { //nolint:bodyclose // there is none
			t.Errorf("got %v, want forbidden", err)
		}
	}
	if without != 2 {
		t.Errorf("got %d requests without the cookie, want the first of each of 2 chains", without)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
