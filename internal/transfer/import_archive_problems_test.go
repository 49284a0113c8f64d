package transfer_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

func TestIncompleteArchiveIsImportedAndFails(t *testing.T) {
	s := storetest.Open(t)
	svc := newFixture(s)
	ada := storetest.User(t, s, "ada")
	file := large(t)
	batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{}, nil)
	check(t, err)
	i, err := batch.Archive(t.Context(), archive.Read(strings.NewReader(file[:len(file)-1000])))
	if !errors.Is(err, archive.ErrIncomplete) || i.State != waymark.ImportFailed || i.Error != archive.ErrIncomplete.Error() || i.Counts.Added < 650 {
		t.Errorf("got %s with %d links, %q and error %v, want failed, most of 700, and %v", i.State, i.Counts.Added, i.Error, err, archive.ErrIncomplete)
	}
}

// Formats other than the archive have the notes of a link in one row.
func TestNotesThatAreTooLongForARowAreExportedInArchives(t *testing.T) {
	if testing.Short() {
		t.Skip("saves notes of 16 MiB")
	}
	s := storetest.Open(t)
	svc := newFixture(s)
	ada := storetest.User(t, s, "ada")
	at := archive.Times{CreatedAt: 1_500_000_000_000_000, UpdatedAt: 1_500_000_000_000_000}
	all := []archive.Entity{
		archive.Settings{Default: archive.DefaultVisibility{Links: 3, Lists: 3, Tags: 3, Notes: 3}},
		archive.Link{Number: 1, URL: "https://a.example/", Title: "a", Visibility: 3, Status: 1, Times: at},
	}
	for range 170 {
		all = append(all, archive.Note{Link: 1, Text: strings.Repeat("a", waymark.MaxNote), Visibility: 3, Times: at})
	}
	file := archiveOf(t, all)
	importArchive(t, svc, s, ada, strings.NewReader(file))
	if got := export(t, svc, ada, transfer.ExportArchive); got != file {
		t.Errorf("got an archive of %d bytes, want the %d that were imported", len(got), len(file))
	}
	err := svc.Export(t.Context(), ada, transfer.ExportCSV, io.Discard)
	if want := "the notes of https://a.example/ have more than 16777216 bytes: use the format archive"; err == nil || err.Error() != want {
		t.Errorf("CSV: got error %v, want %s", err, want)
	}
}

func TestProblemsOfSettingsAndSearchesHaveTheirLines(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		file := `{"format":"waymark-archive","version":1}
{"type":"settings","time_zone":"Nowhere/At all"}
`
		for i := range waymark.MaxSavedSearches + 2 {
			file += fmt.Sprintf(`{"type":"saved_search","name":"%d","query":"100%%"}`, i) + "\n"
		}
		file += fmt.Sprintf(`{"type":"end","entities":%d}`, waymark.MaxSavedSearches+3)
		_, problems := importArchive(t, svc, s, ada, strings.NewReader(file))
		if len(problems) != 2 || problems[0] != "line 2: invalid input: time zone does not exist" || !strings.HasPrefix(problems[1], "line 103: ") {
			t.Errorf("got %q, want problems of the lines 2 and 103", problems)
		}
	})
}

func TestURLsOfProblemsAreShort(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		svc.setQuota(1)
		url := "https://example.com/" + strings.Repeat("x", 1000)
		_, problems := importArchive(t, svc, s, storetest.User(t, s, "ada"), strings.NewReader(archiveText(
			`{"type":"link","number":1,"url":"https://example.com/"}`, `{"type":"text_snapshot","link":1,"url":"`+url+`","html":"<p>A text.</p>"}`)))
		want := []string{"line 3: " + url[:waymark.MaxProblemURL] + ": " + waymark.ErrSnapshotQuota.Error()}
		if !slices.Equal(problems, want) {
			t.Errorf("got the problems %q, want %q", problems, want)
		}
	})
}

// A snapshot of a link that could not be saved goes to no other link.
func TestSnapshotsOfARefusedLinkGoToNoOther(t *testing.T) {
	const file = `{"format":"waymark-archive","version":1}
{"type":"link","number":1,"url":"https://a.example/"}
{"type":"link","number":2,"url":"javascript:alert(1)"}
{"type":"text_snapshot","link":2,"html":"<p>a text</p>"}
{"type":"full_snapshot","link":2,"html":"<p>a page</p>"}
{"type":"end","entities":4}
`
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		_, problems := importArchive(t, svc, s, ada, strings.NewReader(file))
		want := []string{
			"line 3: javascript:alert(1): a URL such as this cannot be saved",
			"line 4: the link of the snapshot could not be saved",
			"line 5: the link of the full snapshot could not be saved",
		}
		if !slices.Equal(problems, want) {
			t.Errorf("got problems\n%s\nwant\n%s", strings.Join(problems, "\n"), strings.Join(want, "\n"))
		}
		link, err := s.LinkByURL(t.Context(), ada.ID, "https://a.example/")
		check(t, err)
		if _, err := s.Snapshots.Text(t.Context(), ada.ID, link.ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("text snapshot: got error %v, want none on another link", err)
		}
		if _, err := s.Snapshots.Full(t.Context(), ada.ID, link.ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("full snapshot: got error %v, want none on another link", err)
		}
	})
}
