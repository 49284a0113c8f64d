package query

import (
	"strings"
)

// source is the FROM and WHERE of the rows of one scope.
type source struct {
	from  string // the row itself is e, unless only its id is needed
	where []string
	id    string // the SQL of the row's id: a column of the index that is scanned, so that its order is used
}

func (s source) sql() string { return "FROM " + s.from + "\nWHERE " + strings.Join(s.where, " AND ") }

// Indexing is how precisely an index identifies the rows that satisfy a predicate.
type Indexing int

// The levels of Indexing.
const (
	NotIndexed Indexing = iota // not at all, or at the cost of reading the rows
	boundIndex                 // it has at least as many entries as there are rows
	exactIndex                 // it has the ids of the rows, each once
)

// orderScan is one of several index scans that together return all rows in the order
// of a listing.
type orderScan struct {
	only    string   // the condition of the partial index, "" for all rows
	columns []string // of the index; all scans of a listing have the same number of them, and comparable values
}
