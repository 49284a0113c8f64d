package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"waymark/internal/backup"
	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/doctor"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// open opens the store in a directory.
func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Serve: true})
	check(t, err)
	return s
}

func closeStore(t *testing.T, s *store.Store) {
	t.Helper()
	check(t, s.Close())
}

// create makes a backup of the database in a directory.
func create(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup"+backup.Extension)
	if _, err := backup.Create(t.Context(), backup.Source{Dir: dir}, file, false); err != nil {
		t.Fatal(err)
	}
	return file
}

// newDir returns a directory with a database of that many links.
func newDir(t *testing.T, links int) string {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir)
	storetest.Fill(t, s, storetest.User(t, s, "ann"), links)
	closeStore(t, s)
	return dir
}

// search returns the number of links of a user that contain a text.
func search(t *testing.T, s *store.Store, user waymark.User, text string) int {
	t.Helper()
	check(t, s.RefreshSearchIndex(t.Context()))
	page, err := s.SearchLinks(user.ID, waymark.LinkFilter{Where: waymark.Contains{Text: text, In: waymark.InTexts}}, waymark.Order{}, waymark.Pagination{Limit: 1}).Page(t.Context())
	check(t, err)
	return page.Total
}

// failOnProblem returns a function that fails the test for a problem of a database.
func failOnProblem(t *testing.T) func(doctor.Result) {
	return func(r doctor.Result) {
		if r.Status == doctor.Problem {
			t.Errorf("%s: %s", r.Name, r.Detail)
		}
	}
}

func TestBackupOfABusyDatabaseIsConsistent(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ann := storetest.User(t, s, "ann")
	storetest.Fill(t, s, ann, 200)
	var backups []string
	ctx, stop := context.WithCancel(t.Context())
	written := make(chan int)
	go func() {
		n := 200
		for ctx.Err() == nil {
			// A pair is created in one transaction, so a backup has both or none.
			storetest.CreateLinks(t, s, ann, storetest.Draft(n), storetest.Draft(n+1))
			n += 2
		}
		written <- n
	}()
	for range 5 {
		file := filepath.Join(t.TempDir(), "backup"+backup.Extension)
		if _, err := backup.Create(t.Context(), backup.Source{Dir: dir, Copy: s.BackUp}, file, false); err != nil {
			t.Error(err)
		}
		backups = append(backups, file)
	}
	stop()
	all := <-written
	if got := search(t, s, ann, "http"); got != all {
		t.Errorf("the backed up store: got %d links, want %d", got, all)
	}
	closeStore(t, s)
	last := 200
	for _, file := range backups {
		to := t.TempDir()
		if _, err := backup.Restore(t.Context(), file, to); err != nil {
			t.Fatal(err)
		}
		restored := open(t, to)
		got := search(t, restored, ann, "http")
		if got < last || got > all || got%2 != 0 {
			t.Errorf("got %d links, want an even number from %d to %d", got, last, all)
		}
		last = got
		closeStore(t, restored)
		db, err := store.OpenDatabase(t.Context(), store.Options{Dir: to})
		check(t, err)
		if err := errors.Join(doctor.Check(t.Context(), db, false, failOnProblem(t)), db.Close()); err != nil {
			t.Error(err)
		}
	}
}

// files returns the names in a directory.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// entry is a file in an archive.
type entry struct{ name, content string }

// archive packs files as a backup is packed.
func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	w := tar.NewWriter(compressed)
	for _, e := range entries {
		check(t, w.WriteHeader(&tar.Header{Name: e.name, Size: int64(len(e.content)), Mode: 0o600}))
		io.WriteString(w, e.content)
	}
	check(t, errors.Join(w.Close(), compressed.Close()))
	return packed.Bytes()
}

// unpack returns the manifest and the database of a backup.
func unpack(t *testing.T, file string) (m backup.Manifest, db string) {
	t.Helper()
	f, err := os.Open(file)
	check(t, err)
	defer f.Close()
	compressed, err := gzip.NewReader(f)
	check(t, err)
	r := tar.NewReader(compressed)
	for {
		header, err := r.Next()
		if err != nil {
			return m, db
		}
		text, err := io.ReadAll(r)
		check(t, err)
		if header.Name == "manifest.json" {
			check(t, json.Unmarshal(text, &m))
		} else {
			db = string(text)
		}
	}
}

// contents returns the names and contents of the files in a directory.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range files(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		check(t, err)
		fmt.Fprintf(&all, "%s %d %q\n", name, len(text), text)
	}
	return all.String()
}

// The checksums say nothing about a database that was damaged before it was copied.
func TestDamagedDatabaseIsNotBackedUp(t *testing.T) {
	dir := newDir(t, 500)
	path := filepath.Join(dir, database.SQLiteFile)
	text, err := os.ReadFile(path)
	check(t, err)
	copy(text[len(text)/2:], strings.Repeat("damage", 4000))
	check(t, os.WriteFile(path, text, 0o600))
	to := t.TempDir()
	_, err = backup.Create(t.Context(), backup.Source{Dir: dir}, to, false)
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v, want an error about the damage", err)
	}
	if got := files(t, to); len(got) != 0 {
		t.Errorf("got %q, want no files", got)
	}
}

func TestCanceledBackupLeavesNothing(t *testing.T) {
	dir := newDir(t, 100)
	to := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	copied := func(ctx context.Context, file string) error {
		err := database.BackUpSQLite(ctx, dir, file)
		cancel()
		return err
	}
	if _, err := backup.Create(ctx, backup.Source{Dir: dir, Copy: copied}, to, false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if got := files(t, to); len(got) != 0 {
		t.Errorf("got %q, want no files", got)
	}
}

func TestBackupDeletesWhatAKilledOneLeft(t *testing.T) {
	to := filepath.Join(t.TempDir(), "a[1]") // not a pattern
	for _, dir := range []string{".waymark-unfinished-1", ".waymark-unfinished-used"} {
		check(t, os.MkdirAll(filepath.Join(to, dir), 0o700))
		for _, name := range []string{"lock", "waymark.db"} {
			check(t, os.WriteFile(filepath.Join(to, dir, name), nil, 0o600))
		}
	}
	used := flock.New(filepath.Join(to, ".waymark-unfinished-used", "lock"))
	check(t, used.Lock())
	defer used.Close()
	result, err := backup.Create(t.Context(), backup.Source{Dir: newDir(t, 1)}, to, false)
	check(t, err)
	if got := files(t, to); !slices.Equal(got, []string{".waymark-unfinished-used", filepath.Base(result.File)}) {
		t.Errorf("got %q, want only %s and what is in use", got, result.File)
	}
}

func TestPruneKeepsTheNewestBackups(t *testing.T) {
	dir := t.TempDir()
	day := time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)
	others := []string{"waymark-mine.tar.gz", "waymark-20261101T030000Z.tar.gz.sha256", "links.html"}
	for _, name := range others {
		check(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	for n := range 5 {
		check(t, os.WriteFile(filepath.Join(dir, backup.FileName(day.AddDate(0, 0, n))), []byte("x"), 0o600))
	}
	deleted, err := backup.Prune(dir, 2, day.AddDate(0, 0, 5))
	if err != nil || len(deleted) != 3 {
		t.Errorf("got %v, %v, want three deleted", deleted, err)
	}
	found, err := backup.List(dir)
	if err != nil || len(found) != 2 || !found[0].At.Equal(day.AddDate(0, 0, 4)) || found[0].Bytes != 1 {
		t.Errorf("got %v, %v, want the two newest", found, err)
	}
	for _, name := range others {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found, err := backup.List(filepath.Join(dir, "none")); err != nil || found != nil {
		t.Errorf("a directory that does not exist: got %v, %v", found, err)
	}
}

func TestOnlyRegularFilesAreReplaced(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	check(t, err)
	defer listener.Close()
	const want = "is not a regular file"
	err = backup.WriteFile(socket, true, func(io.Writer) error { return nil })
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("WriteFile: got %v, want an error with %q", err, want)
	}
	_, err = backup.Create(t.Context(), backup.Source{Dir: newDir(t, 1)}, socket, true)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Create: got %v, want an error with %q", err, want)
	}
	if info, err := os.Lstat(socket); err != nil || info.Mode().Type() != os.ModeSocket {
		t.Errorf("got %v, %v, want the socket", info, err)
	}
}

func TestWriteFileWritesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "links.csv")
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, writeErr := io.WriteString(w, text); writeErr != nil {
				return writeErr
			}
			return err
		}
	}
	failed := errors.New("failed")
	for _, step := range []struct {
		name      string
		overwrite bool
		err       error
		want      string // the content after that, "" for no file
		wantErr   error
	}{
		{"first", false, failed, "", failed},
		{"second", false, nil, "second", nil},
		{"third", false, nil, "second", backup.ErrExists},
		{"fourth", true, failed, "second", failed},
		{"fifth", true, nil, "fifth", nil},
	} {
		if err := backup.WriteFile(file, step.overwrite, write(step.name, step.err)); !errors.Is(err, step.wantErr) {
			t.Errorf("%s: got %v, want %v", step.name, err, step.wantErr)
		}
		if got, err := os.ReadFile(file); string(got) != step.want || err != nil && step.want != "" {
			t.Errorf("%s: got %q, %v, want %q", step.name, got, err, step.want)
		}
		if got := files(t, dir); len(got) > 1 || len(got) == 1 && got[0] != "links.csv" {
			t.Errorf("%s: got the files %q", step.name, got)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want 600", info.Mode(), err)
	}
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
