// Package health describes the results of checking a database, in words for the operator, and
// checks the files of a SQLite database. Package store checks what is in a database.
package health

// Status is the result of a check.
type Status string

// The results of a check.
const (
	OK       Status = "ok"
	Warning  Status = "warning"
	Problem  Status = "problem"
	Repaired Status = "repaired"
)

// Result is the result of one check of a database.
type Result struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`           // what was found
	Advice string `json:"advice,omitempty"` // what to do about it
}
