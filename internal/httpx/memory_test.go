package httpx_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"waymark/internal/httpx"
)

// newBody returns a body of that many bytes, or one of unknown length.
func newBody(memory *httpx.Memory, size int, known bool) *httpx.Body {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("a", size)))
	if !known {
		r.ContentLength = -1
	}
	return memory.Body(r)
}

func readBody(b *httpx.Body) error {
	_, err := io.Copy(io.Discard, b)
	return err
}

func TestLargeBodiesShareMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := httpx.NewMemory(1 << 20)
		first := newBody(memory, 700<<10, true)
		check(t, readBody(first))
		for _, known := range []bool{true, false} {
			started := time.Now()
			second := newBody(memory, 700<<10, known)
			if err := readBody(second); !errors.Is(err, httpx.ErrNoMemory) || time.Since(started) > 5*time.Second {
				t.Errorf("a second large body: got error %v after %s, want ErrNoMemory soon", err, time.Since(started))
			}
			second.Release()
			small := newBody(memory, 64<<10, known)
			if err := readBody(small); err != nil {
				t.Errorf("a small body: %v", err)
			}
			small.Release()
		}
		time.AfterFunc(time.Second, first.Release)
		third := newBody(memory, 700<<10, true)
		if err := readBody(third); err != nil {
			t.Errorf("a body whose memory becomes free: %v", err)
		}
		third.Release()
		if err := readBody(newBody(memory, 40<<20, true)); err != nil {
			t.Errorf("a body that is larger than the budget: %v", err)
		}
	})
}
