package storetest

import (
	"strings"
	"testing"

	"waymark/internal/store"
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

// AttachPage stores a file as the page of a link that a browser has saved.
func AttachPage(t testing.TB, s *store.Store, link waymark.Link, file, readable string) waymark.Attachment {
	t.Helper()
	page := waymark.UploadedPage{Texts: waymark.PageTexts{Title: "From the browser"}, Text: waymark.TextSnapshot{URL: link.URL}, TextHTML: readable}
	a, err := s.Snapshots.AttachPage(t.Context(), waymark.NewAttachment(link.ID, "page.html", "text/html"), page, strings.NewReader(file), int64(len(file)), 1<<40,
		func(waymark.UserID) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return a
}
