package query

import (
	"waymark/internal/waymark"
)

// Order is the sort order of a listing. Rows with equal columns are sorted by id.
type Order struct {
	Columns []string // of the row e
	// Group returns the group of a scope. Groups are listed one after the other, in
	// ascending order; nil puts all scopes into one group. A group is not a column of
	// ORDER BY, because SQLite would then sort all rows instead of reading an index.
	Group func(Scope) int
}

// PrivateLast sorts public and internal entities before private ones.
var PrivateLast = Order{Group: func(s Scope) int {
	if s.Visibility() == waymark.Private {
		return 1
	}
	return 0
}}

// ByVisibility sorts public entities first, then internal ones, then private ones.
var ByVisibility = Order{Group: func(s Scope) int { return int(s.Visibility()) }}
