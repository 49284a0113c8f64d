package api

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"waymark/internal/config"
)

// A user who sends large bodies slowly uses all memory for them. Requests with small bodies go on.
func TestLargeBodiesBeyondTheMemoryAre503(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	settings := config.Default().API
	settings.RequestMemory = 2 << 20
	handler := newHandler(s.service, nil, nil, s.store, settings, nil)
	send := func(ctx context.Context, who *testClient, path string, length int64, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v2"+path, body)
		r.Header.Set("Authorization", "Bearer "+who.key)
		r.ContentLength = length
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	slow, sender := io.Pipe()
	var large sync.WaitGroup
	large.Go(func() { send(t.Context(), ann, "/bulk/links", 2<<20, slow) })
	if _, err := sender.Write(make([]byte, 100<<10)); err != nil { // returns when they are read
		t.Fatal(err)
	}
	body := func(size int) string { return `{"name":"` + s.uniqueName() + `"}` + strings.Repeat(" ", size) }
	ctx, cancel := context.WithCancel(t.Context())
	const small = 64<<10 + 1 // are read without waiting for memory
	text := body(500_000)
	waiting := io.MultiReader(strings.NewReader(text[:small-1]), readFunc(func(p []byte) (int, error) {
		cancel() // it would wait for two seconds
		return copy(p, text[small-1:small]), nil
	}), strings.NewReader(text[small:]))
	if got := send(ctx, ben, "/tags", int64(len(text)), waiting); got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") != "5" {
		t.Errorf("a large body: got %d %s, Retry-After %q, want 503 and 5", got.Code, got.Body, got.Header().Get("Retry-After"))
	}
	text = body(50_000)
	if got := send(t.Context(), ben, "/tags", int64(len(text)), strings.NewReader(text)); got.Code != http.StatusOK {
		t.Errorf("a small body: got %d %s", got.Code, got.Body)
	}
	sender.CloseWithError(io.ErrUnexpectedEOF) //nolint:errcheck // it returns none
	large.Wait()
	text = body(500_000)
	if got := send(t.Context(), ben, "/tags", int64(len(text)), strings.NewReader(text)); got.Code != http.StatusOK {
		t.Errorf("a large body when the memory is free: got %d %s", got.Code, got.Body)
	}
}

// readFunc is a reader that is a function.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
