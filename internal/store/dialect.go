package store

import (
	"database/sql"

	"waymark/internal/waymark"
)

// dialect names what the databases do differently. Whoever needs another answer
// from each asks here, so that the rest of the room is written once.
type dialect struct {
	// snapshot are the options of a transaction that only reads.
	snapshot *sql.TxOptions
	// translate turns the driver's errors into the product's.
	translate func(error) error
	// contains is the condition that a column contains the text at a place.
	contains func(column, place string) string
	// textMatch returns the FROM, and the start of the WHERE, that find by an index
	// the links of a shelf in which a folded text of three characters or more may be
	// in one of the columns (url_key, title_key, description_key).
	textMatch func(a *args, shelf waymark.UserID, text string, columns []string) string
}
