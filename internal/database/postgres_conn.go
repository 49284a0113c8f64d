package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
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
type postgresConn struct {
	*stdlib.Conn
	commit *commitState
}

// commitState is the state of the COMMIT of a write transaction on a connection.
type commitState struct {
	running atomic.Bool // remains true if the connection breaks
	warned  atomic.Bool // the server sent a warning
}

var (
	errNotSent    = fmt.Errorf("%w: the connection was closed before the COMMIT", waymark.ErrUnavailable)
	errCommitting = errors.New("a COMMIT is not canceled")
	errWarned     = errors.New("the changes may not be on a standby: the server sent a warning for the COMMIT")
)

// dial returns dial, which pgx calls a second time to cancel the statement of a connection
// that it closes. It refuses to cancel a COMMIT.
func (s *commitState) dial(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if s.running.Load() {
			return nil, errCommitting
		}
		return dial(ctx, network, address)
	}
}

// onNotice records PostgreSQL's warning that a COMMIT was canceled, by an operator for example.
func (s *commitState) onNotice(_ *pgconn.PgConn, n *pgconn.Notice) {
	if s.running.Load() && n.SeverityUnlocalized == "WARNING" {
		s.warned.Store(true)
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

// rollbackTimeout limits the time for the ROLLBACK of a write transaction.
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
	if o.ReadOnly {
		return postgresReadTx{ctx, tx}, nil
	}
	return postgresWriteTx{context.WithoutCancel(ctx), tx, c}, nil
}

// postgresReadTx is a read transaction.
type postgresReadTx struct {
	ctx context.Context
	tx  pgx.Tx
}

// Commit ends the transaction.
func (t postgresReadTx) Commit() error { return t.tx.Commit(t.ctx) }

// Rollback ends the transaction.
func (t postgresReadTx) Rollback() error { return t.tx.Rollback(t.ctx) }

// postgresWriteTx is a write transaction.
type postgresWriteTx struct {
	ctx  context.Context // does not end
	tx   pgx.Tx
	conn postgresConn
}

// Commit commits the transaction, and waits for the result as long as it takes. A COMMIT
// that waits for a synchronous standby must not be canceled: PostgreSQL would then commit
// on the primary alone, others would see the changes, and a failover would lose them. So no
// cancel request is sent, not even if the connection breaks.
func (t postgresWriteTx) Commit() error {
	if t.conn.Conn.Conn().IsClosed() {
		return errNotSent
	}
	t.conn.commit.running.Store(true)
	err := t.tx.Commit(t.ctx)
	if !t.conn.Conn.Conn().IsClosed() { // the server has responded, perhaps with an error
		t.conn.commit.running.Store(false)
	}
	if t.conn.commit.warned.Swap(false) && err == nil {
		return errWarned
	}
	return err
}

// Rollback ends the transaction without its changes.
func (t postgresWriteTx) Rollback() error {
	ctx, cancel := context.WithTimeout(t.ctx, rollbackTimeout)
	defer cancel()
	return t.tx.Rollback(ctx)
}
