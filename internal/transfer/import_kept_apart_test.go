package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
)

// What an archive keeps apart, and how far texts were read, comes once, does not replace what the account has, and goes
// with the undo of the import.
func TestPairsKeptApartAndPositionsAreImported(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		svc.setQuota(1 << 30)
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var all []archive.Entity
		for i, url := range sameWeakKey[:3] {
			all = append(all, archive.Link{Number: i + 1, URL: url, Title: url}, archive.TextSnapshot{Link: i + 1, HTML: "<p>text</p>", Paragraph: 1, PerMille: 300 * i})
		}
		all = append(all,
			archive.KeptApart{URLs: sameWeakKey[:2]}, archive.KeptApart{URLs: []string{sameWeakKey[1], sameWeakKey[0]}}, archive.KeptApart{Tags: []string{"Golang", "Go"}},
			archive.KeptApart{URLs: sameWeakKey[:1]}, archive.KeptApart{URLs: []string{sameWeakKey[0], "https://b.example/"}}, archive.KeptApart{Tags: []string{"Go", "go"}},
			archive.KeptApart{URLs: sameWeakKey[:2], Tags: []string{"go", "js"}}, archive.KeptApart{URLs: []string{"", sameWeakKey[0]}}, archive.KeptApart{},
		)
		file := archiveOf(t, all)
		before := export(t, svc, ada, transfer.ExportArchive)
		i, problems := importArchive(t, svc, s, ada, strings.NewReader(file))
		if len(problems) != 6 {
			t.Errorf("got the problems %q, want 6", problems)
		}
		first := export(t, svc, ada, transfer.ExportArchive)
		for text, n := range map[string]int{`"type":"kept_apart"`: 2, `"tags":["go","golang"]`: 1, `"per_mille"`: 2, `"per_mille":600`: 1} {
			if got := strings.Count(first, text); got != n {
				t.Errorf("got %s %d times, want %d:\n%s", text, got, n, first)
			}
		}
		page, err := s.Duplicates(t.Context(), ada.ID, false, store.FirstDuplicate, 10)
		if got := fmt.Sprint(len(page.Groups), err); got != "1 <nil>" || len(page.Groups[0].Links) != 3 {
			t.Errorf("got %s groups: %+v", got, page.Groups)
		}
		importArchive(t, svc, s, ada, strings.NewReader(strings.ReplaceAll(file, `"per_mille":600`, `"per_mille":700`)))
		if again := export(t, svc, ada, transfer.ExportArchive); again != first {
			t.Errorf("a second import: got\n%s\nwant\n%s", again, first)
		}
		importArchive(t, svc, s, bob, strings.NewReader(first))
		if copied := export(t, svc, bob, transfer.ExportArchive); copied != first {
			t.Errorf("in another account: got\n%s\nwant\n%s", copied, first)
		}
		_, err = svc.UndoImport(t.Context(), ada, i.ID)
		check(t, err)
		if undone := export(t, svc, ada, transfer.ExportArchive); strings.Contains(undone, "kept_apart") {
			t.Errorf("undone: got\n%s\nwant\n%s", undone, before)
		}
	})
}
