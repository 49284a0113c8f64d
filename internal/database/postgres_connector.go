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
	// connectTimeout is how long one host may take to let us in.
	connectTimeout = 3 * time.Second
	// silenceTimeout is how long a machine may be silent about what was sent to it.
	silenceTimeout = 10 * time.Second
	// pingTimeout is how long a connection from the pool may take to show that it
	// is alive, and pingAfter how long it may have been unused without being asked.
	pingTimeout = 2 * time.Second
	pingAfter   = time.Second
)

// failoverConnector are the PostgreSQL servers that a URL names, of which one takes writes. It
// opens connections to that one, and keeps dead ones from being used again.
type failoverConnector struct {
	names []string // for people
	each  []driver.Connector
	first atomic.Int64 // the place of the host to try first
}

// postgresHosts understands the URL.
func postgresHosts(url string) (*failoverConnector, error) {
	config, err := postgresConfig(url)
	if err != nil {
		return nil, err
	}
	h := &failoverConnector{}
	for _, one := range splitHosts(config) {
		h.names = append(h.names, address(one.Host, one.Port))
		h.each = append(h.each, stdlib.GetConnector(*one,
			stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false }), // alive does
			stdlib.OptionResetSession(checkAlive)))
	}
	return h, nil
}

// postgresConfig understands the URL. Where it names several hosts, the one that
// takes writes is meant, so that a connection follows a fail-over.
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
		return nil, errors.New("the database setting is no PostgreSQL URL: write it as postgres://user:password@host:5432/name")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	// A page needs another plan for the first screen than for the thousandth.
	config.RuntimeParams["plan_cache_mode"] = "force_custom_plan"
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "waymark"
	}
	config.DialFunc = (&net.Dialer{Control: tcpUserTimeoutControl(silenceTimeout)}).DialContext
	config.OnPgError = func(_ *pgconn.PgConn, e *pgconn.PgError) bool { return !isFatal(e) }
	return config, nil
}

// splitHosts parts the settings for several hosts into those for each. A host has
// several where it is tried with TLS and without.
func splitHosts(all *pgx.ConnConfig) []*pgx.ConnConfig {
	var parts []*pgx.ConnConfig
	ways := append([]*pgconn.FallbackConfig{{Host: all.Host, Port: all.Port, TLSConfig: all.TLSConfig}}, all.Fallbacks...)
	for _, way := range ways {
		if len(parts) > 0 {
			if last := parts[len(parts)-1]; last.Host == way.Host && last.Port == way.Port {
				last.Fallbacks = append(last.Fallbacks, way)
				continue
			}
		}
		one := all.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks = way.Host, way.Port, way.TLSConfig, nil
		parts = append(parts, one)
	}
	return parts
}

func address(host string, port uint16) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// String names the hosts, without what else is in the URL.
func (h *failoverConnector) String() string { return strings.Join(h.names, ", ") }

// Connect opens a connection to a host that takes writes. It begins with the one
// that did so the last time, and not with one that has just failed: a host that
// does not even answer takes our patience once, and not for every connection, some
// of which have less time than that.
func (h *failoverConnector) Connect(ctx context.Context) (driver.Conn, error) {
	var errs []error
	first := h.first.Load()
	for i := range h.each {
		at := (int(first) + i) % len(h.each)
		conn, err := h.each[at].Connect(ctx)
		if err == nil {
			h.first.Store(int64(at))
			return conn, nil
		}
		errs = append(errs, err)
		h.first.CompareAndSwap(int64(at), int64((at+1)%len(h.each)))
		if ctx.Err() != nil {
			break // and the next one would look as if it had failed
		}
	}
	return nil, errors.Join(errs...)
}

// Driver is for database/sql.
func (h *failoverConnector) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// lastUsedKey is where a connection remembers when it was used.
const lastUsedKey = "waymark: last use"

// checkAlive refuses a connection from the pool that has died while nobody used it. A
// server that is gone without a word does not even refuse the question: hence the
// limit, far below that of a request.
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

// isFatal tells whether a connection is of no use after an error: the
// server has ended it, or does not take writes any more, and another one does.
func isFatal(e *pgconn.PgError) bool {
	return endedByServer(e) || e.Code == readOnly
}

// readOnly is what a server says to a change that takes none.
const readOnly = "25006"

func endedByServer(e *pgconn.PgError) bool {
	// The plain Severity is in the server's language.
	return e.SeverityUnlocalized == "FATAL" || e.SeverityUnlocalized == "PANIC"
}
