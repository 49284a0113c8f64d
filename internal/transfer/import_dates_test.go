package transfer_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// archivedTime matches a time in an archive.
var archivedTime = regexp.MustCompile(`"(?:created|updated|deleted|fetched)_at":"([^"]*)"`)

// wantTimes checks that an archive of a user has some times, all of them those of an import or in 2020.
func wantTimes(t *testing.T, svc *fixture, user waymark.User, want int, began, ended waymark.Time) {
	t.Helper()
	var out bytes.Buffer
	check(t, svc.Export(t.Context(), user, transfer.ExportArchive, &out))
	found := archivedTime.FindAllStringSubmatch(out.String(), -1)
	if len(found) != want {
		t.Errorf("got %d times, want %d:\n%s", len(found), want, &out)
	}
	for _, match := range found {
		at, err := time.Parse(time.RFC3339, match[1])
		if now := waymark.FromTime(at); err != nil || at.Year() != 2020 && (now < began || now > ended) {
			t.Errorf("got the time %s, %v, want one of the import", match[1], err)
		}
	}
}

func TestTimesOfAnArchiveAreNotInTheFuture(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		svc.setQuota(1 << 20)
		ada := storetest.User(t, s, "ada")
		times := `"created_at":"2099-01-01T00:00:00Z","updated_at":"2099-01-02T00:00:00Z"`
		began := s.Now()
		_, problems := importArchive(t, svc, s, ada, strings.NewReader(`{"format":"waymark-archive","version":1}
{"type":"list","number":1,"name":"Reading","visibility":"private",`+times+`}
{"type":"tag","number":1,"name":"go","visibility":"private",`+times+`}
{"type":"link","number":1,"url":"https://a.example/","visibility":"public",`+times+`}
{"type":"text_snapshot","link":1,"fetched_at":"2099-01-01T00:00:00Z","html":"<p>A text</p>"}
{"type":"note","link":1,"text":"A note","visibility":"private",`+times+`}
{"type":"link","number":2,"url":"https://b.example/","visibility":"private",`+times+`,"deleted_at":"2099-01-03T00:00:00Z"}
{"type":"link","number":3,"url":"https://c.example/","visibility":"private","created_at":"2020-01-01T00:00:00Z","updated_at":"2099-01-01T00:00:00Z"}
{"type":"saved_search","name":"Go","query":"go","created_at":"2099-01-01T00:00:00Z"}
{"type":"end","entities":8}
`))
		if len(problems) != 8 || !strings.Contains(problems[2], "https://a.example/: the date is in the future") {
			t.Errorf("got the problems %q, want one of each line", problems)
		}
		wantTimes(t, svc, ada, 15, began, s.Now())
	})
}

func TestTimesOfABookmarkFileAreNotInTheFuture(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		future, past := waymark.FromTime(time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)), waymark.FromTime(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
		began := s.Now()
		i := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(
			bookmarks.Bookmark{URL: "https://a.example/", CreatedAt: future, UpdatedAt: future + 1, Notes: []bookmarks.Note{{Text: "A note", CreatedAt: future}}},
			bookmarks.Bookmark{URL: "https://b.example/", CreatedAt: past, UpdatedAt: future},
			bookmarks.Bookmark{URL: "https://c.example/", CreatedAt: future, Deleted: true},
		))
		if i.Problems != 3 {
			t.Errorf("got %d problems, want one of each bookmark", i.Problems)
		}
		wantTimes(t, svc, ada, 9, began, s.Now())
	})
}
