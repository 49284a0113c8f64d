package transfer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// saveSnapshots stores a text snapshot of a link, and a full one unless page is "".
func saveSnapshots(t *testing.T, s *store.Store, link waymark.Link, text, page string) {
	t.Helper()
	claimed := queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
	check(t, s.Snapshots.SaveText(t.Context(), claimed, waymark.TextSnapshot{FetchedAt: s.Now(), URL: link.URL, Title: "A page"}, text, 1<<20))
	if page == "" {
		return
	}
	check(t, s.Snapshots.SaveFull(t.Context(), claimed, waymark.FullSnapshot{FetchedAt: s.Now(), URL: link.URL}, page, 1<<20))
}

// addLink adds a link of owner.
func addLink(t *testing.T, svc *fixture, owner waymark.User, in waymark.LinkInput) waymark.Link {
	t.Helper()
	link, err := svc.addLink(t.Context(), owner, in)
	check(t, err)
	return link
}

func TestArchivesHaveTheSnapshotsOfPages(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		svc.setQuota(1 << 20)
		ada, eve, fay, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "eve"), storetest.User(t, s, "fay"), storetest.User(t, s, "bob")
		const bread = "https://bread.example/"
		saveSnapshots(t, s, addLink(t, svc, ada, waymark.LinkInput{URL: bread}), "<p>Bread</p>",
			`<html><head><meta charset="utf-8"/></head><body><p>Bread</p><img src="data:image/png;base64,iVBORw0KGgo="/></body></html>`)
		cake := addLink(t, svc, ada, waymark.LinkInput{URL: "https://cake.example/"})
		saveSnapshots(t, s, cake, "<p>Cake</p>", "")
		check(t, svc.trash(t.Context(), ada, waymark.Links, int64(cake.ID)))
		file := export(t, svc, ada, transfer.ExportArchive)
		if texts, full := strings.Count(file, `{"type":"text_snapshot"`), strings.Count(file, `{"type":"full_snapshot"`); texts != 2 || full != 1 {
			t.Fatalf("got %d text and %d full snapshots, want 2 and 1:\n%s", texts, full, file)
		}
		for range 2 {
			if _, problems := importArchive(t, svc, s, eve, strings.NewReader(file)); len(problems) > 0 {
				t.Errorf("got problems %q", problems)
			}
			if got := export(t, svc, eve, transfer.ExportArchive); got != file {
				t.Errorf("got\n%s\nwant\n%s", got, file)
			}
		}
		// A link that was there before loses the snapshots again when the import is undone.
		before := addLink(t, svc, fay, waymark.LinkInput{URL: bread})
		i, _ := importArchive(t, svc, s, fay, strings.NewReader(file))
		if _, err := s.Snapshots.Text(t.Context(), fay.ID, before.ID); err != nil {
			t.Errorf("the link has no text snapshot: %v", err)
		}
		if got, err := storetest.FullHTML(t, s, fay.ID, before.ID); err != nil || !strings.Contains(got, "data:image/png") {
			t.Errorf("got %q, error %v", got, err)
		}
		if _, err := svc.UndoImport(t.Context(), fay, i.ID); err != nil {
			t.Fatal(err)
		}
		_, textErr := s.Snapshots.Text(t.Context(), fay.ID, before.ID)
		if _, err := s.Snapshots.Full(t.Context(), fay.ID, before.ID); !errors.Is(err, waymark.ErrNotFound) || !errors.Is(textErr, waymark.ErrNotFound) {
			t.Errorf("after the undo: got errors %v and %v, want %v", textErr, err, waymark.ErrNotFound)
		}
		svc.setQuota(10)
		if _, problems := importArchive(t, svc, s, bob, strings.NewReader(file)); len(problems) != 3 || !strings.Contains(problems[1], waymark.ErrSnapshotQuota.Error()) {
			t.Errorf("over the quota: got problems %q, want those of the snapshots", problems)
		}
	})
}

func TestImportedTextSnapshotsAreCleaned(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		svc.setQuota(1 << 20)
		ada := storetest.User(t, s, "ada")
		_, problems := importArchive(t, svc, s, ada, strings.NewReader(`{"format":"waymark-archive","version":1}
{"type":"link","number":1,"url":"https://a.example/"}
{"type":"text_snapshot","link":1,"url":"javascript:alert(1)","direction":"evil","html":"<p onclick='x()'>Text<script>alert(1)</script><img src='https://spy.example/'></p>"}
{"type":"link","number":2,"url":"https://b.example/"}
{"type":"text_snapshot","link":2,"url":"https://b.example/page","html":"<script>alert(1)</script>"}
{"type":"end","entities":4}
`))
		if want := []string{"line 5: https://b.example/page: the snapshot has no text"}; !slices.Equal(problems, want) {
			t.Errorf("got problems %q, want %q", problems, want)
		}
		link, err := s.LinkByURL(t.Context(), ada.ID, "https://a.example/")
		check(t, err)
		if found, html, err := s.Snapshots.TextHTML(t.Context(), ada.ID, link.ID); err != nil || html != "<p>Text</p>" || found.URL != "" || found.Direction != "" {
			t.Errorf("got %q of %+v, error %v, want the text alone", html, found, err)
		}
	})
}
