package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"waymark/internal/httpx"
)

// slowClient is a ResponseWriter whose client receives several bytes at once every interval. Like
// Linux it takes megabytes at once, and then nothing until a third of its buffer is free.
type slowClient struct {
	http.ResponseWriter
	lump     int64
	interval time.Duration
	stalls   int64 // the client receives no more than that, if it is not 0
	size     int64 // of the send buffer

	mu              sync.Mutex
	start           time.Time
	deadline        time.Time
	written, missed int64 // missed is what a client that was faster than the server could not receive
}

// progress returns what the client has received at this time.
func (c *slowClient) progress() (acknowledged, pending int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	received := int64(time.Since(c.start)/c.interval)*c.lump - c.missed
	if c.stalls > 0 {
		received = min(received, c.stalls)
	}
	if received > c.written {
		c.missed += received - c.written
		received = c.written
	}
	return received, c.written - received, true
}

// Write waits until the buffer has space.
func (c *slowClient) Write(b []byte) (int, error) {
	for {
		_, pending, _ := c.progress()
		c.mu.Lock()
		deadline := c.deadline
		if pending == 0 || pending+int64(len(b)) <= c.size*2/3 || c.written+int64(len(b)) <= c.size {
			c.written += int64(len(b))
			c.mu.Unlock()
			return len(b), nil
		}
		c.mu.Unlock()
		if !time.Now().Before(deadline) {
			return 0, os.ErrDeadlineExceeded
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (c *slowClient) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return nil
}

// stream sends that many bytes to the client with a timeout of 30 s.
func (c *slowClient) stream(bytes int, permitted func(context.Context) error) error {
	c.ResponseWriter, c.start = httptest.NewRecorder(), time.Now()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r = r.WithContext(httpx.WithProgress(r.Context(), c.progress))
	s := httpx.NewStreamWriter(c, r, "text/plain", 30*time.Second, permitted)
	for entity := make([]byte, 500); bytes > 0; bytes -= len(entity) {
		if _, err := s.Write(entity); err != nil {
			return s.Close(err)
		}
	}
	return s.Close(nil)
}

const sendBuffer = 4 << 20

func TestSteadyReaderIsNotCutOff(t *testing.T) {
	for name, client := range map[string]*slowClient{
		"20 KB/s": {lump: 2_000, interval: 100 * time.Millisecond, size: sendBuffer},
		"4 KB/s":  {lump: 400, interval: 100 * time.Millisecond, size: sendBuffer},
		"4 KB/s in lumps of half a receive buffer": {lump: 65_483, interval: 16 * time.Second, size: sendBuffer},
		"just above the limit":                     {lump: 65_536, interval: 29 * time.Second, size: sendBuffer},
		"with little buffer":                       {lump: 400, interval: 100 * time.Millisecond, size: 100 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := client.stream(3*sendBuffer, nil); err != nil {
					t.Fatalf("got %v after %s", err, time.Since(client.start))
				}
				// net/http still sends the end of the response, after what the client has not
				// received.
				_, pending, _ := client.progress()
				if needs := time.Duration(pending/client.lump) * client.interval; time.Until(client.deadline) < needs {
					t.Errorf("got %s for the last %d bytes, want the %s that the client needs", time.Until(client.deadline), pending, needs)
				}
			})
		})
	}
}

func TestReaderThatIsTooSlowIsCutOff(t *testing.T) {
	for name, client := range map[string]*slowClient{
		"1 KB/s":                {lump: 100, interval: 100 * time.Millisecond, size: sendBuffer},
		"nothing":               {lump: 1, interval: time.Hour, size: sendBuffer},
		"nothing after a while": {lump: 1 << 20, interval: time.Second, stalls: sendBuffer, size: sendBuffer},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := client.stream(3*sendBuffer, nil)
				if !errors.Is(err, httpx.ErrAborted) || !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("got %v, want ErrAborted for the deadline", err)
				}
				if got := time.Since(client.start); got > 3*time.Minute {
					t.Errorf("got the end after %s", got)
				}
			})
		})
	}
}

func TestStreamEndsWhenItIsNoLongerPermitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &slowClient{lump: 1, interval: time.Hour, size: sendBuffer}
		revoked := errors.New("revoked")
		err := client.stream(3*sendBuffer, func(context.Context) error {
			if time.Since(client.start) > 5*time.Second {
				return revoked
			}
			return nil
		})
		if !errors.Is(err, httpx.ErrAborted) || !errors.Is(err, revoked) {
			t.Errorf("got %v, want ErrAborted and %v", err, revoked)
		}
		if got := time.Since(client.start); got > 7*time.Second {
			t.Errorf("got the end after %s although the write was blocked, want about 6 s", got)
		}
	})
}

// TestTCPProgress compares what the system reports with what a client reads.
func TestTCPProgress(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("known on Linux only")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	const size = 1 << 20
	client.(*net.TCPConn).SetReadBuffer(64 << 10)
	server.(*net.TCPConn).SetWriteBuffer(2 * size)
	if _, err := server.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	before, pending, ok := httpx.TCPProgress(server)
	if !ok || pending == 0 || before >= size {
		t.Errorf("got %d acknowledged and %d pending, %t, of a client that does not read", before, pending, ok)
	}
	if _, err := io.CopyN(io.Discard, client, size); err != nil {
		t.Fatal(err)
	}
	for pending > 0 { // the last acknowledgement may be on its way
		before, pending, _ = httpx.TCPProgress(server)
		runtime.Gosched()
	}
	if before < size {
		t.Errorf("got %d acknowledged bytes, want %d", before, size)
	}
}

// TestUnreadStreamIsNotBufferedBySystem checks that a stream, compressed or not, is still
// running while its client has received little of it. Otherwise revoking the key could not end
// it.
func TestUnreadStreamIsNotBufferedBySystem(t *testing.T) {
	const size = 2 << 20 // less than the system would buffer
	for _, encoding := range []string{"identity", "gzip"} {
		t.Run(encoding, func(t *testing.T) {
			revoked := errors.New("revoked")
			ended := make(chan error, 1)
			random := rand.New(rand.NewPCG(1, 2)) // cannot be compressed to much less
			server := httptest.NewUnstartedServer(httpx.Represent(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s := httpx.NewStreamWriter(w, r, "text/plain", 30*time.Second, func(context.Context) error {
					return revoked
				})
				for range size / 32 {
					fmt.Fprintf(s, "%016x%016x", random.Uint64(), random.Uint64())
				}
				ended <- s.Close(nil)
			}), true))
			server.Config.ConnContext = httpx.ConnContext
			server.Start()
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.(*net.TCPConn).SetReadBuffer(32 << 10)
			fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: %s\r\nConnection: close\r\n\r\n", encoding)
			if err := <-ended; !errors.Is(err, revoked) {
				t.Errorf("got %v, want %v", err, revoked)
			}
			received, err := io.Copy(io.Discard, conn)
			if received > size/4 {
				t.Errorf("the client received %d bytes of a stream that was ended, %v", received, err)
			}
		})
	}
}
