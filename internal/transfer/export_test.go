package transfer_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

var update = flag.Bool("update", false, "write the golden files of testdata")

// secondsClock returns a clock that advances by a second with each call.
func secondsClock() func() waymark.Time {
	var calls atomic.Int64
	return func() waymark.Time { return waymark.Time(1_600_000_000_000_000 + 1_000_000*calls.Add(1)) }
}

// export returns a user's file in a format.
func export(t testing.TB, svc *fixture, user waymark.User, format transfer.ExportFormat) string {
	t.Helper()
	var file bytes.Buffer
	check(t, svc.Export(t.Context(), user, format, &file))
	return file.String()
}

// fillCollection gives ada one of everything, and what archives leave out.
func fillCollection(t *testing.T, svc *fixture, s *store.Store, ada, bob waymark.User) {
	t.Helper()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	text := func(s string) *string { return &s }
	visibility := func(v waymark.Visibility) waymark.VisibilityInput { return waymark.VisibilityInput{Visibility: &v} }
	list := func(owner waymark.User, name string, v waymark.Visibility) waymark.List {
		l, err := svc.addList(ctx, owner, waymark.ListInput{Name: name, Description: text("about " + name), VisibilityInput: visibility(v)})
		check(err)
		return l
	}
	bobs := list(bob, "bob's", waymark.Public)
	reading, work, old := list(ada, "Reading", waymark.Private), list(ada, "Work / Go", waymark.Internal), list(ada, "Old", waymark.Public)
	again := list(ada, "Reading", waymark.Private)
	tag, err := s.CreateTag(ctx, ada.ID, waymark.Tag{Name: "Straße", Visibility: waymark.Private})
	check(err)
	ids := func(ids ...waymark.ListID) *[]waymark.Ref {
		refs := []waymark.Ref{}
		for _, id := range ids {
			refs = append(refs, waymark.Ref{ID: int64(id)})
		}
		return &refs
	}
	tags := &[]waymark.Ref{{ID: int64(tag.ID)}}
	link := func(owner waymark.User, in waymark.LinkInput) waymark.Link {
		l, err := svc.addLink(ctx, owner, in)
		check(err)
		return l
	}
	yes, broken := true, waymark.StatusBroken
	effective := link(ada, waymark.LinkInput{URL: "https://go.dev/doc/effective_go", Title: text("Effective <Go> \u2028 & \"more\""), Description: text("line 1\nline 2"), Lists: ids(reading.ID, work.ID, bobs.ID, again.ID), Tags: tags, VisibilityInput: visibility(waymark.Public)})
	link(ada, waymark.LinkInput{URL: "https://broken.example/", Status: &broken, CheckDisabled: &yes, FlagsInput: waymark.FlagsInput{Unread: &yes, Favorite: &yes}, Snapshots: new(waymark.NoSnapshots), Lists: ids(old.ID), Tags: tags})
	trashed := link(ada, waymark.LinkInput{URL: "https://trashed.example/", Lists: ids(reading.ID)})
	bobsLink := link(bob, waymark.LinkInput{URL: "https://bob.example/", Lists: ids(work.ID), VisibilityInput: visibility(waymark.Internal)})
	hidden := link(bob, waymark.LinkInput{URL: "https://hidden.example/", VisibilityInput: visibility(waymark.Internal)})
	note := func(owner waymark.User, link waymark.LinkID, text string) waymark.Note {
		n, err := svc.addNote(ctx, owner, link, text)
		check(err)
		return n
	}
	note(ada, effective.ID, "first")
	deleted := note(ada, effective.ID, "deleted")
	note(bob, effective.ID, "bob's note")
	note(ada, bobsLink.ID, "on bob's link")
	note(ada, hidden.ID, "on a link that is hidden now")
	note(ada, trashed.ID, "on a trashed link")
	err = svc.editLink(ctx, bob, hidden.ID, waymark.LinkInput{URL: hidden.URL, VisibilityInput: visibility(waymark.Private)})
	check(err)
	check(svc.trash(ctx, ada, waymark.Notes, int64(deleted.ID)))
	check(svc.trash(ctx, ada, waymark.Links, int64(trashed.ID)))
	link(ada, waymark.LinkInput{URL: trashed.URL, Title: text("saved again")})
	check(svc.trash(ctx, ada, waymark.Lists, int64(old.ID)))
	check(s.PinList(ctx, ada.ID, work.ID, true))
	check(s.PinList(ctx, ada.ID, bobs.ID, true))
	check(s.PinTag(ctx, ada.ID, tag.ID, true))
	query := fmt.Sprintf("by:%s (list:#%d OR list:#%d OR list:#%d) tag:#%d", ada.Name, work.ID, bobs.ID, old.ID, tag.ID)
	_, err = s.Accounts.CreateSavedSearch(ctx, waymark.SavedSearch{Owner: ada.ID, Name: "search", Query: query, Order: "title"})
	check(err)
	_, _, err = s.Accounts.ChangeSettings(ctx, ada.ID, func(s *waymark.Settings, d *waymark.DefaultVisibility) error {
		*s = waymark.Settings{Language: "de", TimeZone: "Europe/Berlin", Theme: waymark.DarkTheme, View: waymark.CardsView, LinksPerPage: 48, NewTab: true}
		d.Tags = waymark.Public
		return nil
	})
	check(err)
	_, err = s.MarkSeen(ctx, ada, effective.ID)
	check(err)
}

func TestExportWritesGoldenFiles(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		o.Now = secondsClock()
		s := storetest.OpenWith(t, o)
		svc := newFixture(s)
		bob, ada := storetest.User(t, s, "bob"), storetest.User(t, s, "ada")
		fillCollection(t, svc, s, ada, bob)
		for format, name := range map[transfer.ExportFormat]string{
			transfer.ExportArchive: "export.ndjson", transfer.ExportHTML: "export.html", transfer.ExportCSV: "export.csv", transfer.ExportJSON: "export.json",
		} {
			got := export(t, svc, ada, format)
			golden := filepath.Join("testdata", name)
			if *update {
				check(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			check(t, err)
			if got != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
			}
			if other := export(t, svc, bob, format); strings.Contains(other, "Reading") || strings.Contains(other, "broken.example") || strings.Contains(other, "on a trashed link") {
				t.Errorf("bob's %s has what is ada's:\n%s", name, other)
			}
		}
	})
}

// Links whose URLs differ only in what waymark.URLKey leaves out come back from each file, as they were.
func TestExportedLinksComeBackFromEachFormat(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		for _, url := range []string{"http://example.org", "http://example.org/", "https://example.org/", "https://www.example.org/", "https://example.org/?a&b", "https://example.org/?b&a", "https://example.org/?utm_source=x", "https://example.org/#top", "HTTPS://example.org/%7e"} {
			storetest.Link(t, s, ada, url, waymark.Private)
		}
		want := collection(t, s, ada)
		for _, format := range []transfer.ExportFormat{transfer.ExportArchive, transfer.ExportHTML, transfer.ExportCSV, transfer.ExportJSON} {
			user := storetest.User(t, s, string(format))
			for range 2 {
				batch, err := svc.OpenImport(t.Context(), user, waymark.Import{}, strings.NewReader(export(t, svc, ada, format)), nil)
				check(t, err)
				_, err = batch.Run(t.Context())
				check(t, err)
				wantCollection(t, string(format), s, user, want...)
			}
		}
	})
}
