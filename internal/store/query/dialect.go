package query

import (
	"waymark/internal/database"
)

// Dialect holds the differences between SQLite and PostgreSQL in finding and sorting
// links.
type Dialect struct {
	// Contains returns the condition that a column contains the text in a parameter.
	Contains func(column, parameter string) string
	// textRows returns the links of a scope whose texts contain a text.
	textRows func(a *database.Args, t TextPredicate, s Scope) source
	// textIndexed returns how precisely the text index identifies the links that contain
	// a text. textIndex returns its entries in a scope.
	textIndexed func(t TextPredicate) Indexing
	textIndex   func(a *database.Args, t TextPredicate, s Scope) source
	// orderScans returns the index scans whose union is sorted by the columns.
	orderScans func(columns []string) []orderScan
}

// trigram is the length of the shortest text that the text indexes find, in characters.
const trigram = 3
