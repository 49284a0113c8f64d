package httpx_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"waymark/internal/httpx"
)

// jsonHandler responds with a whole body.
func jsonHandler(status int, body string, headers ...string) http.Handler {
	return httpx.Represent(bareHandler(status, body, headers...), true)
}

// bareHandler is jsonHandler without Represent.
func bareHandler(status int, body string, headers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		httpx.WriteBody(w, status, "application/json", []byte(body))
	})
}

func TestWhichBodiesAreCompressed(t *testing.T) {
	long := `{"a":"` + strings.Repeat("Waymark ", 1000) + `"}`
	for _, test := range []struct {
		name    string
		handler http.Handler
		want    bool
	}{
		{"long", jsonHandler(200, long), true},
		{"short", jsonHandler(200, `{"a":1}`), false},
		{"an error", jsonHandler(422, long), false},
		{"a secret", jsonHandler(200, long, "Cache-Control: no-store"), false},
		{"encoded already", jsonHandler(200, long, "Content-Encoding: br"), false},
		{"turned off", httpx.Represent(bareHandler(200, long), false), false},
	} {
		w := request(t, test.handler, http.MethodGet, "Accept-Encoding: gzip")
		got := w.Header().Get("Content-Encoding") == "gzip"
		if got != test.want || w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) {
			t.Errorf("%s: got %v, want gzip: %t", test.name, w.Header(), test.want)
		}
		if body := plain(t, w); body != long && test.name != "short" {
			t.Errorf("%s: got another body: %.80q", test.name, body)
		}
	}
	w := request(t, jsonHandler(200, long), http.MethodGet, "Accept-Encoding: gzip;q=0")
	if w.Header().Get("Content-Encoding") != "" || w.Body.String() != long || w.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("got %v for a client without gzip", w.Header())
	}
	head := request(t, jsonHandler(200, long), http.MethodHead, "Accept-Encoding: gzip").Header()
	if get := request(t, jsonHandler(200, long), http.MethodGet, "Accept-Encoding: gzip").Header(); fmt.Sprint(get) != fmt.Sprint(head) {
		t.Errorf("got %v for HEAD, want %v", head, get)
	}
}

func TestUnchangedResponseIsNotSentTwice(t *testing.T) {
	handler := jsonHandler(200, `{"a":1}`, "Cache-Control: no-cache, private")
	first := request(t, handler, http.MethodGet)
	tag := first.Header().Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) {
		t.Fatalf("got ETag %q, want a weak one", tag)
	}
	for _, names := range []string{tag, strings.TrimPrefix(tag, "W/"), `W/"other", ` + tag, "*"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := request(t, handler, method, "If-None-Match: "+names)
			if w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "" ||
				w.Header().Get("ETag") != tag || w.Header().Get("Cache-Control") == "" || w.Header().Get("Vary") == "" {
				t.Errorf("%s with %s: got %d %v, want 304", method, names, w.Code, w.Header())
			}
		}
	}
	for name, w := range map[string]*httptest.ResponseRecorder{
		"another body": request(t, jsonHandler(200, `{"a":2}`), http.MethodGet, "If-None-Match: "+tag),
		"a change":     request(t, handler, http.MethodPost, "If-None-Match: "+tag),
	} {
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: got %d, want 200 and the body", name, w.Code)
		}
	}
	for name, handler := range map[string]http.Handler{
		"a secret": jsonHandler(200, `{"a":1}`, "Cache-Control: no-store"),
		"an error": jsonHandler(404, `{"a":1}`),
	} {
		if got := request(t, handler, http.MethodGet).Header().Get("ETag"); got != "" {
			t.Errorf("%s: got ETag %s, want none", name, got)
		}
	}
}

// streamHandler responds with chunks, and with failure at the end.
func streamHandler(chunk []byte, count int, failure error) http.Handler {
	return httpx.Represent(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := httpx.NewStreamWriter(w, "application/json")
		for range count {
			s.Write(chunk)
		}
		if err := s.Close(failure); err != nil {
			panic(http.ErrAbortHandler)
		}
	}), true)
}

func TestStreamIsCompressedInChunks(t *testing.T) {
	chunk := make([]byte, 70_000)
	for i := range chunk {
		chunk[i] = "abcdefgh"[rand.IntN(8)]
	}
	server := httptest.NewServer(streamHandler(chunk, 20, nil))
	defer server.Close()
	for _, encoding := range []string{"gzip", "identity"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		check(t, err)
		r.Header.Set("Accept-Encoding", encoding)
		response, err := http.DefaultClient.Do(r)
		check(t, err)
		defer response.Body.Close()
		h, body := response.Header, io.Reader(response.Body)
		if gzipped := h.Get("Content-Encoding") == "gzip"; gzipped != (encoding == "gzip") || h.Get("Vary") != "Accept-Encoding" || h.Get("ETag") != "" {
			t.Errorf("%s: got %v", encoding, h)
		} else if gzipped {
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(body)
		if err != nil || !bytes.Equal(got, bytes.Repeat(chunk, 20)) {
			t.Errorf("%s: got %d bytes, %v, want the %d that were sent", encoding, len(got), err, 20*len(chunk))
		}
	}
}

// TestCompressedChunkArrivesAtOnce reads the first chunk while the handler waits.
func TestCompressedChunkArrivesAtOnce(t *testing.T) {
	read := make(chan struct{})
	server := httptest.NewServer(httpx.Represent(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, strings.Repeat("a", 5000))
		select {
		case <-read:
		case <-time.After(10 * time.Second):
			t.Error("the first chunk did not arrive")
		}
	}), true))
	defer server.Close()
	response, err := http.Get(server.URL) // asks for gzip
	check(t, err)
	defer response.Body.Close()
	if _, err := io.ReadFull(response.Body, make([]byte, 5000)); err != nil || !response.Uncompressed {
		t.Errorf("got error %v, compressed: %t", err, response.Uncompressed)
	}
	close(read)
}

func TestAbortedCompressedStreamIsIncomplete(t *testing.T) {
	server := httptest.NewServer(streamHandler(make([]byte, 70_000), 20, errors.New("disk")))
	defer server.Close()
	response, err := http.Get(server.URL)
	check(t, err)
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); err == nil {
		t.Errorf("got %d bytes and no error, want an incomplete response", n)
	}
}
