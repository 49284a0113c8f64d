package httpx_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
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

func TestLargeBlockIsSentWhole(t *testing.T) {
	p := &chunks{ResponseRecorder: httptest.NewRecorder()}
	if err := write(p, 2, 1<<20, nil); err != nil || p.Body.Len() != 2<<20 {
		t.Errorf("got %d bytes, %v, want %d", p.Body.Len(), err, 2<<20)
	}
}

func TestErrorBeforeTheFirstChunkSendsNothing(t *testing.T) {
	p, cause := &chunks{ResponseRecorder: httptest.NewRecorder()}, errors.New("disk")
	if err := write(p, 3, 1000, cause); !errors.Is(err, cause) || errors.Is(err, httpx.ErrAborted) {
		t.Errorf("got error %v, want %v alone", err, cause)
	}
	if len(p.sizes) != 0 || len(p.Header()) != 0 {
		t.Errorf("got chunks %v and header %v, want none", p.sizes, p.Header())
	}
}

func TestErrorAfterTheFirstChunkAborts(t *testing.T) {
	p, cause := &chunks{ResponseRecorder: httptest.NewRecorder()}, errors.New("disk")
	if err := write(p, 300, 1000, cause); !errors.Is(err, cause) || !errors.Is(err, httpx.ErrAborted) {
		t.Errorf("got error %v, want ErrAborted and %v", err, cause)
	}
}

func TestClientThatIsGoneAborts(t *testing.T) {
	cause := errors.New("broken pipe")
	p := &chunks{ResponseRecorder: httptest.NewRecorder(), err: cause}
	if err := write(p, 300, 1000, nil); !errors.Is(err, cause) || !errors.Is(err, httpx.ErrAborted) {
		t.Errorf("got error %v, want ErrAborted and %v", err, cause)
	}
}

func BenchmarkStreamWriter(b *testing.B) {
	entity := bytes.Repeat([]byte{'a'}, 500)
	for _, count := range []int{1, 24, 10_000} {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			b.ReportAllocs()
			w := &discard{header: http.Header{}}
			for b.Loop() {
				s := httpx.NewStreamWriter(w, "application/json")
				for range count {
					s.Write(entity)
				}
				s.Close(nil)
			}
		})
	}
}

type discard struct{ header http.Header }

func (d *discard) Header() http.Header              { return d.header }
func (*discard) Write(b []byte) (int, error)        { return len(b), nil }
func (*discard) WriteHeader(int)                    {}
func (*discard) SetWriteDeadline(_ time.Time) error { return nil }
