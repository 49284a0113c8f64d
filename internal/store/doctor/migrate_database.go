package doctor

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
)

// ErrNotEmpty means that a database already has users or entities.
var ErrNotEmpty = errors.New("the target is not empty")

// migrationLock is the key of the lock that the transaction of MigrateDatabase holds.
const migrationLock = 0x636f7079

// copiedTable describes a table that MigrateDatabase copies.
type copiedTable struct {
	name    string
	order   string // the primary key
	columns []table.ColumnType
	hasID   bool // has a generated id
	filled  bool // triggers of the other tables fill it, so MigrateDatabase replaces the rows
	batch   int  // the number of rows that are written at a time; 0 for query.BatchSize
}

// copyBatch is the number of snapshots of pages that are in memory at a time. Each can have 2 MiB.
const copyBatch = 10

// copiedTables are the tables that MigrateDatabase copies, each after those that it refers to.
// Triggers fill the log of changes.
var copiedTables = []copiedTable{
	copied(&table.Users),
	copied(&accounts.APIKeys),
	copied(&accounts.Sessions),
	{name: accounts.Identities.Name, order: "issuer, subject", columns: accounts.Identities.ColumnTypes()},
	copied(&accounts.Passkeys),
	{
		name: "authenticators", order: "user_id",
		columns: table.ParseColumns("user_id BIGINT, secret TEXT, used_step BIGINT, created_at BIGINT"),
	},
	{
		name: "recovery_codes", order: "user_id, hash",
		columns: table.ParseColumns("user_id BIGINT, hash TEXT"),
	},
	{
		name: "trusted_browsers", order: "id", hasID: true,
		columns: table.ParseColumns("id BIGINT, user_id BIGINT, hash TEXT, expires_at BIGINT"),
	},
	{
		name: "instance_settings", order: "id",
		columns: table.ParseColumns("id BIGINT, second_factor TEXT"),
	},
	{
		name: "last_seen", order: "user_id",
		columns: table.ParseColumns("user_id BIGINT, at BIGINT"),
	},
	copied(&accounts.Invitations),
	{
		name: "password_resets", order: "user_id",
		columns: table.ParseColumns("user_id BIGINT, hash TEXT, created_by BIGINT, expires_at BIGINT"),
	},
	{
		name: "feed_tokens", order: "user_id",
		columns: table.ParseColumns("user_id BIGINT, token TEXT"),
	},
	copied(&table.Lists),
	copied(&table.Tags),
	copied(&table.Links),
	copied(&table.Notes),
	copied(&table.Passages),
	{
		name: "list_editors", order: "list_id, user_id",
		columns: table.ParseColumns("list_id BIGINT, user_id BIGINT"),
	},
	copiedAssociation(&query.LinkLists, ", by_saver BOOLEAN"),
	copiedAssociation(&query.LinkTags, ""),
	{
		name: "shared_changes", order: "id", hasID: true,
		columns: table.ParseColumns("id BIGINT, list_id BIGINT, user_id BIGINT, kind TEXT, links BIGINT, created_at BIGINT"),
	},
	{
		name: "shared_change_links", order: "change_id, link_id",
		columns: table.ParseColumns("change_id BIGINT, link_id BIGINT, by_saver BOOLEAN, steps HEX"),
	},
	{
		name: "page_fetches", order: "link_id",
		columns: queue.PageFetchColumns,
	},
	{name: snapshots.TextSnapshots.Name, order: "link_id", columns: snapshots.TextSnapshots.ColumnTypes(), batch: copyBatch},
	{
		name: "reading_positions", order: "user_id, link_id",
		columns: table.ParseColumns("user_id BIGINT, link_id BIGINT, paragraph BIGINT, per_mille BIGINT"),
	},
	{name: snapshots.FullSnapshots.Name, order: "link_id", columns: snapshots.FullSnapshots.ColumnTypes(), batch: 1}, // each can be large
	copied(&snapshots.Attachments),
	{name: "attachment_chunks", order: "attachment_id, number", columns: snapshots.ChunkColumns, batch: copyBatch}, // 256 KiB each
	{
		name: "pictures", order: "hash", batch: 50, // 40 KiB each
		columns: table.ParseColumns("hash TEXT, type TEXT, width BIGINT, height BIGINT, bytes BIGINT, used_at BIGINT, data HEX"),
	},
	{
		name: "link_pictures", order: "link_id, kind",
		columns: table.ParseColumns("link_id BIGINT, kind BIGINT, hash TEXT"),
	},
	{
		name: "fetch_hosts", order: "host",
		columns: table.ParseColumns("host TEXT, next_at BIGINT"),
	},
	{name: queue.LinkChecks.Name, order: "link_id", columns: queue.LinkChecks.ColumnTypes()},
	copied(&table.KeptApart),
	copied(&accounts.SavedSearches),
	copied(&accounts.Bundles),
	copiedPins(&query.LinkLists),
	copiedPins(&query.LinkTags),
	copied(&table.Imports),
	{
		name: "undo_records", order: "id", hasID: true,
		columns: table.ParseColumns("id BIGINT, user_id BIGINT, hash TEXT, session_id BIGINT, api_key_id BIGINT, import_id BIGINT, part BIGINT, created_at BIGINT, position BIGINT, bytes BIGINT, steps HEX"),
	},
	{name: "import_problems", order: "import_id, position", columns: table.ImportProblemColumns},
	{
		name: "sent_texts", order: "user_id, link_id, list_id, field",
		columns: table.ParseColumns("user_id BIGINT, link_id BIGINT, list_id BIGINT, field TEXT, sent TEXT, kept TEXT"),
	},
	{
		name: "audit_events", order: "id", hasID: true, filled: true,
		columns: table.ParseColumns("id BIGINT, at BIGINT, event TEXT, user_name TEXT, key_name TEXT, detail TEXT"),
	},
}

func copied[T any](t *table.Table[T]) copiedTable {
	return copiedTable{name: t.Name, order: "id", columns: t.ColumnTypes(), hasID: true}
}

func copiedAssociation(assoc *query.Association, more string) copiedTable {
	return copiedTable{
		name:    assoc.Table,
		order:   "link_id, " + assoc.Column,
		columns: table.ParseColumns("link_id BIGINT, " + assoc.Column + " BIGINT" + more),
	}
}

func copiedPins(assoc *query.Association) copiedTable {
	return copiedTable{
		name:    assoc.Pins(),
		order:   "user_id, " + assoc.Column,
		columns: table.ParseColumns("user_id BIGINT, " + assoc.Column + " BIGINT"),
	}
}

// MigrateDatabase copies all users, their credentials and entities, the trash included, with their
// ids, from one database to another, which must be empty except for setup tokens. It writes in one
// transaction, and compares the row counts before the commit. If it fails, the target
// must not be used. Closing the target empties the write-ahead log of SQLite. It reports the number of copied rows, without audit events, to progress.
func MigrateDatabase(ctx context.Context, from, to *database.DB, progress func(done, all int)) error {
	return from.ReadTx(ctx, func(source database.Querier) error {
		all, err := countCopied(ctx, source)
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
			if n, err := countCopied(ctx, target); err != nil {
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
			return compareDatabases(ctx, source, target)
		})
	})
}

// countCopied returns the number of rows of the tables that MigrateDatabase copies and no trigger fills.
func countCopied(ctx context.Context, q database.Querier) (int, error) {
	all := 0
	for _, t := range copiedTables {
		if t.filled {
			continue
		}
		n, err := database.Count(ctx, q, t.name)
		if err != nil {
			return 0, err
		}
		all += n
	}
	return all, nil
}

func (t copiedTable) copy(ctx context.Context, source, target database.Querier, wrote func(rows int)) error {
	write := func(rows [][]any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		a := target.Args()
		if _, err := target.Exec(ctx, table.InsertSQL(a, t.name, t.columns, rows), a.Values...); err != nil {
			return err
		}
		wrote(len(rows))
		return nil
	}
	scan := func(rows *sql.Rows, row *[]any) error {
		*row = make([]any, len(t.columns))
		targets := make([]any, len(t.columns))
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
		SELECT `+table.ColumnNames(t.columns)+`
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
	if !t.hasID {
		return nil
	}
	// The ids of deleted rows are not used again.
	last, err := source.LastID(ctx, t.name)
	if err != nil {
		return err
	}
	return target.SetLastID(ctx, t.name, last)
}

// compareDatabases returns an error if the databases differ in numbers of rows.
func compareDatabases(ctx context.Context, source, target database.Querier) error {
	for _, t := range copiedTables {
		want, err := database.Count(ctx, source, t.name)
		if err != nil {
			return err
		}
		got, err := database.Count(ctx, target, t.name)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%d of %d rows of %s were copied", got, want, t.name)
		}
	}
	return nil
}
