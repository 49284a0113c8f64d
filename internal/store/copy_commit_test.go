package store_test

import (
	"bytes"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

// commitProxy forwards connections to PostgreSQL. After cut it breaks the connection that
// sends a COMMIT.
type commitProxy struct {
	target  string
	running sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
	armed    bool
	forward  bool // the COMMIT reaches the server
	refuse   bool // no connection is accepted afterwards
}

func newCommitProxy(t *testing.T, target string) *commitProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &commitProxy{target: target, listener: listener}
	p.running.Go(p.serve)
	t.Cleanup(func() {
		p.stop()
		p.running.Wait()
	})
	return p
}

// cut makes the next COMMIT break its connection.
func (p *commitProxy) cut(forward, refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.forward, p.refuse = true, forward, refuse
}

func (p *commitProxy) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.close()
}

// close closes the listener, and all connections but some. The caller holds the lock.
func (p *commitProxy) close(except ...net.Conn) {
	p.listener.Close()
	for _, conn := range p.conns {
		if !slices.Contains(except, conn) {
			conn.Close()
		}
	}
}

func (p *commitProxy) serve() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.target)
		if err != nil {
			near.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, near, far)
		p.mu.Unlock()
		p.running.Go(func() { p.copy(far, near, false) })
		p.running.Go(func() { p.copy(near, far, true) })
	}
}

func (p *commitProxy) copy(from, to net.Conn, toServer bool) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		cut := toServer && p.armed && bytes.Contains(bytes.ToLower(buffer[:n]), []byte("commit\x00"))
		forward := !cut || p.forward
		if cut {
			p.armed = false
			if p.refuse { // before the client notices and connects again
				p.close(from, to)
			}
			from.Close() // before the server can respond
		}
		p.mu.Unlock()
		if forward {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil || cut {
			return
		}
	}
}

func TestCopyReportsWhetherALostCommitTookEffect(t *testing.T) {
	for name, test := range map[string]struct {
		forward, refuse bool
		copied          bool
		want            error
		text            string
	}{
		"committed":           {forward: true, copied: true},
		"not committed":       {text: "the commit failed: "},
		"the target is gone":  {forward: true, refuse: true, copied: true, want: store.ErrCopyUnknown},
		"gone without COMMIT": {refuse: true, want: store.ErrCopyUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			direct := storetest.PostgresOptions(t)
			parsed, err := url.Parse(direct.Database)
			check(t, err)
			proxy := newCommitProxy(t, parsed.Host)
			parsed.Host = proxy.listener.Addr().String()

			from := storetest.Open(t)
			storetest.Fill(t, from, storetest.User(t, from, "ada"), 3)
			to, err := store.Open(t.Context(), store.Options{Database: parsed.String(), Connections: 4})
			check(t, err)
			defer to.Close() // fails if the target is gone
			if test.refuse {
				to.SetFindCopyTimeout(100 * time.Millisecond)
			}
			proxy.cut(test.forward, test.refuse)
			err = store.Copy(t.Context(), from, to, func(int, int) {})
			switch {
			case test.text != "":
				if err == nil || !strings.HasPrefix(err.Error(), test.text) {
					t.Errorf("got error %v, want %q", err, test.text)
				}
			case !errors.Is(err, test.want):
				t.Errorf("got error %v, want %v", err, test.want)
			}

			users, err := storetest.OpenWith(t, direct).Users(t.Context())
			if err != nil || len(users) == 1 != test.copied {
				t.Errorf("got %d users in the target (error %v), want copied: %t", len(users), err, test.copied)
			}
		})
	}
}
