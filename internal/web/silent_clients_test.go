package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

func TestSilentFormsDoNotStopSignInAndGuestPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		settings := config.Default().API
		settings.GuestPages = true
		s := newTestSite(t, db, settings)
		ada := s.user(t, "ada")
		s.site.Memory = httpx.NewMemory(1) // a page that needs a permit would fail
		host := strings.TrimPrefix(s.URL, "http://")
		for i := range 36 {
			conn, err := net.Dial("tcp", host)
			check(t, err)
			t.Cleanup(func() { conn.Close() })
			length, sent := 1_048_000, 900_000
			if i%2 == 1 {
				length, sent = 16_000, 15_000
			}
			fmt.Fprintf(conn, "POST /signin HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n", host, length)
			go io.WriteString(conn, "name="+strings.Repeat("a", sent)) //nolint:errcheck // the server may refuse it
		}
		before := time.Now()
		for _, path := range []string{"/signin", "/guest/links"} {
			s.guest(t).get(path).wantStatus(http.StatusOK)
		}
		ada.get("/links").wantStatus(http.StatusOK)
		s.guest(t).signIn("ada", password)
		if took := time.Since(before); took > httpx.GuestBodyTime/2 {
			t.Errorf("the pages took %s while other clients were silent", took)
		}
	})
}

// deadlines is a response of a server that has read deadlines.
type deadlines struct {
	*httptest.ResponseRecorder
	read time.Time // the current deadline
}

func (d *deadlines) SetReadDeadline(deadline time.Time) error {
	d.read = deadline
	return nil
}

// readFunc is a body.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestFormsOfGuestsMustArriveSoon(t *testing.T) {
	s := newSite(t)
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	var during time.Time
	r := httptest.NewRequest(http.MethodPost, "/signin", readFunc(func([]byte) (int, error) {
		during = w.read
		return 0, io.EOF
	}))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	latest := time.Now().Add(httpx.GuestBodyTime)
	s.site.ServeHTTP(w, r)
	if during.Before(latest) || during.After(time.Now().Add(httpx.GuestBodyTime)) {
		t.Errorf("the form is read until %s, want %s from now", during, httpx.GuestBodyTime)
	}
	if !w.read.IsZero() {
		t.Errorf("after the form the deadline is still %s", w.read)
	}
}

func TestFormThatDoesNotArriveKeepsItsDeadline(t *testing.T) {
	s := newSite(t)
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodPost, "/signin", iotest.ErrReader(os.ErrDeadlineExceeded))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	s.site.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest {
		t.Errorf("got status %d, want 400", w.Code)
	}
	// Before it sends the response, net/http reads the rest of the body: without a deadline for ever.
	if w.read.IsZero() {
		t.Error("the connection has no deadline any more")
	}
}
