package transfer_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waymark/internal/bookmarks"
	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestImportOnAFullDiskSaysSoAtOnce(t *testing.T) {
	disk := dbtest.SmallDisk(t, "64m")
	s, err := store.Open(t.Context(), store.Options{Dir: filepath.Join(disk, "data"), Serve: true})
	check(t, err)
	t.Cleanup(func() { _ = s.Close() })
	svc := newFixture(s)
	ada := storetest.User(t, s, "ada")
	batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{File: "bookmarks.html"}, nil)
	check(t, err)
	check(t, s.EmptyWAL(t.Context()))
	dbtest.FillDisk(t, disk)
	var all []bookmarks.Bookmark
	for n := range 1000 {
		all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://a.example/", n), Description: strings.Repeat("long ", 1000)})
	}
	start := time.Now()
	_, err = batch.Bookmarks(t.Context(), rowsOf(all...))
	if err == nil || !strings.Contains(err.Error(), "the disk with the database is full") {
		t.Errorf("got error %v, want that the disk is full", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
