// Package query describes how a listing is read as a value, Plan, and renders it as SQL.
// A plan has the index that a scan starts from, the predicates that are tested on each
// row, the order and the scopes. The package runs no statement: package store counts
// rows, calls the functions here to choose the cheaper plan, and runs the statements.
package query
