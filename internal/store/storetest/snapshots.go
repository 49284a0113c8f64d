package storetest

import (
	"os"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/snapshots"
	"waymark/internal/waymark"
)

// FullHTML returns the file of the full snapshot of a link that viewer sees.
func FullHTML(t testing.TB, s *store.Store, viewer waymark.UserID, link waymark.LinkID) (string, error) {
	t.Helper()
	found, err := s.Snapshots.Full(t.Context(), viewer, link)
	if err != nil {
		return "", err
	}
	var file strings.Builder
	err = s.Snapshots.CopyFull(t.Context(), link, found, &file)
	return file.String(), err
}

// Packed returns a file as Attach stores it.
func Packed(t testing.TB, file string) snapshots.Packed {
	t.Helper()
	into, err := os.CreateTemp(t.TempDir(), "packed")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { into.Close() }) //nolint:errcheck // nothing is written any more
	packed, err := snapshots.Pack(strings.NewReader(file), into)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// AttachPage stores a file as the page of a link that a browser has saved.
func AttachPage(t testing.TB, s *store.Store, link waymark.Link, file, readable string) waymark.Attachment {
	t.Helper()
	page := waymark.UploadedPage{Texts: waymark.PageTexts{Title: "From the browser"}, Text: waymark.TextSnapshot{URL: link.URL}, TextHTML: readable}
	a, err := s.Snapshots.AttachPage(t.Context(), waymark.User{ID: link.Owner}, waymark.NewAttachment(link.ID, "page.html", "text/html"), page, Packed(t, file), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
