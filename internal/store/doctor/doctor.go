// Package doctor checks a database and repairs what can be computed again, and copies all data from one
// database to another. It reads the tables of all packages below store, and runs no part of a server.
package doctor

import (
	"context"
	"fmt"

	"waymark/internal/database"
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

// Check checks a database and calls report with the result of each check. With repair it rebuilds what can be
// computed from other rows: counters, folded texts, hashes of URLs, check results. It takes lists out of lists in
// which they cannot stand. It may run while servers run. It returns an error only if ctx ends.
func Check(ctx context.Context, db *database.DB, repair bool, report func(Result)) error {
	d := &doctor{db}
	for _, c := range []struct {
		name  string
		check func(ctx context.Context, repair bool) (Result, error)
	}{
		{"versions", d.checkVersions},
		{"integrity", d.checkIntegrity},
		{"references", d.checkReferences},
		{"tree of lists", d.checkListTree},
		{"folded texts", d.checkFolded},
		{"counters", d.checkCounters},
		{"check results", d.checkCheckResults},
		{"text snapshots", d.checkTextSnapshots},
		{"full snapshots", d.checkFullSnapshots},
		{"attachments", d.checkAttachments},
		{"pictures", d.checkPictures},
		{"log of changes", d.checkLog},
	} {
		result, err := c.check(ctx, repair)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			result = Result{Status: Problem, Detail: "the check failed: " + err.Error()}
		}
		result.Name = c.name
		report(result)
	}
	return nil
}

func (d *doctor) checkVersions(ctx context.Context, _ bool) (Result, error) {
	version, name := "sqlite_version()", "SQLite"
	if d.db.Kind() == database.PostgreSQL {
		version, name = "current_setting('server_version')", "PostgreSQL"
	}
	server, err := database.QueryOne(ctx, d.db.Querier(), database.ScanValue[string], "SELECT "+version)
	if err != nil {
		return Result{}, err
	}
	schema, err := database.QueryOne(ctx, d.db.Querier(), database.ScanValue[int], "SELECT max(version_id) FROM goose_db_version")
	return Result{Status: OK, Detail: fmt.Sprintf("%s %s, schema %d", name, server, schema)}, err
}

// checkIntegrity runs the database's own check.
func (d *doctor) checkIntegrity(ctx context.Context, _ bool) (Result, error) {
	found, err := d.db.CheckIntegrity(ctx)
	switch {
	case err != nil:
		return Result{}, err
	case len(found) > 0:
		return Result{Status: Problem, Detail: fewOf(found), Advice: database.DamageAdvice}, nil
	}
	return Result{Status: OK, Detail: "the database found no damage"}, nil
}

// checkReferences looks for rows that refer to missing rows.
func (d *doctor) checkReferences(ctx context.Context, _ bool) (Result, error) {
	var found []string
	for _, r := range []struct{ table, column, to string }{
		{"api_keys", "user_id", "users"},
		{"links", "user_id", "users"},
		{"lists", "user_id", "users"},
		{"tags", "user_id", "users"},
		{"notes", "user_id", "users"},
		{"notes", "link_id", "links"},
		{"text_snapshots", "link_id", "links"},
		{"text_snapshots", "user_id", "users"},
		{"full_snapshots", "link_id", "links"},
		{"full_snapshots", "user_id", "users"},
		{"attachments", "link_id", "links"},
		{"attachments", "user_id", "users"},
		{"attachment_chunks", "attachment_id", "attachments"},
		{"link_lists", "link_id", "links"},
		{"link_lists", "list_id", "lists"},
		{"link_tags", "link_id", "links"},
		{"link_tags", "tag_id", "tags"},
	} {
		n, err := database.QueryOne(ctx, d.db.Querier(), database.ScanValue[int], `
			SELECT count(*)
			FROM `+r.table+` AS e
			WHERE NOT EXISTS (SELECT 1 FROM `+r.to+` AS t WHERE t.id = e.`+r.column+`)`)
		if err != nil {
			return Result{}, err
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%d rows of %s whose %s is in no row of %s", n, r.table, r.column, r.to))
		}
	}
	if len(found) > 0 {
		return Result{Status: Problem, Detail: fewOf(found), Advice: "another program changed the database: restore a backup, or delete these rows"}, nil
	}
	return Result{Status: OK, Detail: "links, lists, tags and notes refer to rows that exist"}, nil
}
