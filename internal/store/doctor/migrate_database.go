package doctor

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
)

// ErrNotEmpty means that a database already has users or entities.
var ErrNotEmpty = errors.New("the target is not empty")

// migrationLock is the key of the lock that the transaction of MigrateDatabase holds.
const migrationLock = 0x636f7079

// copiedTable describes a table that MigrateDatabase copies.
type copiedTable struct {
	name   string
	order  string // the primary key; "id" is generated
	filled bool   // triggers of the other tables fill it, so MigrateDatabase replaces the rows
	batch  int    // the number of rows that are in memory at a time; 0 for query.BatchSize
}

// copiedTables are the tables that MigrateDatabase copies, each after those that it refers to.
// Triggers fill the log of changes.
var copiedTables = []copiedTable{
	{name: "users", order: "id"},
	{name: "api_keys", order: "id"},
	{name: "sessions", order: "id"},
	{name: "identities", order: "issuer, subject"},
	{name: "passkeys", order: "id"},
	{name: "authenticators", order: "user_id"},
	{name: "recovery_codes", order: "user_id, hash"},
	{name: "trusted_browsers", order: "id"},
	{name: "instance_settings", order: "second_factor"}, // it has one row
	{name: "last_seen", order: "user_id"},
	{name: "invitations", order: "id"},
	{name: "password_resets", order: "user_id"},
	{name: "feed_tokens", order: "user_id"},
	{name: "lists", order: "id"},
	{name: "tags", order: "id"},
	{name: "links", order: "id"},
	{name: "notes", order: "id"},
	{name: "passages", order: "id"},
	{name: "list_editors", order: "list_id, user_id"},
	{name: "link_lists", order: "link_id, list_id"},
	{name: "link_tags", order: "link_id, tag_id"},
	{name: "shared_changes", order: "id"},
	{name: "shared_change_links", order: "change_id, link_id"},
	{name: "page_fetches", order: "link_id"},
	{name: "text_snapshots", order: "link_id", batch: 10}, // each can have 2 MiB
	{name: "reading_positions", order: "user_id, link_id"},
	{name: "full_snapshots", order: "link_id", batch: 1}, // each can be large
	{name: "attachments", order: "id"},
	{name: "attachment_chunks", order: "attachment_id, number", batch: 10}, // 256 KiB each
	{name: "pictures", order: "hash", batch: 50},                           // 40 KiB each
	{name: "link_pictures", order: "link_id, kind"},
	{name: "fetch_hosts", order: "host"},
	{name: "link_checks", order: "link_id"},
	{name: "kept_apart", order: "id"},
	{name: "saved_searches", order: "id"},
	{name: "bundles", order: "id"},
	{name: "pinned_lists", order: "user_id, list_id"},
	{name: "pinned_tags", order: "user_id, tag_id"},
	{name: "imports", order: "id"},
	{name: "undo_records", order: "id"},
	{name: "import_problems", order: "import_id, position"},
	{name: "sent_texts", order: "user_id, link_id, list_id, field", batch: 10}, // each can have some MiB
	{name: "audit_events", order: "id", filled: true},
}

// columns returns the columns of the table that are stored.
func (t copiedTable) columns(ctx context.Context, q database.Querier) ([]table.ColumnType, error) {
	text := "SELECT name, type FROM pragma_table_xinfo($1) WHERE hidden = 0"
	if q.Kind() == database.PostgreSQL {
		text = `
			SELECT column_name, data_type
			FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER'`
	}
	return database.QueryAll(ctx, q, func(rows *sql.Rows, c *table.ColumnType) error {
		err := rows.Scan(&c.Name, &c.SQLType)
		switch c.SQLType = strings.ToUpper(c.SQLType); c.SQLType {
		case "TEXT", "BOOLEAN":
		case "BLOB", "BYTEA":
			c.SQLType = table.HexType
		default:
			c.SQLType = "BIGINT"
		}
		return err
	}, text, t.name)
}

// MigrateDatabase copies all users, their credentials and entities, the trash included, with their
// ids, from one database to another, which must be empty except for setup tokens. It writes in one
// transaction, and compares the row counts before the commit. If it fails, the target
// must not be used. Closing the target empties the write-ahead log of SQLite. It reports the number of copied rows, without audit events, to progress.
func MigrateDatabase(ctx context.Context, from, to *database.DB, progress func(done, all int)) error {
	return from.ReadTx(ctx, func(source database.Querier) error {
		rows, all, err := countCopied(ctx, source)
		if err != nil {
			return err
		}
		return to.WriteTx(ctx, func(ctx context.Context, target database.Querier) error {
			if err := target.Lock(ctx, migrationLock); err != nil {
				return err
			}
			// A server that was started with the target before, to try it, has stored a setup there.
			if _, err := target.Exec(ctx, "DELETE FROM invitations WHERE setup"); err != nil {
				return err
			}
			if _, n, err := countCopied(ctx, target); err != nil {
				return err
			} else if n > 0 {
				return ErrNotEmpty
			}
			done := 0
			for _, t := range copiedTables {
				if err := t.copy(ctx, source, target, func(rows int) {
					if !t.filled {
						done += rows
						progress(done, all)
					}
				}); err != nil {
					return fmt.Errorf("copy %s: %w", t.name, err)
				}
			}
			if err := snapshots.IndexAll(ctx, target, query.NewDialect(to.Kind())); err != nil {
				return fmt.Errorf("index the snapshots of pages: %w", err)
			}
			if err := target.Analyze(ctx); err != nil {
				return err
			}
			copied, _, err := countCopied(ctx, target)
			if err == nil && !maps.Equal(copied, rows) {
				err = fmt.Errorf("%v rows were copied of %v", copied, rows)
			}
			return err
		})
	})
}

// countCopied returns the numbers of rows of the tables that MigrateDatabase copies, and of all together that no trigger
// fills.
func countCopied(ctx context.Context, q database.Querier) (rows map[string]int, all int, err error) {
	rows = map[string]int{}
	for _, t := range copiedTables {
		n, err := database.Count(ctx, q, t.name)
		if err != nil {
			return nil, 0, err
		}
		rows[t.name] = n
		if !t.filled {
			all += n
		}
	}
	return rows, all, nil
}

func (t copiedTable) copy(ctx context.Context, source, target database.Querier, wrote func(rows int)) error {
	columns, err := t.columns(ctx, target)
	if err != nil {
		return err
	}
	write := func(rows [][]any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		a := target.Args()
		if _, err := target.Exec(ctx, table.InsertSQL(a, t.name, columns, rows), a.Values...); err != nil {
			return err
		}
		wrote(len(rows))
		return nil
	}
	scan := func(rows *sql.Rows, row *[]any) error {
		*row = make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range targets {
			targets[i] = &(*row)[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		for i, value := range *row {
			if bytes, ok := value.([]byte); ok {
				(*row)[i] = database.NewHex(bytes)
			}
		}
		return nil
	}
	if t.filled {
		if _, err := target.Exec(ctx, "DELETE FROM "+t.name); err != nil {
			return err
		}
	}
	var batch [][]any
	for row, err := range database.QueryEach(ctx, source, scan, `
		SELECT `+table.ColumnNames(columns)+`
		FROM `+t.name+`
		ORDER BY `+t.order) {
		if err != nil {
			return err
		}
		if batch = append(batch, row); len(batch) == cmp.Or(t.batch, query.BatchSize) {
			if err := write(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) > 0 {
		if err := write(batch); err != nil {
			return err
		}
	}
	if t.order != "id" {
		return nil
	}
	// The ids of deleted rows are not used again.
	last, err := source.LastID(ctx, t.name)
	if err != nil {
		return err
	}
	return target.SetLastID(ctx, t.name, last)
}
