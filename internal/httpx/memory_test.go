package httpx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

const mib = 1 << 20

// readBody reads a body of size bytes, whose length is known in advance or not,
// with the memory of a request, which it returns.
func readBody(ctx context.Context, m *httpx.Memory, user waymark.UserID, size int, known bool) (*httpx.RequestMemory, error) {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size)))
	if !known {
		r.ContentLength = -1
	}
	memory := m.For(r, user)
	body, err := io.ReadAll(memory.Body(r))
	if err == nil && len(body) != size {
		err = errors.New("the body was cut off")
	}
	return memory, err
}

func TestBodiesHaveBudget(t *testing.T) {
	for name, known := range map[string]bool{"length": true, "chunked": false} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { testBodiesHaveBudget(t, known) }) })
	}
}

func testBodiesHaveBudget(t *testing.T, known bool) {
	t.Helper()
	m := httpx.NewMemory(8*mib, 2*time.Second)
	first, err := readBody(t.Context(), m, 1, 3*mib, known)
	if err != nil {
		t.Fatal(err)
	}
	// Half of the budget is for one user, and not more.
	start := time.Now()
	refused, err := readBody(t.Context(), m, 1, 2*mib, known)
	if !errors.Is(err, httpx.ErrNoMemory) || !errors.Is(err, waymark.ErrUnavailable) || time.Since(start) != 2*time.Second {
		t.Errorf("got %v after %s, want ErrNoMemory after 2s", err, time.Since(start))
	}
	refused.Release()
	other, err := readBody(t.Context(), m, 2, 4*mib, known)
	if err != nil {
		t.Errorf("another user: %v", err)
	}
	third, err := readBody(t.Context(), m, 3, 2*mib, known)
	if !errors.Is(err, httpx.ErrNoMemory) {
		t.Errorf("beyond the whole budget: got %v, want ErrNoMemory", err)
	}
	third.Release()
	if small, err := readBody(t.Context(), m, 3, 16<<10, known); err != nil {
		t.Errorf("a small body: %v", err)
	} else {
		small.Release()
	}
	// A request that waits gets what another one releases.
	time.AfterFunc(time.Second, other.Release)
	start = time.Now()
	waited, err := readBody(t.Context(), m, 3, 4*mib, known)
	if err != nil || time.Since(start) != time.Second {
		t.Errorf("got %v after %s, want the body after 1s", err, time.Since(start))
	}
	waited.Release()
	first.Release()
	for range 20 { // everything was given back
		again, err := readBody(t.Context(), m, 1, 4*mib, known)
		if err != nil {
			t.Fatal(err)
		}
		again.Release()
	}
}

// Bodies that each got a part of the memory would wait for each other, and all fail.
func TestOneOfSeveralLargeBodiesIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := httpx.NewMemory(8*mib, time.Second)
		var succeeded atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				memory, err := readBody(t.Context(), m, 1, 4*mib, true)
				if err == nil {
					succeeded.Add(1)
					time.Sleep(5 * time.Second) // of the fake clock
				}
				memory.Release()
			})
		}
		all.Wait()
		if got := succeeded.Load(); got != 1 {
			t.Errorf("%d bodies were read, want 1", got)
		}
	})
}

// A client that has announced a large body and stops sending must not hold more of the budget
// than it has sent.
func TestStalledBodyHoldsWhatWasReceived(t *testing.T) {
	m := httpx.NewMemory(8*mib, 0)
	stalled := errors.New("stalled")
	r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader(strings.Repeat("x", 100_000)), iotest.ErrReader(stalled)))
	r.ContentLength = 4 * mib
	memory := m.For(r, 1)
	defer memory.Release()
	if _, err := io.ReadAll(memory.Body(r)); !errors.Is(err, stalled) {
		t.Fatal(err)
	}
	other, err := readBody(t.Context(), m, 1, 3*mib/2, true)
	if err != nil {
		t.Errorf("another body of the user: %v", err)
	}
	other.Release()
}

func TestWaitForMemoryEndsWithTheRequest(t *testing.T) {
	m := httpx.NewMemory(2*mib, time.Hour)
	held, err := readBody(t.Context(), m, 1, mib, true)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	memory, err := readBody(ctx, m, 1, mib, true)
	defer memory.Release()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// respond sends a response of size bytes with the memory of a request.
func respond(m *httpx.Memory, user waymark.UserID, method string, size int) (w *httptest.ResponseRecorder, memory *httpx.RequestMemory, err error) {
	w = httptest.NewRecorder()
	r := httptest.NewRequest(method, "/", nil)
	memory = m.For(r, user)
	s := httpx.NewStreamWriter(memory.Writer(w), r, "text/plain", time.Minute, nil)
	for block := range bytes.Lines(bytes.Repeat([]byte(strings.Repeat("a", 999)+"\n"), size/1000)) {
		if _, err = s.Write(block); err != nil {
			break
		}
	}
	return w, memory, s.Close(err)
}

func TestResponsesInPartsHaveBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := httpx.NewMemory(4*mib, time.Second)
		_, first, err := respond(m, 1, http.MethodGet, 200_000)
		if err != nil {
			t.Fatal(err)
		}
		w, second, err := respond(m, 1, http.MethodGet, 200_000)
		if !errors.Is(err, httpx.ErrNoMemory) || errors.Is(err, httpx.ErrAborted) || w.Body.Len() > 0 || len(w.Header()) > 0 {
			t.Errorf("got %v after %d bytes, want ErrNoMemory before the first", err, w.Body.Len())
		}
		second.Release()
		for _, test := range []struct {
			name, method string
			user         waymark.UserID
			size         int
		}{{"short", http.MethodGet, 1, 60_000}, {"of another user", http.MethodGet, 2, 200_000}, {"to a change", http.MethodPost, 1, 200_000}} {
			if w, memory, err := respond(m, test.user, test.method, test.size); err != nil || w.Body.Len() != test.size {
				t.Errorf("a response %s: got %d bytes, %v", test.name, w.Body.Len(), err)
			} else {
				memory.Release()
			}
		}
		first.Release()
	})
}
