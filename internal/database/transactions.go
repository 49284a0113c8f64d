package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waymark/internal/permits"
	"waymark/internal/waymark"
)

// ReadTx runs read in a transaction that sees one snapshot. Errors of read are returned as they are.
func (db *DB) ReadTx(ctx context.Context, read func(q Querier) error) error {
	if db.within != nil {
		return read(*db.within)
	}
	if err := acquire(ctx, db.limits.reads); err != nil {
		return err
	}
	defer release(db.limits.reads)
	return db.readTx(ctx, read)
}

// maxLongRead is how long a long read may take. Its snapshot keeps SQLite from truncating the
// write-ahead log, and PostgreSQL from removing old rows.
const maxLongRead = 10 * time.Minute

var errLongRead = fmt.Errorf("%w: it took more than %s", waymark.ErrBusy, maxLongRead)

// LongReadTx is ReadTx for a read whose rows are sent to a client while they are read, so that it
// takes as long as the client does. It returns waymark.ErrBusy if that is more than 10 minutes, or
// if there is no permit.
func (db *DB) LongReadTx(ctx context.Context, user int64, read func(ctx context.Context, q Querier) error) error {
	if db.within != nil {
		return read(ctx, *db.within)
	}
	return db.limits.longReads.Do(ctx, user, func() error {
		defer db.beginLongRead()()
		ctx, cancel := context.WithTimeoutCause(ctx, maxLongRead, errLongRead)
		defer cancel()
		err := db.readTx(ctx, func(q Querier) error { return read(ctx, q) })
		if err != nil && errors.Is(context.Cause(ctx), errLongRead) {
			return errLongRead
		}
		return err
	})
}

// beginLongRead counts a long read or a backup. Call end after it.
func (db *DB) beginLongRead() (end func()) {
	db.limits.longReadsRunning.Add(1)
	return func() { db.limits.longReadsRunning.Add(-1) }
}

// Search calls read, which needs much of a processor. Searches have permits of their own, so that
// short reads do not wait for them. It returns waymark.ErrBusy if there is no permit.
func (db *DB) Search(ctx context.Context, user int64, read func() error) error {
	return db.limited(ctx, func(l *limits) *permits.Limit { return l.searches }, user, read)
}

// Stream calls send, which sends a long response while it reads the rows, with a permit for that. It
// returns waymark.ErrBusy if there is none.
func (db *DB) Stream(ctx context.Context, user int64, send func() error) error {
	return db.limited(ctx, func(l *limits) *permits.Limit { return l.streams }, user, send)
}

// Bulk calls change, which changes many rows. Such changes have permits of their own, so that one
// user's many changes do not delay all others. It returns waymark.ErrBusy if there is no permit.
func (db *DB) Bulk(ctx context.Context, user int64, change func() error) error {
	return db.limited(ctx, func(l *limits) *permits.Limit { return l.bulks }, user, change)
}

// limited calls f with a permit, unless db is a part of a transaction.
func (db *DB) limited(ctx context.Context, of func(*limits) *permits.Limit, user int64, f func() error) error {
	if db.within != nil {
		return f()
	}
	return of(db.limits).Do(ctx, user, f)
}

func (db *DB) readTx(ctx context.Context, read func(q Querier) error) error {
	tx, err := db.read.BeginTx(ctx, db.dialect.readTxOptions)
	if err != nil {
		return db.dialect.mapError(fmt.Errorf("begin a read transaction: %w", err))
	}
	defer tx.Rollback() //nolint:errcheck // a read transaction changes nothing
	return read(Querier{runner: tx, dialect: db.dialect, stmts: db.stmts, tx: tx, trace: db.trace})
}
