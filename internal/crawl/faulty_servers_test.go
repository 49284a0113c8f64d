package crawl_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"waymark/internal/crawl"
	"waymark/internal/fetch"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// faultyServer is a server with one fault, and the results that are expected.
type faultyServer struct {
	name  string
	page  http.HandlerFunc // nil: no server
	image http.HandlerFunc // of /image, the image of the page; nil: page responds
	url   string           // instead of the server's; a host name: that name with the port of the server
	tls   bool             // the certificate of the server is self-signed
	short bool             // the time for a request is short
	space int64            // for all pictures; 0 for enough

	// The result of the check: "result reason code".
	result string
	// What the link gets from its page.
	title             string
	picture, snapshot bool
	failure           string // why the page could not be fetched; "" if it was
	again             bool   // the page is fetched again
}

const loopback = "127.0.0.1" // the title of a link without a page

// articlePage returns a page with a title, an image and a text to read.
func articlePage(title string) string {
	return `<html lang="en"><title>` + title + `</title><meta property="og:image" content="/image"><article><p>` +
		strings.Repeat(title+" needs flour, water, salt and time. ", 30) + `</p></article>`
}

// sendHTML returns a server of one page.
func sendHTML(content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, content)
	}
}

// sendStatus returns a server that responds with a status and a page.
func sendStatus(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, articlePage("Error"))
	}
}

// sendThenWait returns a server that sends the beginning of a page, and then no more.
func sendThenWait(content string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sendHTML(content)(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// sendEndless returns a server that repeats a part of a page for ever.
func sendEndless(begin, repeated string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sendHTML(begin)(w, r)
		for block := strings.Repeat(repeated, 100); r.Method != http.MethodHead; {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	}
}

// sendRaw returns a server whose response is not made by net/http.
func sendRaw(response string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(connection, response)
		connection.Close()
	}
}

func sendEncoded(encoding string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		w.Header().Set("Content-Type", "text/html")
		w.Write(body)
	}
}

func gzipped(content string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, content)
	w.Close()
	return b.Bytes()
}

func redirectTo(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func withHeader(name, value string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		next(w, r)
	}
}

var faultyServers = []faultyServer{
	{name: "a server without faults", page: sendHTML(articlePage("Bread")), image: send(pngOf(640, 380)), result: "ok 200", title: "Bread", picture: true, snapshot: true},

	// Time and size.
	{name: "slow headers", page: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, short: true, result: "unsure timeout 0", title: loopback, failure: "timeout", again: true},
	{name: "slow body", page: sendThenWait(articlePage("Slow")), image: send(pngOf(640, 380)), short: true, result: "ok 200", title: "Slow", picture: true, failure: "timeout", again: true},
	{name: "endless body", page: sendEndless("<title>Endless</title><p>", "It goes on and on. "), result: "ok 200", title: "Endless", snapshot: true},
	{name: "large header", page: withHeader("X-Large", strings.Repeat("a", 1<<20), sendHTML(articlePage("Large"))), result: "unsure response 0", title: loopback, failure: "response", again: true},

	// Redirects and IP addresses.
	{name: "endless redirects", page: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"a", http.StatusFound) }, result: "unsure redirects 0", title: loopback, failure: "redirects"},
	{name: "redirect to a private address", page: redirectTo("http://10.0.0.1/"), result: "unsure forbidden 0", title: loopback, failure: "forbidden"},
	{name: "redirect to a page that is gone", page: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/gone", http.StatusMovedPermanently)
			return
		}
		http.NotFound(w, r)
	}, result: "dead status 404", title: loopback, failure: "status_4xx"},
	{name: "a name that changes its address between look-up and dial", page: redirectTo("/secret"), url: "changing.example", result: "unsure forbidden 0", title: "changing.example", failure: "forbidden"},
	{name: "private address", url: "http://10.0.0.1/", result: "unsure forbidden 0", title: "10.0.0.1", failure: "forbidden"},
	{name: "no such host", url: "http://missing.example/", result: "dead no_such_host 0", title: "missing.example", failure: "no_such_host"},
	{name: "nothing listens", url: "http://127.0.0.1:1025/", result: "dead refused 0", title: loopback, failure: "refused", again: true},

	// Connections and TLS.
	{name: "no response", page: sendRaw(""), result: "unsure interrupted 0", title: loopback, failure: "interrupted", again: true},
	{name: "not HTTP", page: sendRaw("SSH-2.0-OpenSSH_9.6\r\n"), result: "unsure response 0", title: loopback, failure: "response", again: true},
	{name: "self-signed TLS", page: sendHTML(articlePage("Secret")), tls: true, result: "unsure tls 0", title: loopback, failure: "tls"},
	{name: "HTTP where TLS is expected", page: sendHTML(articlePage("Plain")), url: "https", result: "unsure tls 0", title: loopback, failure: "tls"},

	// Wrong lengths and encodings.
	{name: "shorter than its Content-Length", page: sendRaw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n" + articlePage("Short")), result: "ok 200", title: "Short", failure: "interrupted", again: true},
	{name: "decompression bomb", page: sendEncoded("gzip", gzipped(strings.Repeat(" ", 1<<20)+articlePage("Bomb"))), result: "ok 200", title: loopback, failure: "encoding"},
	{name: "a picture", page: send(pngOf(640, 380)), result: "ok 200", title: loopback},

	// Statuses.
	{name: "200 with a challenge in the page", page: sendHTML("<title>Just a moment...</title><script>window._cf_chl_opt = {}</script>"), result: "blocked challenge 200", title: loopback, failure: "challenge"},
	{name: "not found", page: sendStatus(http.StatusNotFound), result: "dead status 404", title: loopback, failure: "status_4xx"},
	{name: "too many requests", page: sendStatus(http.StatusTooManyRequests), result: "blocked status 429", title: loopback, failure: "status_429", again: true},
	{name: "internal error", page: sendStatus(http.StatusInternalServerError), result: "unsure status 500", title: loopback, failure: "status_5xx", again: true},

	// Images.
	{name: "image bomb", page: sendHTML(articlePage("Bread")), image: send(imageBomb()), result: "ok 200", title: "Bread", snapshot: true},
	{name: "an image that is SVG", page: sendHTML(articlePage("Bread")), image: send([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)), result: "ok 200", title: "Bread", snapshot: true},
	{name: "an image of 1 MB", page: sendHTML(articlePage("Bread")), image: send(append(pngOf(640, 380), make([]byte, 1<<20)...)), result: "ok 200", title: "Bread", snapshot: true},
	{name: "an image behind a failing server", page: sendHTML(articlePage("Bread")), image: sendStatus(http.StatusBadGateway), result: "ok 200", title: "Bread", snapshot: true, again: true},
	{name: "an image with a private address", page: sendHTML(articlePage("Bread")), image: redirectTo("http://10.0.0.1/"), result: "ok 200", title: "Bread", snapshot: true},
	{name: "no space for pictures", page: sendHTML(articlePage("Bread")), image: send(pngOf(640, 380)), space: 300, result: "ok 200", title: "Bread", snapshot: true},
}

// TestFaultyServers saves a link to each faulty server, fetches its page with picture and
// snapshot, and checks it.
func TestFaultyServers(t *testing.T) {
	for _, f := range faultyServers {
		t.Run(f.name, func(t *testing.T) {
			if f.short && testing.Short() {
				t.Skip("it waits for seconds")
			}
			t.Parallel()
			f.check(t, storetest.OpenWith(t, store.Options{Now: newTestClock().Now, Fetch: waymark.FetchPolicy{Parts: allParts}}))
		})
	}
}

// check saves a link to the server, fetches its page and checks it.
func (f faultyServer) check(t *testing.T, s *store.Store) {
	fetching, checking := f.crawler(t, s), f.crawler(t, s)
	ada := storetest.User(t, s, "ada")
	link := addUnfetched(t, s, ada, f.start(t))

	fetchPages(t, fetching)
	saved, err := s.Link(t.Context(), ada.ID, link.ID)
	if err != nil || saved.Title != f.title {
		t.Errorf("got title %q, %v, want %q", saved.Title, err, f.title)
	}
	if got := picturesOf(t, s, link).Thumbnail != nil; got != f.picture {
		t.Errorf("got a picture: %t, want %t", got, f.picture)
	}
	if _, _, err := s.Snapshots.TextHTML(t.Context(), ada.ID, link.ID); err != nil && !errors.Is(err, waymark.ErrNotFound) || (err == nil) != f.snapshot {
		t.Errorf("got a snapshot: %t (%v), want %t", err == nil, err, f.snapshot)
	}
	wantFailure(t, "page", fetching.Stats().Pages.Failed, f.failure)
	waiting := 0
	if f.again {
		waiting = 1
	}
	wantWaiting(t, s, waiting)

	must(t, checking.CheckNow(t.Context(), ada, link.ID, true))
	checks, err := s.Queue.LinkChecks(t.Context(), ada.ID, link.ID)
	must(t, err)
	got := strings.Join(strings.Fields(fmt.Sprint(checks.Result, " ", checks.Reason, " ", checks.Code)), " ")
	if got != f.result {
		t.Errorf("got the result %q, want %q", got, f.result)
	}
}

// wantFailure compares counts of failures with the one that is expected, "" for none.
func wantFailure(t *testing.T, of string, got map[string]int, reason string) {
	t.Helper()
	want := map[string]int{}
	if reason != "" {
		want[reason] = 1
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: got the failures %v, want %v", of, got, want)
	}
}

// crawler returns a crawler that fetches and checks all that there is.
func (f faultyServer) crawler(t *testing.T, s *store.Store) *crawler {
	requests := fetchOptions()
	requests.Resolver = resolver(t, false)
	if f.short {
		requests.Timeout = 2 * time.Second // enough for servers that are not slow, also on a busy machine
	}
	pictures := pictureOptions()
	if f.space > 0 {
		pictures.Space = f.space
	}
	svc := newFetching(s)
	withSnapshots(svc, 1<<20)
	svc.set(func(o *crawl.Options) {
		o.Client, o.Timeout, o.Parts, o.Pictures = fetch.New(requests), requests.Timeout, o.Parts|waymark.ThumbnailPart, pictures
		o.Checks, o.CheckWait = true, time.Minute
	})
	return svc
}

// start starts the server and returns the URL of its page.
func (f faultyServer) start(t *testing.T) string {
	if f.page == nil {
		return f.url
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/image" && f.image != nil {
			f.image(w, r)
			return
		}
		f.page(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs that its certificate is not accepted
	if f.tls {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	switch f.url {
	case "":
		return server.URL + "/"
	case "https":
		return strings.Replace(server.URL, "http:", "https:", 1) + "/"
	}
	return strings.Replace(server.URL, loopback, f.url, 1) + "/"
}

// resolver returns a resolver for which changing.example is 127.0.0.1 at first and 127.0.0.2 later
// on. Besides it, it knows example.com, unless it is cut off from others.
func resolver(t *testing.T, cut bool) *net.Resolver {
	var mu sync.Mutex
	var asked []string
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			for { // over a stream, messages follow their length
				var length uint16
				if binary.Read(server, binary.BigEndian, &length) != nil {
					return
				}
				packed := make([]byte, length)
				if _, err := io.ReadFull(server, packed); err != nil {
					return
				}
				var m dnsmessage.Message
				if err := m.Unpack(packed); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				m = answer(m, &asked, cut)
				mu.Unlock()
				response, err := m.Pack()
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := server.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(response))), response...)); err != nil {
					return
				}
			}
		}()
		return client, nil
	}}
}

func answer(m dnsmessage.Message, asked *[]string, cut bool) dnsmessage.Message {
	question := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	if name := question.Name.String(); name != "changing.example." && (name != "example.com." || cut) {
		m.RCode = dnsmessage.RCodeNameError
		return m
	}
	if question.Type != dnsmessage.TypeA {
		return m
	}
	address := [4]byte{127, 0, 0, 1}
	if slices.Contains(*asked, question.Name.String()) {
		address[3] = 2
	}
	*asked = append(*asked, question.Name.String())
	m.Answers = []dnsmessage.Resource{{
		Header: dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET, TTL: 1},
		Body:   &dnsmessage.AResource{A: address},
	}}
	return m
}

// TestChecksFindNothingWithoutLookups checks links on a server that finds no host at all: its name server has no way to
// others, and says of every name that there is none.
func TestChecksFindNothingWithoutLookups(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := addUnfetched(t, s, ada, "http://gone.example/")
		for _, cut := range []bool{true, false} {
			requests := fetchOptions()
			requests.Resolver = resolver(t, cut)
			c := newFetching(s)
			c.set(func(o *crawl.Options) { o.Client, o.Checks, o.CheckWait = fetch.New(requests), true, time.Minute })
			must(t, c.CheckNow(t.Context(), ada, link.ID, true))
			if got := c.Cut(); got != cut {
				t.Errorf("got cut off %t, want %t", got, cut)
			}
			checks, err := s.Queue.LinkChecks(t.Context(), ada.ID, link.ID)
			must(t, err)
			want := map[bool]waymark.CheckResult{true: waymark.CheckNone, false: waymark.CheckDead}[cut]
			if checks.Result != want || (len(checks.Checks) == 0) != cut {
				t.Errorf("cut off %t: got the result %q of %d checks, want %q", cut, checks.Result, len(checks.Checks), want)
			}
			must(t, c.CheckLinks(t.Context())) // ends, although the link stays due
		}
	})
}
