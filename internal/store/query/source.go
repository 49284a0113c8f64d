package query

import (
	"strings"
)

// source is the FROM and WHERE of the rows of one scope.
type source struct {
	from  string // the row itself is e, unless only its id is needed
	where []string
	id    string // the SQL of the row's id, from the index that has the rows in its order
}

func (s source) sql() string { return "FROM " + s.from + "\nWHERE " + strings.Join(s.where, " AND ") }

// Indexing is what an index tells of the rows that satisfy a predicate.
type Indexing int

// The levels of Indexing.
const (
	NotIndexed Indexing = iota // nothing that is cheaper than reading the rows
	boundIndex                 // at least as many entries as there are rows
	exactIndex                 // the ids of the rows, each once
)

// orderScan is one of several index scans that together return all rows in the order
// of a listing.
type orderScan struct {
	only    string   // the condition of the rows that it returns, "" for all
	columns []string // what the index is sorted by; the values are those of the order's columns
}
