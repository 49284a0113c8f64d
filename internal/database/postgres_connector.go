package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// connectTimeout limits a connection attempt to one host.
	connectTimeout = 3 * time.Second
	// silenceTimeout is how long a host may leave sent data unacknowledged.
	silenceTimeout = 10 * time.Second
	// A connection that was idle for pingAfter must respond to a ping within pingTimeout.
	pingAfter   = time.Second
	pingTimeout = 2 * time.Second
)

// failoverConnector opens connections to the one of several PostgreSQL servers that
// accepts writes. Its connections are checked before they are used again.
type failoverConnector struct {
	hosts     []postgresHost
	preferred atomic.Int64 // the index of the host to try first
}

type postgresHost struct {
	address string
	config  *pgx.ConnConfig
}

func newFailoverConnector(url string) (*failoverConnector, error) {
	config, err := postgresConfig(url)
	if err != nil {
		return nil, err
	}
	c := &failoverConnector{}
	for _, host := range splitHosts(config) {
		c.hosts = append(c.hosts, postgresHost{net.JoinHostPort(host.Host, strconv.Itoa(int(host.Port))), host})
	}
	return c, nil
}

// CheckPostgresURL returns an error for a URL that cannot be read, or names files that cannot.
func CheckPostgresURL(url string) error {
	_, err := postgresConfig(url)
	return err
}

// postgresConfig parses the URL and sets defaults. Connections are made only to a host
// that accepts writes, so that they follow a fail-over.
func postgresConfig(url string) (*pgx.ConnConfig, error) {
	if !strings.Contains(url, "target_session_attrs=") {
		separator := "?"
		if strings.Contains(url, "?") {
			separator = "&"
		}
		url += separator + "target_session_attrs=read-write"
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, urlError(url, err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	// Compiling a plan takes tens of milliseconds. PostgreSQL does so for plans that it
	// estimates to be expensive, and without statistics it overestimates short reads.
	config.RuntimeParams["jit"] = "off"
	// The role, the database or the server can have another encoding for its clients.
	config.RuntimeParams["client_encoding"] = "UTF8"
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "waymark"
	}
	config.DialFunc = (&net.Dialer{Control: tcpUserTimeoutControl(silenceTimeout)}).DialContext
	config.OnPgError = func(_ *pgconn.PgConn, e *pgconn.PgError) bool { return !isFatal(e) }
	return config, nil
}

// splitHosts returns the settings for each host of a URL with several. A host keeps
// several fallbacks if it is tried with TLS and without.
func splitHosts(config *pgx.ConnConfig) []*pgx.ConnConfig {
	var hosts []*pgx.ConnConfig
	first := &pgconn.FallbackConfig{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}
	for _, target := range append([]*pgconn.FallbackConfig{first}, config.Fallbacks...) {
		if len(hosts) > 0 {
			if last := hosts[len(hosts)-1]; last.Host == target.Host && last.Port == target.Port {
				last.Fallbacks = append(last.Fallbacks, target)
				continue
			}
		}
		host := config.Copy()
		host.Host, host.Port, host.TLSConfig, host.Fallbacks = target.Host, target.Port, target.TLSConfig, nil
		hosts = append(hosts, host)
	}
	return hosts
}

// Connect opens a connection to a host that accepts writes. It tries the host of the
// last connection first, and a host that has just failed last: so a host that does not
// respond costs one connectTimeout altogether, not one for each connection.
func (c *failoverConnector) Connect(ctx context.Context) (driver.Conn, error) {
	failed := &connectError{}
	preferred := int(c.preferred.Load())
	for i := range c.hosts {
		index := (preferred + i) % len(c.hosts)
		host := c.hosts[index]
		conn, err := openConn(ctx, host.config)
		if err == nil {
			c.preferred.Store(int64(index))
			return conn, nil
		}
		failed.hosts = append(failed.hosts, host.address)
		failed.errs = append(failed.errs, err)
		c.preferred.CompareAndSwap(int64(index), int64((index+1)%len(c.hosts)))
		if ctx.Err() != nil {
			break // the next host would fail for that reason and lose its preference
		}
	}
	return nil, failed
}

// errNoCancel is the error of a cancel request.
var errNoCancel = errors.New("statements are not canceled")

// openConn opens a connection to one host. pgx dials a second time to cancel the statement of a connection that it
// closes: this is refused, because the statement can be a COMMIT. The server ends others when it finds that the
// connection is closed.
func openConn(ctx context.Context, host *pgx.ConnConfig) (driver.Conn, error) {
	config, dial, connected := *host, host.DialFunc, &atomic.Bool{}
	config.OnNotice = recordWarning
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if connected.Load() {
			return nil, errNoCancel
		}
		return dial(ctx, network, address)
	}
	conn, err := stdlib.GetConnector(config,
		stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false }), // checkAlive pings
		stdlib.OptionResetSession(checkAlive)).Connect(ctx)
	if err != nil {
		return nil, err
	}
	connected.Store(true)
	return postgresConn{conn.(*stdlib.Conn)}, nil
}

// Driver returns the driver of pgx. Package sql requires the method.
func (c *failoverConnector) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// lastUsedKey is the key of the time.Time at which a connection was last used.
const lastUsedKey = "waymark: last used"

// checkAlive returns driver.ErrBadConn for a connection from the pool that has died while it was
// idle. A server that disappeared does not respond at all, so the timeout is far below the timeout
// of a request.
func checkAlive(ctx context.Context, conn *pgx.Conn) error {
	data := conn.PgConn().CustomData()
	if last, ok := data[lastUsedKey].(time.Time); !ok || time.Since(last) > pingAfter {
		ctx, cancel := context.WithTimeout(ctx, pingTimeout)
		defer cancel()
		if err := conn.Ping(ctx); err != nil {
			return driver.ErrBadConn
		}
	}
	data[lastUsedKey] = time.Now()
	return nil
}
