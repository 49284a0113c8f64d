package backup_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waymark/internal/backup"
	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestRestoreReplacesTheDatabaseAndKeepsTheOldOne(t *testing.T) {
	dir := newDir(t, 30)
	file := create(t, dir)
	s := open(t, dir)
	ann, err := s.Accounts.UserByName(t.Context(), "ann")
	check(t, err)
	storetest.Link(t, s, ann, "https://new.example.org/", waymark.Private)
	closeStore(t, s)

	restored, err := backup.Restore(t.Context(), file, dir)
	check(t, err)
	s = open(t, dir)
	if got, want := search(t, s, ann, "http"), 30; got != want {
		t.Errorf("got %d links, want %d", got, want)
	}
	storetest.Link(t, s, ann, "https://newer.example.org/", waymark.Private)
	if got := search(t, s, ann, "newer.example.org"); got != 1 {
		t.Errorf("a link that was saved after the restore: found %d, want 1", got)
	}
	closeStore(t, s)

	old := t.TempDir()
	check(t, os.Rename(restored.Kept, filepath.Join(old, database.SQLiteFile)))
	s = open(t, old)
	defer closeStore(t, s)
	if got, want := search(t, s, ann, "http"), 31; got != want {
		t.Errorf("the old database: got %d links, want %d", got, want)
	}
}

func TestRestoreIntoAnEmptyDirectory(t *testing.T) {
	file := create(t, newDir(t, 3))
	dir := filepath.Join(t.TempDir(), "new", "data")
	restored, err := backup.Restore(t.Context(), file, dir)
	if err != nil || restored.Kept != "" {
		t.Fatalf("got %+v, %v, want no kept file", restored, err)
	}
	info, err := os.Stat(filepath.Join(dir, database.SQLiteFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file that only its owner can read", info, err)
	}
}

func TestRestoreKeepsADamagedDatabaseWithItsLog(t *testing.T) {
	file := create(t, newDir(t, 3))
	dir := t.TempDir()
	for _, name := range []string{"waymark.db", "waymark.db-wal", "waymark.db-shm"} {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("garbage of "+name, 1000)), 0o600))
	}
	restored, err := backup.Restore(t.Context(), file, dir)
	check(t, err)
	if text, err := os.ReadFile(restored.Kept + "-wal"); err != nil || !strings.HasPrefix(string(text), "garbage of waymark.db-wal") {
		t.Errorf("got %.30q, %v, want the old log", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "waymark.db-wal")); err == nil {
		t.Error("the old log is beside the new database")
	}
	closeStore(t, open(t, dir))
}

func TestRestoreRefusesADatabaseThatACommandUses(t *testing.T) {
	dir := newDir(t, 3)
	file := create(t, dir)
	command, err := store.Open(t.Context(), store.Options{Dir: dir})
	check(t, err)
	defer closeStore(t, command)
	if _, err := backup.Restore(t.Context(), file, dir); err == nil || !strings.Contains(err.Error(), "another process has the database") {
		t.Errorf("while a command runs: got %v", err)
	}
	if got := files(t, dir); slices.ContainsFunc(got, func(name string) bool { return strings.Contains(name, "restore") }) {
		t.Errorf("got %q, want no files of the restore", got)
	}
}

func TestBackupsThatCannotBeRestoredChangeNothing(t *testing.T) {
	good := create(t, newDir(t, 100))
	whole, err := os.ReadFile(good)
	check(t, err)
	manifest, db := unpack(t, good)
	with := func(change func(*backup.Manifest)) entry {
		m := manifest
		change(&m)
		text, err := json.Marshal(m)
		check(t, err)
		return entry{"manifest.json", string(text)}
	}
	unchanged := with(func(*backup.Manifest) {})
	// A byte in the middle can be the distance of a repetition, and another distance in a run of
	// zeros gives the same content. The last 8 bytes are the checksum and the size.
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-8] ^= 0xff
	dir := newDir(t, 1)
	before := contents(t, dir)
	for _, test := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "it is not a backup of Waymark"},
		{"text", []byte("a text"), "it is not a backup of Waymark"},
		{"a database", []byte(db), "it is not a backup of Waymark"},
		{"another archive", archive(t, entry{"x", "y"}), "it is not a backup of Waymark"},
		{"another manifest", archive(t, entry{"manifest.json", `{"name":"an app"}`}), "it is not a backup of Waymark"},
		{"a large manifest", archive(t, entry{"manifest.json", strings.Repeat(" ", 2<<20)}), "it is not a backup of Waymark"},
		{"cut off at the start", whole[:30], "it is not a backup of Waymark"},
		{"cut off in the middle", whole[:len(whole)/2], "damaged or incomplete"},
		{"cut off at the end", whole[:len(whole)-5], "damaged or incomplete"},
		{"with a wrong byte in the checksum", flipped, "damaged or incomplete"},
		{"without the database", archive(t, unchanged), "damaged or incomplete"},
		{"with another file", archive(t, unchanged, entry{"../waymark.db", db}), "does not match the manifest"},
		{"with one more file", archive(t, unchanged, entry{"waymark.db", db}, entry{"more", ""}), "has more files than a backup has"},
		{"with a wrong byte in the database", archive(t, unchanged, entry{"waymark.db", db[:len(db)-1] + "x"}), "the checksum of waymark.db is wrong"},
		{"of a negative size", archive(t, with(func(m *backup.Manifest) { m.Size = -1 })), "its manifest is not valid"},
		{"with a list of files", archive(t, entry{"manifest.json", `{"format":"waymark backup","version":1,"schema":105,"files":[{"name":"waymark.db"}]}`}, entry{"waymark.db", db}), "made by a development version"},
		{"of a newer format", archive(t, with(func(m *backup.Manifest) { m.Version = 2 })), "newer version of Waymark"},
		{"of a newer schema", archive(t, with(func(m *backup.Manifest) { m.Schema = 1000 }), entry{"waymark.db", db}), "the backup (schema 1000) was made by a newer version"},
		{"of a development version", archive(t, with(func(m *backup.Manifest) { m.Schema = 21 }), entry{"waymark.db", db}), "the backup (schema 21) was made by a development version"},
		{"with another schema than it says", archive(t, with(func(m *backup.Manifest) { m.Schema-- }), entry{"waymark.db", db}), "but the database has schema"},
	} {
		file := filepath.Join(t.TempDir(), "backup")
		check(t, os.WriteFile(file, test.content, 0o600))
		_, err := backup.Restore(t.Context(), file, dir)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
		if after := contents(t, dir); after != before {
			t.Fatalf("%s: the data directory was changed", test.name)
		}
	}
}

// A backup of one kind of database is restored into both.
func TestPostgreSQLIsBackedUpAndRestored(t *testing.T) {
	from := store.Options{Database: dbtest.PostgresURL(t)}
	s, err := store.Open(t.Context(), from)
	check(t, err)
	ann := storetest.User(t, s, "ann")
	storetest.Fill(t, s, ann, 50)
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, err := backup.Create(t.Context(), backup.Source{Database: from.Database}, file, false); err != nil {
		t.Fatal(err)
	}
	storetest.User(t, s, "ben")
	closeStore(t, s)
	if _, err := backup.RestorePostgres(t.Context(), file, from.Database); err == nil || !strings.Contains(err.Error(), "the database is not empty") {
		t.Errorf("a database that is not empty: got %v", err)
	}
	empty, dir := store.Options{Database: dbtest.PostgresURL(t)}, store.Options{Dir: t.TempDir()}
	if _, err := backup.RestorePostgres(t.Context(), file, empty.Database); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(t.Context(), file, dir.Dir); err != nil {
		t.Fatal(err)
	}
	for _, restored := range []store.Options{empty, dir} {
		s, err := store.Open(t.Context(), restored)
		check(t, err)
		if got := search(t, s, ann, "http"); got != 50 {
			t.Errorf("got %d links, want 50", got)
		}
		if _, err := s.Accounts.UserByName(t.Context(), "ben"); err == nil {
			t.Error("there is a user who was added after the backup")
		}
		storetest.Fill(t, s, storetest.User(t, s, "cat"), 5)
		closeStore(t, s)
	}
}
