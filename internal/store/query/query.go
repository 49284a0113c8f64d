// Package query describes how a listing is read, as data, and renders that as SQL: which
// index a scan starts from, what is tested on each row, in which order and in which
// scopes. It runs no statement: package store counts, lets the functions here choose the
// cheaper plan, and runs what they render.
package query
