package store

import (
	"waymark/internal/waymark"
)

// sortOrder is what rows are sorted by before their id.
type sortOrder struct {
	columns []string
	// group returns a value that is the same for all rows of a scope and sorted by first;
	// nil where there is none. It is not part of the SQL, since SQLite would sort all rows
	// by it: the groups are listed one after the other.
	group func(scope) int
}

// privateLast sorts what others see before what the owner alone sees.
var privateLast = sortOrder{group: func(s scope) int {
	if s.visibility() == waymark.Private {
		return 1
	}
	return 0
}}

var byVisibility = sortOrder{group: func(s scope) int { return int(s.visibility()) }}
