package database_test

import (
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// proxy forwards connections to PostgreSQL, and can stop responding.
type proxy struct {
	listener net.Listener
	target   string
	running  sync.WaitGroup

	mu       sync.Mutex
	conns    []net.Conn
	accepted int
	silent   chan struct{} // nil while it forwards; closed when the test ends
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	p := &proxy{listener: listener, target: target}
	p.running.Go(p.serve)
	t.Cleanup(func() {
		p.close()
		p.running.Wait()
	})
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) serve() {
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
		p.accepted++
		p.conns = append(p.conns, near, far)
		p.mu.Unlock()
		p.running.Go(func() { p.forward(near, far) })
		p.running.Go(func() { p.forward(far, near) })
	}
}

func (p *proxy) forward(from, to net.Conn) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		silent := p.silent
		p.mu.Unlock()
		if silent != nil {
			<-silent // forwards nothing more, not even the end of the connection
			return
		}
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// stopResponding makes the proxy accept connections and data, and respond nothing.
func (p *proxy) stopResponding() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = make(chan struct{})
}

// close closes all connections and refuses new ones.
func (p *proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		conn.Close()
	}
	p.conns = nil
	if p.silent != nil {
		close(p.silent)
		p.silent = nil
	}
}

// connections returns the number of connections that were accepted.
func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// withProxies returns a URL of the same database with the addresses of n proxies, which
// look like n hosts.
func withProxies(t *testing.T, databaseURL string, n int) (string, []*proxy) {
	t.Helper()
	parsed, err := url.Parse(databaseURL)
	check(t, err)
	target := parsed.Host
	proxies := make([]*proxy, n)
	addresses := make([]string, n)
	for i := range proxies {
		proxies[i] = newProxy(t, target)
		addresses[i] = proxies[i].address()
	}
	parsed.Host = "HOSTS" // package url accepts only one host
	return strings.Replace(parsed.String(), "HOSTS", strings.Join(addresses, ","), 1), proxies
}
