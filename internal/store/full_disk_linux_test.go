package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// openOnSmallDisk opens a database on a disk of 64 MiB, whose directory it returns.
func openOnSmallDisk(t *testing.T) (s *store.Store, disk string) {
	t.Helper()
	disk = dbtest.SmallDisk(t, "64m")
	s, err := store.Open(t.Context(), store.Options{Dir: filepath.Join(disk, "data"), Serve: true, Reserve: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, disk
}

// Deletions that write more than the reserve succeed on a full disk.
func TestManyEntitiesAreDeletedOnAFullDisk(t *testing.T) {
	s, disk := openOnSmallDisk(t)
	const count = 6000
	ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
	links := storetest.Fill(t, s, ada, count)
	storetest.Fill(t, s, bob, count)
	if err := s.EmptyWAL(t.Context()); err != nil {
		t.Fatal(err)
	}
	dbtest.FillDisk(t, disk)

	ids := make([]int64, len(links))
	for i, link := range links {
		ids[i] = int64(link.ID)
	}
	deleted, err := s.DeleteMany(t.Context(), ada.ID, waymark.Links, ids, ownedBy(ada))
	if err != nil || len(deleted) != count {
		t.Errorf("delete: got %d links, %v, want %d", len(deleted), err, count)
	}
	if err := s.ClearTrash(t.Context(), ada.ID, waymark.Links); err != nil {
		t.Errorf("clear the trash: %v", err)
	}
	if err := storetest.RemoveUser(t.Context(), s, bob.ID); err != nil {
		t.Errorf("delete a user: %v", err)
	}
	for _, user := range []waymark.User{ada, bob} {
		page, err := s.TrashedLinks(user.ID).Page(t.Context())
		if err != nil || page.Total != 0 {
			t.Errorf("got %d links in the trash of %s, %v", page.Total, user.Name, err)
		}
		if page, err := s.Links(user.ID, byID, waymark.Pagination{Limit: 1}).Page(t.Context()); err != nil || page.Total != 0 {
			t.Errorf("got %d links of %s, %v", page.Total, user.Name, err)
		}
	}
}

// An import can be what has filled the disk.
func TestImportIsUndoneOnAFullDisk(t *testing.T) {
	s, disk := openOnSmallDisk(t)
	ada := storetest.User(t, s, "ada")
	i := createImport(t, s, ada)
	var urls []string
	for n := range 500 {
		urls = append(urls, fmt.Sprintf("https://example.org/%d", n))
	}
	if _, err := importLinks(t, s, ada, i.ID, []string{"imported"}, urls...); err != nil {
		t.Fatal(err)
	}
	dbtest.FillDisk(t, disk)
	undone, err := s.UndoImport(t.Context(), ada.ID, i.ID, func(waymark.Import) {})
	if err != nil || undone.State != waymark.ImportUndone || undone.Undone.Done != len(urls) {
		t.Errorf("got %+v, %v, want %d links to be undone", undone, err, len(urls))
	}
}

// People can sign in on a full disk, to delete something.
func TestSessionIsCreatedOnAFullDisk(t *testing.T) {
	s, disk := openOnSmallDisk(t)
	ada := storetest.User(t, s, "ada")
	links := storetest.Fill(t, s, ada, 1)
	dbtest.FillDisk(t, disk)
	for i := range 3 {
		if _, err := s.CreateSession(t.Context(), waymark.Session{UserID: ada.ID}, fmt.Append(nil, i), ""); err != nil {
			t.Errorf("session %d: %v", i, err)
		}
	}
	if err := s.Delete(t.Context(), waymark.Links, int64(links[0].ID), ownedBy(ada)); err != nil {
		t.Error(err)
	}
}
