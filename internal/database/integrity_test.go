package database_test

import (
	"os"
	"path/filepath"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
)

// SQLite takes the missing bytes of the last page for zeros.
func TestFileThatLostItsLastByteIsDamaged(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	fill(t, db, 1000) // the last page has some of them
	wantError(t, "close", db.Close(), nil)
	file := filepath.Join(o.Dir, database.SQLiteFile)
	info, err := os.Stat(file)
	wantError(t, "the file", err, nil)
	wantError(t, "truncate it", os.Truncate(file, info.Size()-1), nil)
	found, err := dbtest.Open(t, o).CheckIntegrity(t.Context())
	wantError(t, "check", err, nil)
	if len(found) != 1 {
		t.Errorf("got %q, want one problem", found)
	}
}
