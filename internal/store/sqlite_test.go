package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestReadersCannotWrite(t *testing.T) {
	s := storetest.Open(t)
	if _, err := s.Rows(t.Context(), "DELETE FROM users RETURNING id"); err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("a reader deletes with error %v, want a refusal", err)
	}
}

func TestStoreOpensInAFolderOfAnyName(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"new/folder", "with space", "per%20cent", "que?stion", "ha#sh", "a&b=c", "Ünï 東京", "co:lon", "'quote\""} {
		dir := filepath.Join(root, name)
		s, err := store.Open(t.Context(), store.Options{Dir: dir})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		storetest.User(t, s, "ada")
		if err := s.Close(); err != nil {
			t.Errorf("%q: close: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "waymark.db")); err != nil {
			t.Errorf("%q: the database is not in it: %v", name, err)
		}
	}
}

func TestStoreOpensInARelativeFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{".", "data", "./a:b"} {
		s, err := store.Open(t.Context(), store.Options{Dir: dir})
		if err != nil {
			t.Errorf("%q: %v", dir, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Errorf("%q: close: %v", dir, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "waymark.db")); err != nil {
			t.Errorf("%q: the database is not in it: %v", dir, err)
		}
	}
}

func TestWhatWasKeptIsThereAfterwards(t *testing.T) {
	dir := t.TempDir()
	var links []waymark.Link
	var ada waymark.User
	for i := range 3 {
		s, err := store.Open(t.Context(), store.Options{Dir: dir, Serve: true})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			ada = storetest.User(t, s, "ada")
			links = storetest.Fill(t, s, ada, 50)
		}
		wantSame(t, fmt.Sprint("links, opened for the ", i+1, ". time"), linksOf(t, s, ada), links)
		wantBooks(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "waymark.db-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("%v (error %v) are left after the store is closed", left, err)
	}
}

func TestSecondServerOnOneFolderIsRefused(t *testing.T) {
	dir := t.TempDir()
	first := storetest.OpenWith(t, store.Options{Dir: dir, Serve: true})
	storetest.User(t, first, "ada")
	_, err := store.Open(t.Context(), store.Options{Dir: dir, Serve: true})
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "in use by another Waymark server") {
		t.Errorf("got error %v, want a sentence that names the folder and the reason", err)
	}

	command := storetest.OpenWith(t, store.Options{Dir: dir}) // commands work meanwhile
	storetest.User(t, command, "bob")
	if users, err := first.Users(t.Context()); err != nil || len(users) != 2 {
		t.Errorf("the server sees %v (error %v), want ada and bob", users, err)
	}
}

func TestFolderIsFreeOnceItsServerHasEnded(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		s, err := store.Open(t.Context(), store.Options{Dir: dir, Serve: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStoreThatCannotBeOpenedSaysWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noise := t.TempDir()
	if err := os.WriteFile(filepath.Join(noise, "waymark.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := t.TempDir()
	if err := os.Mkdir(filepath.Join(taken, "waymark.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, want string
		options    store.Options
	}{
		{"a file where the folder should be", "the data folder " + file + " cannot be made", store.Options{Dir: file}},
		{"a file that is no database", "waymark.db cannot be opened", store.Options{Dir: noise}},
		{"a folder where the file should be", "waymark.db cannot be opened", store.Options{Dir: taken, Serve: true}},
		{"another kind of database", "must be empty, for SQLite, or start with postgres://", store.Options{Dir: t.TempDir(), Database: "mysql://localhost"}},
	} {
		s, err := store.Open(t.Context(), test.options)
		if err == nil {
			t.Errorf("%s: no error (close: %v)", test.name, s.Close())
			continue
		}
		if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got error %q, want one sentence with %q", test.name, err, test.want)
		}
	}
}

func TestLogOfChangesDoesNotGrowWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	s := storetest.OpenWith(t, store.Options{Dir: dir})
	ada := storetest.User(t, s, "ada")
	text := strings.Repeat("a text of some length, ", 2000)
	for i := range 80 { // some 25 MB of changes
		draft := storetest.Draft(i)
		draft.Link.Description = fmt.Sprint(i, text)
		storetest.Create(t, s, ada, draft)
	}
	log, err := os.Stat(filepath.Join(dir, "waymark.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	if log.Size() > 8<<20 {
		t.Errorf("the log has %d bytes, want at most 8 MiB", log.Size())
	}
}
