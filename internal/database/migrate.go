package database

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// migration is a file with statements that change the schema from the one before it.
type migration struct {
	number int64
	text   string
}

// readMigrations returns the migrations in a folder, sorted by their numbers.
func readMigrations(files fs.FS, folder string) ([]migration, error) {
	names, err := fs.Glob(files, folder+"/*.sql")
	if err != nil {
		return nil, err
	}
	found := make([]migration, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err == nil {
			_, err = fmt.Sscanf(path.Base(name), "%d_", &found[i].number)
		}
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		found[i].text = string(text)
	}
	slices.SortFunc(found, func(a, b migration) int { return cmp.Compare(a.number, b.number) })
	return found, nil
}

// Schemas returns the numbers of the first and the last migration in a folder of migrations.
func Schemas(files fs.FS, folder string) (first, last int64, err error) {
	found, err := readMigrations(files, folder)
	if err != nil || len(found) == 0 {
		return 0, 0, err
	}
	return found[0].number, found[len(found)-1].number, nil
}

// schemaRow is the row of the table waymark_schema: what the last migration has left.
type schemaRow struct {
	version int64  // the number of the last migration; 0 for an empty database
	hash    string // of the texts of all migrations up to this one
	objects string // the objects of the schema and their definitions, as JSON
}

const createSchemaTable = `
	CREATE TABLE waymark_schema (
		version BIGINT NOT NULL,
		hash    TEXT   NOT NULL,
		objects TEXT   NOT NULL
	)`

// readSchemaRow reads the row of waymark_schema, the zero row if there is none.
func readSchemaRow(ctx context.Context, db runner, d *dialect) (row schemaRow, err error) {
	var exists, development bool
	err = queryRow(ctx, db, fmt.Sprintf("SELECT "+d.tableExists+", "+d.tableExists, "waymark_schema", "goose_db_version"), &exists, &development)
	switch {
	case err != nil:
		return schemaRow{}, err
	case development:
		return schemaRow{}, errDevelopment
	case !exists:
		return schemaRow{}, nil
	}
	err = queryRow(ctx, db, "SELECT version, hash, objects FROM waymark_schema", &row.version, &row.hash, &row.objects)
	return row, err
}

// queryRow scans the only row of a query.
func queryRow(ctx context.Context, db runner, text string, targets ...any) error {
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or(rows.Err(), sql.ErrNoRows)
	}
	return errors.Join(rows.Scan(targets...), rows.Close())
}

// noDatabaseError is the error of Options.MustExist. The place is "in DIR" or the like.
func noDatabaseError(place string) error {
	return fmt.Errorf("there is no Waymark database %s: check the path or URL, or start the server with it, which creates one", place)
}

// pending returns the migrations that are to be applied to a database, and an error unless its schema is what the
// earlier ones have made.
func pending(ctx context.Context, db runner, d *dialect, all []migration) ([]migration, error) {
	row, err := readSchemaRow(ctx, db, d)
	switch {
	case errors.Is(err, errDevelopment):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("read the schema of the database: %w", err)
	case row.version == 0:
		return all, nil
	}
	if last := all[len(all)-1].number; row.version > last {
		return nil, fmt.Errorf("the database (schema %d) was created by a newer version of Waymark; this version supports schema %d. Upgrade Waymark. Nothing was changed.", row.version, last) //nolint:revive,staticcheck // sentences for the operator
	}
	applied := slices.IndexFunc(all, func(m migration) bool { return m.number == row.version }) + 1
	if row.hash != hashOf(all[:applied]) {
		return nil, errDevelopment
	}
	objects, err := readObjects(ctx, db, d)
	if err != nil {
		return nil, err
	}
	var made map[string]string
	if err := json.Unmarshal([]byte(row.objects), &made); err != nil {
		return nil, fmt.Errorf("the table waymark_schema is damaged (%w): %s", err, DamageAdvice)
	}
	if found := differences(made, objects); len(found) > 0 {
		return nil, fmt.Errorf("the tables of the database were changed by another program, or by hand: %s. Undo that, or restore a backup. Nothing was changed.", strings.Join(found, ", ")) //nolint:revive,staticcheck // sentences for the operator
	}
	return all[applied:], nil
}

// errDevelopment means that a development version, which had other migrations, has made the database.
var errDevelopment = errors.New("the database was created by a development version of Waymark, and this version cannot use it. Export the data of each user with that version (waymark export --format archive), and import the archives into a new database with this one (waymark import). Nothing was changed.") //nolint:revive,staticcheck // sentences for the operator

// migrate applies pending migrations in a transaction. existing is the name of a database that must have been
// migrated before; "" for one that can be empty.
func migrate(ctx context.Context, tx runner, d *dialect, all []migration, existing string) error {
	missing, err := pending(ctx, tx, d, all)
	switch {
	case err != nil || len(missing) == 0:
		return err
	case existing != "" && len(missing) == len(all):
		return noDatabaseError("in the PostgreSQL database " + existing)
	}
	for _, m := range missing {
		if _, err := tx.ExecContext(ctx, m.text); err != nil {
			err = fmt.Errorf("migrate the database: migration %d: %w", m.number, err)
			if m.number == all[0].number {
				err = fmt.Errorf("%w. If it has tables of another program, use an empty one", err)
			}
			return err
		}
	}
	if len(missing) == len(all) {
		if _, err := tx.ExecContext(ctx, createSchemaTable); err != nil {
			return fmt.Errorf("migrate the database: %w", err)
		}
	}
	objects, err := readObjects(ctx, tx, d)
	if err != nil {
		return err
	}
	list, err := json.Marshal(objects)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM waymark_schema"); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO waymark_schema (version, hash, objects) VALUES ($1, $2, $3)",
		all[len(all)-1].number, hashOf(all), string(list)); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

// hashOf returns the hash of the texts of migrations.
func hashOf(all []migration) string {
	hash := sha256.New()
	for _, m := range all {
		fmt.Fprintf(hash, "%d %d\n%s", m.number, len(m.text), m.text)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// readObjects returns the definitions of the objects of the schema by "table: kind name".
func readObjects(ctx context.Context, db runner, d *dialect) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, d.schemaObjects)
	if err != nil {
		return nil, fmt.Errorf("read the schema of the database: %w", err)
	}
	defer rows.Close()
	objects := map[string]string{}
	for rows.Next() {
		var name, definition string
		if err := rows.Scan(&name, &definition); err != nil {
			return nil, err
		}
		objects[name] = strings.Join(strings.Fields(definition), " ")
	}
	return objects, rows.Err()
}

// differences says how the objects that were found differ from those that the migrations have made. It ignores tables
// of other programs.
func differences(made, found map[string]string) (all []string) {
	tables := map[string]bool{}
	for name := range made {
		table, object, _ := strings.Cut(name, ": ")
		tables[table] = true
		switch definition, ok := found[name]; {
		case !ok:
			all = append(all, object+" is missing")
		case definition != made[name]:
			all = append(all, object+" is another one")
		}
	}
	for name := range found {
		table, object, _ := strings.Cut(name, ": ")
		if _, ok := made[name]; !ok && tables[table] {
			all = append(all, object+" was added")
		}
	}
	slices.Sort(all)
	return all
}
