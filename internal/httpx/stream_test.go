package httpx_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"waymark/internal/httpx"
)

// chunks is a ResponseWriter that records the size of each write.
type chunks struct {
	*httptest.ResponseRecorder
	sizes     []int
	deadlines int
	err       error // returned by Write
}

func (p *chunks) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	p.sizes = append(p.sizes, len(b))
	return p.ResponseRecorder.Write(b)
}

func (p *chunks) SetWriteDeadline(time.Time) error {
	p.deadlines++
	return nil
}

// write writes count blocks of size bytes and closes the response with failure.
func write(w http.ResponseWriter, count, size int, failure error) error {
	s := httpx.NewStreamWriter(w, "text/plain")
	for range count {
		if _, err := s.Write(bytes.Repeat([]byte{'a'}, size)); err != nil {
			return s.Close(err)
		}
	}
	return s.Close(failure)
}

func TestShortResponseIsSentWithItsLength(t *testing.T) {
	p := &chunks{ResponseRecorder: httptest.NewRecorder()}
	check(t, write(p, 3, 1000, nil))
	if got := p.Header().Get("Content-Length"); got != "3000" || len(p.sizes) != 1 || p.deadlines != 0 {
		t.Errorf("got Content-Length %q, chunks %v, %d deadlines, want one chunk of 3000 bytes without a deadline", got, p.sizes, p.deadlines)
	}
	if got := p.Header().Get("Content-Type"); got != "text/plain" {
		t.Errorf("got Content-Type %q", got)
	}
}

func TestLongResponseIsSentInChunks(t *testing.T) {
	p := &chunks{ResponseRecorder: httptest.NewRecorder()}
	check(t, write(p, 300, 1000, nil))
	if want := strings.Repeat("a", 300_000); p.Body.String() != want || p.Header().Get("Content-Length") != "" {
		t.Errorf("got %d bytes with Content-Length %q, want %d without", p.Body.Len(), p.Header().Get("Content-Length"), len(want))
	}
	if len(p.sizes) != 5 || p.deadlines != 5 || p.sizes[0] != 66_000 {
		t.Errorf("got chunks %v with %d deadlines, want 4 of 66000 bytes, the rest, and a deadline for each", p.sizes, p.deadlines)
	}
}

func TestErrorsOfAResponse(t *testing.T) {
	cause := errors.New("disk")
	p := &chunks{ResponseRecorder: httptest.NewRecorder()}
	if err := write(p, 3, 1000, cause); !errors.Is(err, cause) || errors.Is(err, httpx.ErrAborted) || len(p.sizes) != 0 || len(p.Header()) != 0 {
		t.Errorf("before the first chunk: got error %v, chunks %v and header %v, want %v alone", err, p.sizes, p.Header(), cause)
	}
	for what, err := range map[string]error{
		"after the first chunk":   write(&chunks{ResponseRecorder: httptest.NewRecorder()}, 300, 1000, cause),
		"a client that went away": write(&chunks{ResponseRecorder: httptest.NewRecorder(), err: cause}, 300, 1000, nil),
	} {
		if !errors.Is(err, cause) || !errors.Is(err, httpx.ErrAborted) {
			t.Errorf("%s: got error %v, want ErrAborted and %v", what, err, cause)
		}
	}
}
