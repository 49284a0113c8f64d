package database

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/waymark"
)

// Within returns the database as a part of a write transaction sees it: its write
// transactions are savepoints of q's transaction, its reads see what that has changed, and
// nothing waits for a permit. It must not be used after the transaction.
func (db *DB) Within(q Querier) *DB {
	return &DB{dialect: db.dialect, trace: db.trace, within: &q, writer: savepoints{q}}
}

// savepoints is the writer of a part of a write transaction.
type savepoints struct{ q Querier }

// writeTx runs do in a savepoint. A conflict with another transaction is retried here,
// because the rest of the transaction is not affected by it.
func (w savepoints) writeTx(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
	return retryConflicts(ctx, func() error {
		if _, err := w.q.Exec(ctx, "SAVEPOINT part"); err != nil {
			return err
		}
		err := do(ctx, w.q)
		if err != nil {
			if _, rollbackErr := w.q.Exec(ctx, "ROLLBACK TO part"); rollbackErr != nil {
				// The whole transaction is lost. If that was the database, err says why.
				if !errors.Is(err, waymark.ErrUnavailable) {
					err = rollbackErr
				}
				return fmt.Errorf("the transaction was rolled back: %w", err)
			}
		}
		if _, releaseErr := w.q.Exec(ctx, "RELEASE part"); releaseErr != nil {
			return releaseErr
		}
		return err
	})
}
