package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/doctor"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// examine returns the checks of Doctor that find something: the name, the status and the
// detail of each in one line.
func examine(t *testing.T, s *store.Store, repair bool) []string {
	t.Helper()
	var found []string
	checks := 0
	check(t, doctor.Check(t.Context(), s.Database(), repair, func(c doctor.Result) {
		checks++
		if c.Status != doctor.OK {
			found = append(found, fmt.Sprintf("%s: %s: %s", c.Name, c.Status, c.Detail))
		}
	}))
	if checks != 7 {
		t.Errorf("%d checks, want 7", checks)
	}
	return found
}

func change(t *testing.T, s *store.Store, texts ...string) {
	t.Helper()
	check(t, s.Change(t.Context(), func(_ context.Context, exec func(text string, args ...any) error) error {
		for _, text := range texts {
			if err := exec(text); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestDoctorRepairsWhatItFinds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		user := storetest.User(t, s, "Ada")
		storetest.Link(t, s, user, "https://example.org/1", waymark.Internal)
		storetest.Link(t, s, user, "https://example.org/2", waymark.Private)
		link := storetest.Link(t, s, user, "https://example.org/Ä", waymark.Private, "Red")
		saveTextSnapshot(t, s, link, "text")
		saveWholePage(t, s, link, "<p>text")
		attach(t, s, link, "a.txt", "text")
		if found := examine(t, s, true); found != nil {
			t.Errorf("found %q in a healthy database", found)
		}
		for _, test := range []struct {
			change []string
			want   string
		}{
			{[]string{fmt.Sprintf("UPDATE links SET url_folded = 'x' WHERE id = %d", link.ID)}, fmt.Sprintf("folded texts: %%s: url_folded of row %d of links", link.ID)},
			{[]string{fmt.Sprintf("UPDATE links SET url_folded = NULL WHERE id = %d", link.ID)}, fmt.Sprintf("folded texts: %%s: url_folded of row %d of links", link.ID)},
			{[]string{"UPDATE links SET url_hash = (SELECT url_hash FROM links WHERE id = 2), visibility = 1, deleted_at = 5 WHERE id = 1"}, "folded texts: %s: url_hash of row 1 of links"},
			{[]string{"DELETE FROM snapshot_words"}, "text snapshots: %s: searches know 0 of 1 text snapshots"},
			{[]string{"UPDATE links SET minutes = 0"}, "text snapshots: %s: 0 of 1 text snapshots have a time to read"},
			{[]string{"UPDATE text_snapshots SET bytes = bytes + 1"}, "text snapshots: %s: the text snapshot of link 3 cannot be read"},
			{[]string{"UPDATE full_snapshots SET bytes = bytes + 1"}, "full snapshots: %s: the full snapshot of link 3 cannot be read"},
			{[]string{"DELETE FROM attachment_chunks"}, "attachments: %s: attachment 1 cannot be read"},
			{[]string{"UPDATE tags SET name_folded = 'RED'"}, "folded texts: %s: name_folded of row 1 of tags"},
			{[]string{"UPDATE users SET name_folded = 'Ada'"}, "folded texts: %s: name_folded of row 1 of users"},
		} {
			change(t, s, test.change...)
			normal := func(found []string) string {
				return strings.NewReplacer("computed again: ", "", "deleted or indexed again: ", "", "deleted: ", "").Replace(strings.Join(found, "; "))
			}
			for _, step := range []struct {
				repair bool
				want   string
			}{{false, fmt.Sprintf(test.want, "problem")}, {true, fmt.Sprintf(test.want, "repaired")}, {false, ""}} {
				got := normal(examine(t, s, step.repair))
				if diff := cmp.Diff(step.want, got); diff != "" {
					t.Errorf("after %s, repair %t (-want +got):\n%s", test.change, step.repair, diff)
				}
			}
		}
	})
}

func TestDoctorRunsWhileSnapshotsAreSaved(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		var save func()
		o.Trace = func(text string) {
			if strings.Contains(text, "FROM snapshot_words") && strings.Contains(text, "count(*)") && save != nil {
				once := save
				save = nil
				once()
			}
		}
		s := storetest.OpenWith(t, o)
		user := storetest.User(t, s, "ada")
		saveTextSnapshot(t, s, storetest.Link(t, s, user, "https://example.org/1", waymark.Private), "text")
		link := storetest.Link(t, s, user, "https://example.org/2", waymark.Private)
		save = func() { saveTextSnapshot(t, s, link, "text") }
		if found := examine(t, s, false); found != nil || save != nil {
			t.Errorf("found %q in a healthy database", found)
		}
	})
}

func TestDoctorReportsAnInvalidIndex(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		if s.Database().Kind() != database.PostgreSQL {
			return // internal/cli tests SQLite
		}
		change(t, s, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'links_by_id'::regclass")
		wantEqual(t, "problems", examine(t, s, true), []string{"integrity: problem: index links_by_id is invalid"})
	})
}
