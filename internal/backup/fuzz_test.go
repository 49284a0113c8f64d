package backup_test

import (
	"os"
	"path/filepath"
	"testing"

	"waymark/internal/backup"
)

// FuzzVerify reads damaged and hostile files. Those that are accepted have a valid manifest.
func FuzzVerify(f *testing.F) {
	manifest := `{"format":"waymark backup","version":1,"schema":1,"size":2,"sha256":"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"}`
	for _, entries := range [][]entry{nil, {{"manifest.json", manifest}}, {{"manifest.json", manifest}, {"waymark.db", "fo"}}, {{"manifest.json", "{}"}}} {
		f.Add(archive(f, entries...))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file := filepath.Join(t.TempDir(), "backup")
		check(t, os.WriteFile(file, content, 0o600))
		m, err := backup.Verify(t.Context(), file)
		if err == nil && (m.Format != "waymark backup") {
			t.Errorf("got %+v without an error", m)
		}
	})
}
