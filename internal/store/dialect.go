package store

import (
	"context"
	"database/sql"

	"waymark/internal/waymark"
)

// way is one of several walks that bring everything together, each along an index of
// its own. The terms of all have the same values.
type way struct {
	only  string // the condition for what it brings; "" for everything
	terms []string
}

// dialect names what the databases do differently. Whoever needs another answer
// from each asks here, so that the rest of the room is written once.
type dialect struct {
	// snapshot are the options of a transaction that only reads.
	readTxOptions *sql.TxOptions
	// translate turns the driver's errors into the product's.
	mapError func(error) error
	// rows is the FROM of the rows in a JSON array of arrays: each with a value, whose
	// parts are value->>0 and so on, and a key, their order.
	jsonRows func(place string) string
	// among is the condition that what stands before it is in the result of a query
	// for one column.
	inSubquery func(query string) string
	// ways returns how the indexes of an order of links are walked along.
	indexScans func(terms []string) []way
	// first is an ordered query of which no more than the first rows are needed: the
	// number is at the place.
	limit func(query, most string) string
	// contains is the condition that a column contains the text at a place.
	contains func(column, place string) string
	// findText is the finder of the links that contain a text.
	findText func(t textQuery) finder
	// lock makes other changes wait that look for names of an owner's, until
	// this one has ended, so that a name is made once.
	lock func(ctx context.Context, q querier, owner waymark.UserID) error
	// resetSequence makes the next id of a table follow those that were written with
	// their rows.
	resetSequence func(ctx context.Context, q querier, table string) error
	// learn is the statement by which the planner learns what the tables hold, once
	// much has come at once; "" for none.
	analyze string
}
