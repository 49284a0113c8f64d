package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"waymark/internal/waymark"
)

// postgresConn is a connection whose read transactions plan each statement for its
// arguments, since the best plan for the first page of a listing differs from that for a
// late one. Statements outside a transaction, and those that write, find rows by their
// keys, or are first pages: PostgreSQL keeps their plans, because planning takes longer than
// the statement.
type postgresConn struct{ *stdlib.Conn }

var (
	errNotSent = fmt.Errorf("%w: the connection was closed before the COMMIT", waymark.ErrUnavailable)
	errWarned  = errors.New("the changes may not be on a standby: the server sent a warning for the COMMIT")
)

// warnedKey is the key, in the CustomData of a connection, of whether the server has sent a warning.
const warnedKey = "waymark: warned"

// recordWarning records the warnings of the server: one for a COMMIT says that an operator has canceled it.
func recordWarning(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		conn.CustomData()[warnedKey] = true
	}
}

// The statements that begin a transaction, each in one round trip. They set the isolation,
// because the default of the server may be another one.
const (
	beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan"
	// The check interval, in milliseconds: a transaction whose client is gone releases its locks
	// after it, even while it waits for another lock. PostgreSQL for Windows does not have it.
	beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED; " +
		"SELECT set_config('client_connection_check_interval', '2000', true) WHERE version() !~ 'Visual C|mingw|windows'"
)

// rollbackTimeout limits the time for a ROLLBACK.
const rollbackTimeout = 2 * time.Second

// BeginTx begins a transaction. One that only reads sees one snapshot.
func (c postgresConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	conn := c.Conn.Conn()
	if conn.IsClosed() {
		return nil, driver.ErrBadConn
	}
	begin := beginWrite
	if o.ReadOnly {
		begin = beginRead
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return nil, err
	}
	return postgresTx{context.WithoutCancel(ctx), tx}, nil
}

// postgresTx is a transaction.
type postgresTx struct {
	ctx context.Context // does not end
	tx  pgx.Tx
}

// Commit commits the transaction, and waits for the result as long as it takes. A COMMIT
// that waits for a synchronous standby must not be canceled: PostgreSQL would then commit
// on the primary alone, others would see the changes, and a failover would lose them. So no
// cancel request is sent, not even if the connection breaks: see openConn.
func (t postgresTx) Commit() error {
	conn := t.tx.Conn()
	if conn.IsClosed() {
		return errNotSent
	}
	delete(conn.PgConn().CustomData(), warnedKey)
	if err := t.tx.Commit(t.ctx); err != nil {
		return err
	}
	if conn.PgConn().CustomData()[warnedKey] != nil {
		return errWarned
	}
	return nil
}

// Rollback ends the transaction without its changes.
func (t postgresTx) Rollback() error {
	ctx, cancel := context.WithTimeout(t.ctx, rollbackTimeout)
	defer cancel()
	return t.tx.Rollback(ctx)
}
