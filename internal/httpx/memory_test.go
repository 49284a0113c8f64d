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
	"waymark/internal/waymark"
)

// newBody returns a body of a user with that many bytes.
func newBody(memory *httpx.Memory, user waymark.UserID, size int) *httpx.Body {
	return memory.Body(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("a", size))), user)
}

func readBody(b *httpx.Body) error {
	_, err := io.Copy(io.Discard, b)
	return err
}

func TestLargeBodiesShareMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := httpx.NewMemory(4 << 20)
		large := newBody(memory, 1, 2<<20)
		check(t, readBody(large))
		began := time.Now()
		second := newBody(memory, 1, 1<<20)
		if err := readBody(second); !errors.Is(err, httpx.ErrNoMemory) || time.Since(began) != 2*time.Second {
			t.Errorf("a second large body: got error %v after %s, want ErrNoMemory after 2s", err, time.Since(began))
		}
		second.Release()
		began = time.Now()
		for _, body := range []*httpx.Body{newBody(memory, 1, 64<<10), newBody(memory, 2, 2<<20)} { // a small one, and one of another user
			if err := readBody(body); err != nil || time.Since(began) > 0 {
				t.Errorf("got error %v after %s, want none at once", err, time.Since(began))
			}
			body.Release()
		}
		time.AfterFunc(time.Second, large.Release)
		third := newBody(memory, 1, 2<<20)
		if err := readBody(third); err != nil {
			t.Errorf("a body whose memory becomes free: %v", err)
		}
		third.Release()
	})
}

// A client that declares a large body and sends a little keeps nothing from its owner's other requests.
func TestBodyTakesMemoryOfWhatHasArrived(t *testing.T) {
	memory := httpx.NewMemory(64 << 20)
	for range 30 {
		r := httptest.NewRequest(http.MethodPost, "/", io.LimitReader(endless{}, 100<<10))
		r.ContentLength = 32 << 20
		body := memory.Body(r, 1)
		check(t, readBody(body))
		defer body.Release()
	}
	body := newBody(memory, 1, 2<<20)
	defer body.Release()
	check(t, readBody(body))
}

// deadlines is a ResponseWriter that keeps the deadline for reading.
type deadlines struct {
	http.ResponseWriter
	read time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error { d.read = t; return nil }

func (d *deadlines) SetWriteDeadline(time.Time) error { return nil }

// drip is a body of which some bytes arrive in each second, until the deadline.
type drip struct {
	*deadlines
	rate, left int
}

func (d *drip) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	switch {
	case time.Now().After(d.read):
		return 0, http.ErrHandlerTimeout
	case d.left == 0:
		return 0, io.EOF
	}
	n := min(d.rate, d.left, len(p))
	d.left -= n
	return n, nil
}

func (*drip) Close() error { return nil }

func TestSlowBodyEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		rate int
		size int
		want error
		most time.Duration
	}{
		{"a telephone that sends 10 KB/s", 10_000, 30 << 20, nil, 2 * time.Hour},
		{"a client that sends a byte in each second", 1, 30 << 20, http.ErrHandlerTimeout, 2 * time.Minute},
		{"a client that stops after 100 KB", 0, 100 << 10, http.ErrHandlerTimeout, 2 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			w := &deadlines{ResponseWriter: httptest.NewRecorder()}
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			r.Body = &drip{w, test.rate, test.size}
			n, err := io.Copy(io.Discard, httpx.LongBody(w, r, 100<<20))
			if !errors.Is(err, test.want) || time.Since(began) > test.most {
				t.Errorf("%s: got %d bytes and error %v after %s, want %v within %s", test.name, n, err, time.Since(began), test.want, test.most)
			}
		})
	}
}
