package database

import (
	"context"
	"database/sql"
	"errors"

	"waymark/internal/waymark"
)

// dialect has what SQLite and PostgreSQL do differently.
type dialect struct {
	kind Kind
	// readTxOptions are the options of a transaction that reads one snapshot.
	readTxOptions *sql.TxOptions
	// mapDriverError wraps an error of the driver in one of package waymark, if one
	// fits.
	mapDriverError func(error) error
	// jsonRows returns the FROM item for the elements of a JSON array of arrays in a
	// parameter: its columns are value, with value->>0 and so on, and key, the index.
	jsonRows func(parameter string) string
	// inSubquery returns the condition that the expression before it is in the result
	// of a query with one column.
	inSubquery func(query string) string
	// limitBranch limits one branch of a UNION ALL to a number or parameter; nil
	// if that does not help the planner.
	limitBranch func(query, limit string) string
	// lock makes other write transactions with the same key wait until this one ends.
	lock func(ctx context.Context, q Querier, key int64) error
	// lastID and setLastID are those of a Querier.
	lastID    func(ctx context.Context, q Querier, table string) (int64, error)
	setLastID func(ctx context.Context, q Querier, table string, id int64) error
	// analyze is the statement that updates the planner's statistics, "" for none.
	analyze string
}

// mapError wraps an error of the driver in one of package waymark, if one fits. An
// error that is one already is returned as it is, so that nothing is wrapped twice.
func (d *dialect) mapError(err error) error {
	if err == nil {
		return nil
	}
	for _, kind := range []error{waymark.ErrNotFound, waymark.ErrForbidden, waymark.ErrConflict, waymark.ErrUnavailable} {
		if errors.Is(err, kind) {
			return err
		}
	}
	if _, ok := errors.AsType[*waymark.ValidationError](err); ok {
		return err
	}
	return d.mapDriverError(err)
}
