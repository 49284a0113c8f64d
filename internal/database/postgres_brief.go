package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"time"
)

// briefTimeout is how long a statement of a brief querier may take. It takes less than a
// millisecond, unless the server has stopped responding.
const briefTimeout = 10 * time.Second

// briefDeadline is the key of the time.Time at which a statement of a brief querier fails, in
// its context.
type briefDeadline struct{}

// beginPostgresBrief waits for a connection until ctx ends, and returns the context for one
// statement of a brief querier on it.
func beginPostgresBrief(ctx context.Context, pool *sql.DB) (*sql.Conn, context.Context, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	deadline := time.Now().Add(briefTimeout)
	if end, ok := ctx.Deadline(); ok && end.Before(deadline) {
		deadline = end
	}
	return conn, context.WithValue(context.WithoutCancel(ctx), briefDeadline{}, deadline), nil
}

// QueryContext runs a query. Its rows must be read before the deadline of a brief querier, for
// which no goroutine waits.
func (c postgresConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if deadline, ok := ctx.Value(briefDeadline{}).(time.Time); ok {
		if err := c.setDeadline(deadline); err != nil {
			return nil, driver.ErrBadConn
		}
	}
	return c.Conn.QueryContext(ctx, text, args)
}

// ResetSession prepares a connection from the pool for its next use.
func (c postgresConn) ResetSession(ctx context.Context) error {
	if err := c.setDeadline(time.Time{}); err != nil {
		return driver.ErrBadConn
	}
	return c.Conn.ResetSession(ctx)
}

// setDeadline makes reads and writes of the connection fail at a time; never if it is zero.
func (c postgresConn) setDeadline(t time.Time) error {
	return c.Conn.Conn().PgConn().Conn().SetDeadline(t)
}
