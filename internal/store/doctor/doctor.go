// Package doctor checks a database and repairs what can be computed again, and copies all data from one
// database to another. It reads the tables of all packages below store, and runs no part of a server.
package doctor

import (
	"context"
	"fmt"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

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

// doctor has the checks of one database.
type doctor struct{ db *database.DB }

// finding is what a check has found.
type finding struct {
	right string   // what is right, if nothing is wrong
	wrong []string // a sentence about each thing that is wrong

	repair   func(ctx context.Context) error // nil if it cannot be repaired
	repaired string                          // what repair does with what is wrong
}

// Check checks a database and calls report with the result of each check. With repair it
// rebuilds what can be computed from the rows of the tables: folded texts and hashes of
// URLs; and deletes stored files that cannot be read.
// It may run while servers run. It returns an error only if ctx ends.
func Check(ctx context.Context, db *database.DB, repair bool, report func(Result)) error {
	d := &doctor{db}
	for _, c := range []struct {
		name  string
		check func(ctx context.Context) (finding, error)
	}{
		{"versions", d.checkVersions},
		{"integrity", d.checkIntegrity},
		{"folded texts", d.checkFolded},
		{"text snapshots", d.checkTextSnapshots},
		{"full snapshots", d.checkFullSnapshots},
		{"attachments", d.checkAttachments},
		{"pictures", d.checkPictures},
	} {
		found, err := c.check(ctx)
		result := Result{Name: c.name, Status: OK, Detail: found.right}
		switch {
		case err != nil:
			result.Status, result.Detail = Problem, "the check failed: "+err.Error()
		case len(found.wrong) > 0:
			result = found.result(ctx, c.name, repair)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report(result)
	}
	return nil
}

// result returns the result of a check that has found something wrong, after the repair.
func (f finding) result(ctx context.Context, name string, repair bool) Result {
	wrong := fewOf(f.wrong)
	switch {
	case f.repair == nil:
		return Result{name, Problem, wrong, database.DamageAdvice}
	case !repair:
		return Result{name, Problem, wrong, "run waymark doctor --repair"}
	}
	if err := f.repair(ctx); err != nil {
		return Result{name, Problem, "not repaired: " + err.Error(), "this says what is in the way: mend it, and run waymark doctor --repair again"}
	}
	return Result{name, Repaired, f.repaired + ": " + wrong, ""}
}

// fewOf joins the first five elements of found, and says how many more there are.
func fewOf(found []string) string {
	const maxShown = 5
	if len(found) <= maxShown {
		return strings.Join(found, "; ")
	}
	return strings.Join(found[:maxShown], "; ") + fmt.Sprintf("; and %d more", len(found)-maxShown)
}

// sentences returns a sentence about each row, from a format for its id.
func sentences[ID any](format string, ids []ID) []string {
	return waymark.Map(ids, func(id ID) string { return fmt.Sprintf(format, id) })
}

func (d *doctor) checkVersions(ctx context.Context) (finding, error) {
	version, name := "sqlite_version()", "SQLite"
	if d.db.Kind() == database.PostgreSQL {
		version, name = "current_setting('server_version')", "PostgreSQL"
	}
	server, err := database.QueryOne(ctx, d.db.Querier(), database.ScanValue[string], "SELECT "+version)
	if err != nil {
		return finding{}, err
	}
	schema, err := database.QueryOne(ctx, d.db.Querier(), database.ScanValue[int], "SELECT version FROM waymark_schema")
	return finding{right: fmt.Sprintf("%s %s, schema %d", name, server, schema)}, err
}

// checkIntegrity runs the database's own check.
func (d *doctor) checkIntegrity(ctx context.Context) (finding, error) {
	damage, err := d.db.CheckIntegrity(ctx)
	return finding{right: "the database found no damage", wrong: damage}, err
}
