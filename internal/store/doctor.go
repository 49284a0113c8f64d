package store

import (
	"context"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/health"
)

// Doctor checks the database and calls report with the result of each check. With repair it
// rebuilds what can be computed from the rows of the tables: counters, folded texts, hashes of
// URLs and results of links. It may run while servers run. It returns an error only if ctx ends.
func (s *Store) Doctor(ctx context.Context, repair bool, report func(health.Result)) error {
	for _, c := range []struct {
		name  string
		check func(ctx context.Context, repair bool) (health.Result, error)
	}{
		{"versions", s.checkVersions},
		{"integrity", s.checkIntegrity},
		{"references", s.checkReferences},
		{"folded texts", s.checkFolded},
		{"counters", s.checkCounters},
		{"check results", s.checkCheckResults},
		{"text snapshots", s.checkTextSnapshots},
		{"full snapshots", s.checkFullSnapshots},
		{"pictures", s.checkPictures},
		{"log of changes", s.checkLog},
	} {
		result, err := c.check(ctx, repair)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			result = health.Result{Status: health.Problem, Detail: "the check failed: " + err.Error()}
		}
		result.Name = c.name
		report(result)
	}
	return nil
}

func (s *Store) checkVersions(ctx context.Context, _ bool) (health.Result, error) {
	version, name := "sqlite_version()", "SQLite"
	if s.db.Kind() == database.PostgreSQL {
		version, name = "current_setting('server_version')", "PostgreSQL"
	}
	server, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[string], "SELECT "+version)
	if err != nil {
		return health.Result{}, err
	}
	schema, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[int], "SELECT max(version_id) FROM goose_db_version")
	return health.Result{Status: health.OK, Detail: fmt.Sprintf("%s %s, schema %d", name, server, schema)}, err
}

// checkIntegrity runs the database's own check, and checks the types of values in SQLite.
func (s *Store) checkIntegrity(ctx context.Context, _ bool) (health.Result, error) {
	found, err := s.db.CheckIntegrity(ctx)
	switch {
	case err != nil:
		return health.Result{}, err
	case len(found) > 0:
		return health.Result{Status: health.Problem, Detail: fewOf(found), Advice: database.DamageAdvice}, nil
	}
	if found, err = s.db.CheckTypes(ctx); err != nil {
		return health.Result{}, err
	}
	if len(found) > 0 {
		return health.Result{Status: health.Problem, Detail: fewOf(found), Advice: "another program changed the tables: restore a backup, or correct these values with sqlite3"}, nil
	}
	return health.Result{Status: health.OK, Detail: "the database found no damage"}, nil
}

// checkReferences looks for rows that refer to missing rows.
func (s *Store) checkReferences(ctx context.Context, _ bool) (health.Result, error) {
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
		{"link_lists", "link_id", "links"},
		{"link_lists", "list_id", "lists"},
		{"link_tags", "link_id", "links"},
		{"link_tags", "tag_id", "tags"},
	} {
		n, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[int], `
			SELECT count(*)
			FROM `+r.table+` AS e
			WHERE NOT EXISTS (SELECT 1 FROM `+r.to+` AS t WHERE t.id = e.`+r.column+`)`)
		if err != nil {
			return health.Result{}, err
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%d rows of %s whose %s is in no row of %s", n, r.table, r.column, r.to))
		}
	}
	if len(found) > 0 {
		return health.Result{Status: health.Problem, Detail: fewOf(found), Advice: "another program changed the database: restore a backup, or delete these rows"}, nil
	}
	return health.Result{Status: health.OK, Detail: "links, lists, tags and notes refer to rows that exist"}, nil
}
