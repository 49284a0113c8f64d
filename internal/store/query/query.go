// Package query describes a listing as a value, Plan, and renders it as SQL. It runs no
// statement: package store does.
package query
