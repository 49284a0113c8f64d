package server

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waymark/internal/backup"
	"waymark/internal/config"
	"waymark/internal/database"
)

// backups makes backups in a directory, and deletes the old ones.
type backups struct {
	settings config.Backup
	source   backup.Source
	log      *slog.Logger
	now      func() time.Time
	hasUsers func(context.Context) (bool, error)

	retry  time.Time    // after a failure, the next backup is made at this time or later
	unlock func() error // nil until this server has locked the directory
	waited bool         // whether the log says that another server has locked it
	newest time.Time    // when the newest backup was begun; zero if there is none

	newestTime, bytes, duration prometheus.Gauge
	failures                    prometheus.Counter
}

// backupRetry is the time after which the server tries again to make a backup that failed.
const backupRetry = 10 * time.Minute

func (s *server) newBackups() *backups {
	source := backup.Source{Dir: s.settings.Store.Data, Database: s.settings.Store.Database, Version: s.version, Copy: s.store.BackUp}
	return &backups{
		settings: s.settings.Backup, source: source, log: s.log, now: time.Now, hasUsers: s.store.Accounts.HasUsers,
		newestTime: newGauge("waymark_backup_last_success_timestamp_seconds", "Time at which the newest backup was begun, 0 if there is none."),
		bytes:      newGauge("waymark_backup_last_size_bytes", "Size of the newest backup."),
		duration:   newGauge("waymark_backup_last_duration_seconds", "Duration of the last backup since the server started."),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "waymark_backup_failures_total",
			Help: "Total number of backups that failed.",
		}),
	}
}

// run makes a backup if the newest one is old enough. It does not back up a database without users:
// if there are older backups, the data directory is probably missing or mistyped, and backups of
// the empty database would replace them.
func (b *backups) run(ctx context.Context) error {
	now := b.now()
	if now.Before(b.retry) {
		return nil
	}
	due, users := false, false
	locked, err := b.lockDir()
	if err == nil {
		due, err = b.due(now)
		due = due && locked
	}
	if err == nil && due {
		users, err = b.hasUsers(ctx)
	}
	switch {
	case err == nil && users:
		err = b.create(ctx)
	case err == nil && due:
		b.retry = now.Add(min(backupRetry, time.Duration(b.settings.Every)))
		if !b.newest.IsZero() {
			b.log.Warn("no backup is made: the database has no user, but there are backups; check --data or --database", "dir", b.settings.Dir)
		}
	}
	if err != nil && ctx.Err() == nil {
		b.retry = now.Add(min(backupRetry, time.Duration(b.settings.Every)))
		b.failures.Inc()
	}
	return err
}

// lockDir locks the directory until close, so that one of several servers makes the backups. It
// reports whether this server has the lock. It creates the directory, and returns an error if no file
// can be created in it: the operator should know that when the server starts, not a day later.
func (b *backups) lockDir() (bool, error) {
	dir := b.settings.Dir
	if b.unlock != nil {
		return true, nil
	}
	if err := database.CreateDir(dir); err != nil {
		return false, fmt.Errorf("create %s: %w", dir, err)
	}
	unlock, ok, err := backup.LockDir(dir)
	switch {
	case err != nil:
		return false, err
	case ok:
		b.unlock = unlock
	case !b.waited:
		b.waited = true
		b.log.Warn("this server makes no backups: another server makes them in the same --backup-dir; use one directory for each Waymark", "dir", dir)
	}
	return ok, nil
}

// close unlocks the directory. No run may follow.
func (b *backups) close() error {
	if b == nil || b.unlock == nil {
		return nil
	}
	return b.unlock()
}

// due reports whether it is time for a backup. The times are read from the names of the backups, so
// restarts of the server do not change how many it makes.
func (b *backups) due(now time.Time) (bool, error) {
	found, err := backup.List(b.settings.Dir)
	if found = backup.Past(found, now); err != nil || len(found) == 0 {
		return err == nil, err
	}
	b.setNewest(found[0].At, found[0].Bytes)
	return now.Sub(b.newest) >= time.Duration(b.settings.Every), nil
}

func (b *backups) setNewest(at time.Time, bytes int64) {
	b.newest = at
	b.newestTime.Set(float64(at.Unix()))
	b.bytes.Set(float64(bytes))
}

func (b *backups) create(ctx context.Context) error {
	now := b.now()
	source := b.source
	source.Now = func() time.Time { return now }
	began := time.Now()
	result, err := backup.Create(ctx, source, b.settings.Dir, false)
	if err != nil {
		return err
	}
	duration := time.Since(began)
	b.log.Info("backup written", "file", result.File, "bytes", result.Bytes, "duration", duration)
	b.setNewest(now, result.Bytes)
	b.duration.Set(duration.Seconds())
	deleted, err := backup.Prune(b.settings.Dir, b.settings.Keep, now)
	for _, old := range deleted {
		b.log.Info("old backup deleted", "file", old.File)
	}
	return err
}
