package store_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// proxy stands between a store and PostgreSQL, and can fall silent.
type proxy struct {
	listener net.Listener
	target   string
	running  sync.WaitGroup

	mu       sync.Mutex
	conns    []net.Conn
	accepted int
	silent   chan struct{} // nil while it forwards, closed when the test ends
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: target}
	p.running.Go(p.serve)
	t.Cleanup(func() {
		p.cut()
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
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		p.mu.Lock()
		silent := p.silent
		p.mu.Unlock()
		if silent != nil {
			<-silent // nothing more arrives, not even the end
			return
		}
		if _, failed := to.Write(piece[:n]); err != nil || failed != nil {
			return
		}
	}
}

// fallSilent makes the proxy a host that is there and says nothing.
func (p *proxy) fallSilent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = make(chan struct{})
}

// cut ends all connections, and lets nobody in any more.
func (p *proxy) cut() {
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

func (p *proxy) visitors() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// behind returns a URL that leads to the same database through proxies, each of
// which looks like a host of its own.
func behind(t *testing.T, database string, n int) (string, []*proxy) {
	t.Helper()
	place, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	target := place.Host
	proxies := make([]*proxy, n)
	addresses := make([]string, n)
	for i := range proxies {
		proxies[i] = newProxy(t, target)
		addresses[i] = proxies[i].address()
	}
	place.Host = "HOSTS" // a URL of Go's has only one
	return strings.Replace(place.String(), "HOSTS", strings.Join(addresses, ","), 1), proxies
}

func TestSilentHostIsLeftForTheNext(t *testing.T) {
	place := storetest.Postgres(t)
	database, hosts := behind(t, place.Database, 2)
	s := storetest.OpenWith(t, store.Options{Database: database})
	// As many connections in the pool as there are questions at the same time.
	askTogether := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		answers := make(chan error)
		for range 5 {
			go func() {
				_, err := s.Rows(ctx, "SELECT 1 FROM pg_sleep(0.05)")
				answers <- err
			}()
		}
		var errs []error
		for range 5 {
			errs = append(errs, <-answers)
		}
		return errors.Join(errs...)
	}
	if err := askTogether(time.Minute); err != nil {
		t.Fatal(err)
	}
	if hosts[1].visitors() != 0 {
		t.Error("the second host was asked while the first one answers")
	}

	hosts[0].fallSilent()
	for deadline := time.Now().Add(time.Minute); ; {
		began := time.Now()
		err := askTogether(time.Second) // less than it takes to give a host up
		if err == nil {
			break
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("a question with a second of time took %s", took)
		}
		if time.Now().After(deadline) {
			t.Fatalf("the second host is not found: %v", err)
		}
	}
	before := hosts[0].visitors()
	if err := askTogether(time.Minute); err != nil {
		t.Errorf("after the fail-over: %v", err)
	}
	if got := hosts[0].visitors(); got != before {
		t.Errorf("the silent host was asked %d more times", got-before)
	}
}

func TestChangesAreNotAvailableWithoutAServer(t *testing.T) {
	place := storetest.Postgres(t)
	database, hosts := behind(t, place.Database, 2)
	s := storetest.OpenWith(t, store.Options{Database: database})
	storetest.User(t, s, "ann")
	for _, host := range hosts {
		host.cut()
	}
	for i := range 5 { // with the connections from the pool, and then with none
		if _, err := s.CreateUser(t.Context(), waymark.User{Name: "bob", Visibility: waymark.Private}, ""); !errors.Is(err, waymark.ErrUnavailable) {
			t.Errorf("change %d: got error %v, want ErrUnavailable", i, err)
		}
		if _, err := s.Users(t.Context()); !errors.Is(err, waymark.ErrUnavailable) {
			t.Errorf("question %d: got error %v, want ErrUnavailable", i, err)
		}
	}
}

// failing counts the changes, one after the other, that find no server.
func failing(t *testing.T, s *store.Store) int {
	t.Helper()
	n := 0
	for _, name := range []string{"bob", "cid", "dot", "eve", "fay"} {
		_, err := s.CreateUser(t.Context(), waymark.User{Name: name, Visibility: waymark.Private}, "")
		if errors.Is(err, waymark.ErrUnavailable) {
			n++
		} else if err != nil {
			t.Errorf("got error %v, want ErrUnavailable or none", err)
		}
	}
	return n
}

func TestConnectionThatTakesNoWritesLeavesThePool(t *testing.T) {
	s := storetest.OpenWith(t, storetest.Postgres(t))
	if _, err := s.Rows(t.Context(), "SELECT set_config('default_transaction_read_only', 'on', false)"); err != nil {
		t.Fatal(err)
	}
	if got := failing(t, s); got != 1 { // the one that was used last is used next
		t.Errorf("%d changes failed, want one for one bad connection", got)
	}
}

func TestConnectionThatTheServerEndedLeavesThePool(t *testing.T) {
	place := storetest.Postgres(t)
	other := storetest.OpenWith(t, place)
	place.Database += "&application_name=doomed"
	s := storetest.OpenWith(t, place)
	if _, err := other.Rows(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed'"); err != nil {
		t.Fatal(err)
	}
	if got := failing(t, s); got > 2 { // Open has used two
		t.Errorf("%d changes failed, want no more than there were connections", got)
	}
}

func TestServerThatIsNotThereIsNamedWithoutItsPassword(t *testing.T) {
	_, err := store.Open(t.Context(), store.Options{Database: "postgres://ann:secret@127.0.0.1:1,127.0.0.1:2/links"})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1, 127.0.0.1:2 ") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got error %v, want one that names both hosts and no password", err)
	}
}

// otherDatabase makes a database beside that of place, and returns its URL.
func otherDatabase(t *testing.T, place store.Options, name, with string) string {
	t.Helper()
	s := storetest.OpenWith(t, place)
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name + " WITH TEMPLATE template0 " + with} {
		if _, err := s.Rows(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { s.Rows(context.Background(), "DROP DATABASE "+name) })
	other, err := url.Parse(place.Database)
	if err != nil {
		t.Fatal(err)
	}
	other.Path, other.RawQuery = "/"+name, "sslmode=disable"
	return other.String()
}

func TestDatabaseThatIsNotUTF8IsRefused(t *testing.T) {
	database := otherDatabase(t, storetest.Postgres(t), "waymark_latin1", "ENCODING 'LATIN1' LOCALE 'C'")
	if _, err := store.Open(t.Context(), store.Options{Database: database}); err == nil || !strings.Contains(err.Error(), "ENCODING 'UTF8'") {
		t.Errorf("got error %v, want one that says which encoding is needed", err)
	}
}

func TestDatabaseThatKnowsFewLettersIsTold(t *testing.T) {
	place := storetest.Postgres(t)
	for locale, want := range map[string]bool{"C": true, "C.UTF-8": false} {
		var log bytes.Buffer
		o := store.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
		o.Database = otherDatabase(t, place, "waymark_letters", "ENCODING 'UTF8' LOCALE '"+locale+"'")
		s, err := store.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(log.String(), "LC_CTYPE"); got != want {
			t.Errorf("locale %s: got %s, want advice: %t", locale, log.String(), want)
		}
	}
}
