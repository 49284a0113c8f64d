package store

import (
	"fmt"
	"strings"
)

// CheckStatus is the result of a check.
type CheckStatus string

// The results of a check.
const (
	CheckOK       CheckStatus = "ok"
	CheckWarning  CheckStatus = "warning"
	CheckProblem  CheckStatus = "problem"
	CheckRepaired CheckStatus = "repaired"
)

// Check is the result of one check of a database, in words for the operator.
type Check struct {
	Name   string      `json:"name"`
	Status CheckStatus `json:"status"`
	Detail string      `json:"detail"`           // what was found
	Advice string      `json:"advice,omitempty"` // what to do about it
}

// repairAdvice is the advice for what Doctor repairs.
const repairAdvice = "run waymark doctor --repair"

// fewOf joins the first five elements of found, and says how many more there are.
func fewOf(found []string) string {
	const maxShown = 5
	if len(found) <= maxShown {
		return strings.Join(found, "; ")
	}
	return strings.Join(found[:maxShown], "; ") + fmt.Sprintf("; and %d more", len(found)-maxShown)
}
