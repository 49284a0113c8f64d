package database

import (
	"context"
	"errors"
	"log/slog"

	"waymark/internal/config"
)

// Open opens the database, creates it unless o.MustExist is set, and applies pending
// migrations. If another process is migrating the database, Open waits until
// that has finished or ctx ends. Its errors are sentences for the operator.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Connections == 0 {
		o.Connections = 20
	}
	db := &DB{commits: newCommitDurations()}
	open := db.openSQLite
	switch {
	case config.IsPostgresURL(o.URL):
		open = db.openPostgres
	case o.URL != "":
		return nil, errors.New("invalid database URL: leave it empty for SQLite, or use " + postgresURLForm)
	}
	if err := open(ctx, o); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Ping returns waymark.ErrUnavailable if the database does not respond or cannot be
// written, on SQLite also if its file was found to be damaged.
func (db *DB) Ping(ctx context.Context) error {
	if w, ok := db.writer.(*batchWriter); ok {
		return w.check(ctx)
	}
	return db.dialect.mapError(db.health.PingContext(ctx))
}
