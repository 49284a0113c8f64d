package server

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"waymark/internal/backup"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

// newTestBackups returns backups of a store with one user, with a clock that the test sets.
func newTestBackups(t *testing.T) (b *backups, clock *time.Time, log *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Serve: true})
	check(t, err)
	t.Cleanup(func() { s.Close() })
	storetest.User(t, s, "ada")
	log = &bytes.Buffer{}
	settings := config.Default()
	settings.Store.Data = dir
	settings.Backup = config.Backup{Dir: filepath.Join(t.TempDir(), "backups"), Every: config.Duration(24 * time.Hour), Keep: 2}
	clock = new(time.Time)
	*clock = time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	b = (&server{settings: settings, store: s, log: slog.New(slog.NewTextHandler(log, nil))}).newBackups()
	b.now = func() time.Time { return *clock }
	return b, clock, log
}

// value returns the value of a metric.
func value(metric prometheus.Collector) float64 { return testutil.ToFloat64(metric) }

// names returns the names of the files in a directory.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".lock") {
			names = append(names, entry.Name())
		}
	}
	return names
}

func TestDatabaseWithoutUsersReplacesNoBackup(t *testing.T) {
	b, clock, log := newTestBackups(t)
	check(t, b.run(t.Context()))
	made := names(t, b.settings.Dir)
	b.hasUsers = func(context.Context) (bool, error) { return false, nil }
	for range 3 {
		*clock = clock.Add(24 * time.Hour)
		check(t, b.run(t.Context()))
	}
	if got := names(t, b.settings.Dir); len(made) != 1 || !slices.Equal(got, made) || strings.Count(log.String(), "the database has no user") != 3 {
		t.Errorf("got the files %q, want %q, and the log %s", got, made, log)
	}
}

func TestBackupsAreMadeWhenTheyAreDue(t *testing.T) {
	b, clock, log := newTestBackups(t)
	for _, test := range []struct {
		after time.Duration
		want  string // the backups
	}{
		{0, "waymark-20261122T030000Z.tar.gz"},
		{23 * time.Hour, "waymark-20261122T030000Z.tar.gz"},
		{time.Hour, "waymark-20261122T030000Z.tar.gz waymark-20261123T030000Z.tar.gz"},
		{72 * time.Hour, "waymark-20261123T030000Z.tar.gz waymark-20261126T030000Z.tar.gz"},
	} {
		*clock = clock.Add(test.after)
		check(t, b.run(t.Context()))
		if got := strings.Join(names(t, b.settings.Dir), " "); got != test.want {
			t.Errorf("after %s more: got %s, want %s", test.after, got, test.want)
		}
	}
	if value(b.newestTime) != float64(clock.Unix()) || value(b.bytes) == 0 || value(b.duration) == 0 || value(b.failures) != 0 {
		t.Errorf("got the metrics %v, %v, %v, %v", value(b.newestTime), value(b.bytes), value(b.duration), value(b.failures))
	}
	for _, want := range []string{`msg="backup written" file=` + b.settings.Dir, `msg="old backup deleted" file=`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log is %s\nwant %s in it", log, want)
		}
	}
	if _, err := backup.Verify(t.Context(), filepath.Join(b.settings.Dir, "waymark-20261126T030000Z.tar.gz")); err != nil {
		t.Error(err)
	}
}

// A clock that was wrong once must not stop the backups for years, or let new ones be deleted.
func TestBackupOfTheFutureIsNotTheNewest(t *testing.T) {
	b, clock, _ := newTestBackups(t)
	check(t, os.MkdirAll(b.settings.Dir, 0o700))
	future := backup.FileName(clock.AddDate(70, 0, 0))
	check(t, os.WriteFile(filepath.Join(b.settings.Dir, future), []byte("old"), 0o600))
	for range 3 {
		check(t, b.run(t.Context()))
		*clock = clock.Add(24 * time.Hour)
	}
	want := "waymark-20261123T030000Z.tar.gz waymark-20261124T030000Z.tar.gz " + future
	if got := strings.Join(names(t, b.settings.Dir), " "); got != want || value(b.newestTime) != float64(clock.Add(-24*time.Hour).Unix()) {
		t.Errorf("got %s and the newest at %v, want %s", got, value(b.newestTime), want)
	}
}

func TestServersThatShareADirectoryMakeOneBackup(t *testing.T) {
	b, _, log := newTestBackups(t)
	check(t, os.MkdirAll(b.settings.Dir, 0o700))
	unlock, ok, err := backup.LockDir(b.settings.Dir)
	if err != nil || !ok {
		t.Fatalf("got %t, %v from a new directory", ok, err)
	}
	check(t, b.run(t.Context()))
	if got := names(t, b.settings.Dir); len(got) != 0 {
		t.Errorf("got %s while another server has the directory, want nothing", got)
	}
	check(t, b.run(t.Context()))
	if got := strings.Count(log.String(), "this server makes no backups"); got != 1 {
		t.Errorf("got %d lines about the other server, want one: %s", got, log)
	}
	check(t, unlock())
	check(t, b.run(t.Context()))
	if got := names(t, b.settings.Dir); len(got) != 1 {
		t.Errorf("got %s, want one backup", got)
	}
}

// A server that is started again knows the backups of the one before.
func TestBackupsOfAnEarlierServerCount(t *testing.T) {
	b, clock, _ := newTestBackups(t)
	check(t, os.Mkdir(b.settings.Dir, 0o700))
	for _, name := range []string{backup.FileName(clock.Add(-2 * time.Hour)), backup.FileName(clock.Add(-time.Hour))} {
		check(t, os.WriteFile(filepath.Join(b.settings.Dir, name), []byte("backup"), 0o600))
	}
	check(t, b.run(t.Context()))
	if got := names(t, b.settings.Dir); len(got) != 2 {
		t.Errorf("got %q, want no further backup", got)
	}
	if b.newest != clock.Add(-time.Hour) || value(b.bytes) != 6 {
		t.Errorf("got %s and %v bytes, want the time and the size of the newest backup", b.newest, value(b.bytes))
	}
}

func TestFailedBackupIsRetriedLater(t *testing.T) {
	b, clock, _ := newTestBackups(t)
	if err := os.WriteFile(b.settings.Dir, nil, 0o600); err != nil { // it is no directory
		t.Fatal(err)
	}
	if err := b.run(t.Context()); err == nil {
		t.Error("got no error")
	}
	if err := b.run(t.Context()); err != nil {
		t.Errorf("right afterwards: got %v, want another attempt later", err)
	}
	check(t, os.Remove(b.settings.Dir))
	*clock = clock.Add(backupRetry)
	if err := b.run(t.Context()); err != nil {
		t.Error(err)
	}
	if got := names(t, b.settings.Dir); len(got) != 1 || value(b.failures) != 1 {
		t.Errorf("got %q and %v failures, want one of each", got, value(b.failures))
	}
}

func TestBackupThatAStopInterruptsIsNoFailure(t *testing.T) {
	b, _, _ := newTestBackups(t)
	b.hasUsers = func(context.Context) (bool, error) { return true, nil }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.run(ctx); err == nil {
		t.Error("got no error")
	}
	if got := names(t, b.settings.Dir); len(got) != 0 || value(b.failures) != 0 {
		t.Errorf("got %q and %v failures, want none", got, value(b.failures))
	}
}
