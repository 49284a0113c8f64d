package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

// The disk has space for the write-ahead log with all rows, but not for the database, too.
func TestCopyReportsThatTheLogCouldNotBeEmptied(t *testing.T) {
	from := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: from})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, s, storetest.User(t, s, "ada"), 5000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(from, database.SQLiteFile))
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dbtest.SmallDisk(t, fmt.Sprint(info.Size()*3/2)), "data")
	output, err := exec.Command("waymark", "copy", "--from", "sqlite:"+from, "--to", "sqlite:"+to).CombinedOutput()
	if err == nil || !strings.Contains(string(output), "everything was copied") || !strings.Contains(string(output), "waymark.db-wal") {
		t.Errorf("got %v\n%s", err, output)
	}
}
