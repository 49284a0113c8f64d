package database

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// schemaFile, in the folder of the migrations for a database system, has the schema after all of them, as Schema
// returns it.
const schemaFile = "schema.txt"

// The statements of Schema return names of objects and what they are made of. The columns of tables are compared, not
// their SQL, which the database may write differently. Tables of FTS5 belong to SQLite.
const (
	sqliteSchema = `
		SELECT 'table ' || t.name, (SELECT group_concat(c.name || ' ' || c.type ORDER BY c.cid) FROM pragma_table_xinfo(t.name) AS c)
		FROM sqlite_master AS t
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND t.name <> 'goose_db_version'
			AND t.name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
		UNION ALL
		SELECT type || ' ' || name, sql
		FROM sqlite_master
		WHERE type IN ('index', 'trigger') AND sql IS NOT NULL`
	postgresSchema = `
		SELECT 'table ' || t.relname, (
			SELECT string_agg(c.attname || ' ' || format_type(c.atttypid, c.atttypmod), ',' ORDER BY c.attnum)
			FROM pg_attribute AS c
			WHERE c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped)
		FROM pg_class AS t
		WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind = 'r' AND t.relname <> 'goose_db_version'
		UNION ALL
		SELECT 'index ' || i.indexname, ''
		FROM pg_indexes AS i
		WHERE i.schemaname = current_schema() AND i.tablename <> 'goose_db_version'
		UNION ALL
		SELECT 'trigger ' || g.tgname || ' on ' || t.relname, f.prosrc
		FROM pg_trigger AS g
		JOIN pg_class AS t ON t.oid = g.tgrelid
		JOIN pg_proc AS f ON f.oid = g.tgfoid
		WHERE t.relnamespace = current_schema()::regnamespace AND NOT g.tgisinternal`
)

// Schema returns the schema as sorted lines: the kind and name of a table, index or trigger, and a hash of what it
// consists of.
func (db *DB) Schema(ctx context.Context) ([]string, error) {
	pool := db.read
	if db.write != nil {
		pool = db.write // the one that is open during the migration
	}
	return schemaLines(ctx, Querier{runner: pool, dialect: db.dialect})
}

func schemaLines(ctx context.Context, q Querier) ([]string, error) {
	text := sqliteSchema
	if q.dialect.kind == PostgreSQL {
		text = postgresSchema
	}
	scan := func(rows *sql.Rows, line *string) error {
		var name, definition string
		if err := rows.Scan(&name, &definition); err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(strings.Join(strings.Fields(definition), " ")))
		*line = name + " " + hex.EncodeToString(sum[:4])
		return nil
	}
	lines, err := QueryAll(ctx, q, scan, text)
	slices.Sort(lines)
	return lines, err
}

// checkSchema returns an error if the database lacks a table, index or trigger of the schema, or has another one with
// its name: a development version had the same number of the schema, or somebody has changed it. More tables and
// indexes are not an error. Migrations without schemaFile are not checked.
func (db *DB) checkSchema(ctx context.Context, migrations fs.FS, folder string) error {
	text, err := fs.ReadFile(migrations, folder+"/"+schemaFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	found, err := db.Schema(ctx)
	if err != nil {
		return fmt.Errorf("read the schema of the database: %w", err)
	}
	var wrong []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if _, ok := slices.BinarySearch(found, line); ok {
			continue
		}
		name := line[:strings.LastIndexByte(line, ' ')]
		what := name + " is missing"
		if at, _ := slices.BinarySearch(found, name+" "); at < len(found) && strings.HasPrefix(found[at], name+" ") {
			what = name + " differs"
		}
		wrong = append(wrong, what)
	}
	if len(wrong) == 0 {
		return nil
	}
	more := ""
	if n := len(wrong) - 3; n > 0 {
		wrong, more = wrong[:3], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("the database has another schema than this version of Waymark needs (%s%s): a development version made it, or somebody changed it. "+ //nolint:revive,staticcheck // sentences for the operator
		"Restore a backup, or export the data of each user with the version that made it (waymark export --format archive), and import the archives into a new database (waymark import).",
		strings.Join(wrong, ", "), more)
}
