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

// A user who sends a large body slowly uses up their share of the memory. Requests with small bodies, and those
// of others, go on.
func TestLargeBodiesBeyondTheShareOfAUserAre503(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	handler := newHandler(s.service, nil, nil, s.store, config.Default().API, nil)
	send := func(ctx context.Context, who *testClient, path string, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v2"+path, body)
		r.Header.Set("Authorization", "Bearer "+who.key)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	slow, sender := io.Pipe()
	var large sync.WaitGroup
	large.Go(func() { send(t.Context(), ann, "/bulk/links", slow) })
	if _, err := sender.Write(make([]byte, 32<<20)); err != nil { // returns when they are read
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
	if got := send(ctx, ann, "/tags", waiting); got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") != "5" {
		t.Errorf("a large body: got %d %s, Retry-After %q, want 503 and 5", got.Code, got.Body, got.Header().Get("Retry-After"))
	}
	if got := send(t.Context(), ann, "/tags", strings.NewReader(body(50_000))); got.Code != http.StatusOK {
		t.Errorf("a small body: got %d %s", got.Code, got.Body)
	}
	if got := send(t.Context(), ben, "/tags", strings.NewReader(body(500_000))); got.Code != http.StatusOK {
		t.Errorf("a large body of another user: got %d %s", got.Code, got.Body)
	}
	sender.CloseWithError(io.ErrUnexpectedEOF) //nolint:errcheck // it returns none
	large.Wait()
	if got := send(t.Context(), ann, "/tags", strings.NewReader(body(500_000))); got.Code != http.StatusOK {
		t.Errorf("a large body when the memory is free: got %d %s", got.Code, got.Body)
	}
}

// readFunc is a reader that is a function.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
