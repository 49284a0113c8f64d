package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
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

	retry time.Time // after a failure, the next backup is made at this time or later

	mu    sync.Mutex
	stats backupStats
}

// backupStats are figures about the backups of a server. Counters begin at zero when the server
// starts.
type backupStats struct {
	last     time.Time // when the newest backup was begun; zero if there is none
	bytes    int64     // the size of the newest one
	duration time.Duration
	failures int64
}

// backupRetry is the time after which the server tries again to make a backup that failed.
const backupRetry = 10 * time.Minute

func (s *server) newBackups() *backups {
	source := backup.Source{Dir: s.settings.Store.Data, Database: s.settings.Store.Database, Version: s.version, Copy: s.store.BackUp}
	return &backups{settings: s.settings.Backup, source: source, log: s.log, now: time.Now, hasUsers: s.store.Accounts.HasUsers}
}

// run makes a backup if the newest one is old enough. It does not back up a database without users:
// if there are older backups, the data directory is probably missing or mistyped, and backups of
// the empty database would replace them.
func (b *backups) run(ctx context.Context) error {
	now := b.now()
	due, err := b.due(now)
	users := false
	if err == nil && due {
		users, err = b.hasUsers(ctx)
	}
	switch {
	case err == nil && users:
		err = b.create(ctx)
	case err == nil && due:
		b.retry = now.Add(min(backupRetry, time.Duration(b.settings.Every)))
		if !b.stats.last.IsZero() {
			b.log.Warn("no backup is made: the database has no user, but there are backups; check --data or --database", "dir", b.settings.Dir)
		}
	}
	if err != nil && ctx.Err() == nil {
		b.retry = now.Add(min(backupRetry, time.Duration(b.settings.Every)))
		b.update(func(stats *backupStats) { stats.failures++ })
	}
	return err
}

// due reports whether it is time for a backup. The times are read from the names of the backups, so
// restarts of the server do not change how many it makes.
func (b *backups) due(now time.Time) (bool, error) {
	if now.Before(b.retry) {
		return false, nil
	}
	found, err := backup.List(b.settings.Dir)
	if err != nil || len(found) == 0 {
		return err == nil, err
	}
	newest := found[0]
	b.update(func(stats *backupStats) { stats.last, stats.bytes = newest.At, newest.Bytes })
	return now.Sub(newest.At) >= time.Duration(b.settings.Every), nil
}

// create makes a backup, unless another server with this directory makes one or has just made it.
func (b *backups) create(ctx context.Context) (err error) {
	if err := database.CreateDir(b.settings.Dir); err != nil {
		return fmt.Errorf("create %s: %w", b.settings.Dir, err)
	}
	unlock, ok, err := backup.LockDir(b.settings.Dir)
	if err != nil || !ok {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	now := b.now()
	if due, err := b.due(now); err != nil || !due {
		return err
	}
	source := b.source
	source.Now = func() time.Time { return now }
	began := time.Now()
	result, err := backup.Create(ctx, source, b.settings.Dir, false)
	if err != nil {
		return err
	}
	duration := time.Since(began)
	b.log.Info("backup written", "file", result.File, "bytes", result.Bytes, "duration", duration)
	b.update(func(stats *backupStats) { stats.last, stats.bytes, stats.duration = now, result.Bytes, duration })
	deleted, err := backup.Prune(b.settings.Dir, b.settings.Keep)
	for _, old := range deleted {
		b.log.Info("old backup deleted", "file", old.File)
	}
	return err
}

func (b *backups) update(change func(*backupStats)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.stats)
}

// backupMetrics collects the metrics of backups.
type backupMetrics struct {
	backups *backups
}

var (
	backupLast     = backupMetric("last_success_timestamp_seconds", "Time at which the newest backup was begun, 0 if there is none.")
	backupBytes    = backupMetric("last_size_bytes", "Size of the newest backup.")
	backupDuration = backupMetric("last_duration_seconds", "Duration of the last backup since the server started.")
	backupFailures = backupMetric("failures_total", "Total number of backups that failed.")
)

func backupMetric(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("waymark_backup_"+name, help, nil, nil)
}

// Describe implements prometheus.Collector.
func (backupMetrics) Describe(out chan<- *prometheus.Desc) {
	describe(out, backupLast, backupBytes, backupDuration, backupFailures)
}

// Collect implements prometheus.Collector.
func (m backupMetrics) Collect(out chan<- prometheus.Metric) {
	m.backups.mu.Lock()
	stats := m.backups.stats
	m.backups.mu.Unlock()
	last := 0.0
	if !stats.last.IsZero() {
		last = float64(stats.last.Unix())
	}
	gauge(out, backupLast, last)
	gauge(out, backupBytes, float64(stats.bytes))
	gauge(out, backupDuration, stats.duration.Seconds())
	counter(out, backupFailures, float64(stats.failures))
}
