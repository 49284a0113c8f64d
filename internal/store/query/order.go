package query

import (
	"waymark/internal/waymark"
)

// Order is what rows are sorted by. Equal rows are sorted by id.
type Order struct {
	Columns []string // of the row e
	// Group returns a value that is the same for all rows of a scope and sorted by first;
	// nil where there is none. It is not part of the SQL, since SQLite would sort all rows
	// by it: the groups are listed one after the other.
	Group func(Scope) int
}

// PrivateLast sorts what others see before what the owner alone sees.
var PrivateLast = Order{Group: func(s Scope) int {
	if s.Visibility() == waymark.Private {
		return 1
	}
	return 0
}}

// ByVisibility sorts public entities first, then internal ones, then private ones.
var ByVisibility = Order{Group: func(s Scope) int { return int(s.Visibility()) }}
