package store_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/fetch/article"
	"waymark/internal/store"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// noQuota is more than any test needs.
const noQuota = 1 << 40

// someSnapshot returns what is known of the snapshots of these tests.
func someSnapshot() waymark.TextSnapshot {
	return waymark.TextSnapshot{FetchedAt: 1e15, URL: "https://www.a.example/", Title: "Bread", Byline: "Ada", Language: "en-GB", Direction: "ltr"}
}

// saveTextSnapshot stores a snapshot with a text for a link.
func saveTextSnapshot(t *testing.T, s *store.Store, link waymark.Link, text string) {
	t.Helper()
	html, _ := article.Sanitize("<p>" + text)
	check(t, s.Snapshots.SaveText(t.Context(), claimOf(link), someSnapshot(), html, noQuota))
}

func claimOf(link waymark.Link) queue.ClaimedPage {
	return queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
}

// wantFound fails unless searches in snapshots find links with a word.
func wantFound(t *testing.T, s *store.Store, word string, want ...waymark.LinkID) {
	t.Helper()
	got, err := snapshotsWith(t.Context(), s, word)
	check(t, err)
	var ids []int64
	for _, id := range want {
		ids = append(ids, int64(id))
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Errorf("links found with %q, want (-), got (+):\n%s", word, diff)
	}
}

// The quota is exact after any sequence of changes, and a snapshot that does not fit keeps the older
// one.
func TestQuotaOfSnapshotsIsExact(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 5)
		r := rand.New(rand.NewPCG(1, 2))
		const quota = 3000
		kept := map[waymark.LinkID]int64{}
		refused := 0
		for range 60 {
			link := links[r.IntN(len(links))]
			html, _ := article.Sanitize("<p>" + randomText(r, 1+r.IntN(300)))
			err := s.Snapshots.SaveText(t.Context(), claimOf(link), someSnapshot(), html, quota)
			if errors.Is(err, waymark.ErrSnapshotQuota) {
				refused++
			} else {
				check(t, err)
				got, err := s.Snapshots.Text(t.Context(), ada.ID, link.ID)
				check(t, err)
				kept[link.ID] = got.Bytes
			}
			if r.IntN(10) == 0 && kept[link.ID] > 0 {
				check(t, s.Snapshots.Remove(t.Context(), ada, link.ID))
				delete(kept, link.ID)
			}
			sum := int64(0)
			for _, n := range kept {
				sum += n
			}
			if got, err := snapshotBytes(t, s, ada.ID); err != nil || got != sum || got > quota {
				t.Fatalf("got %d bytes (error %v), want %d", got, err, sum)
			}
		}
		if refused == 0 || refused > 50 {
			t.Errorf("%d of 60 snapshots were refused", refused)
		}
	})
}

func TestSnapshotsFollowTheirLinks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		links := storetest.Fill(t, s, ada, 3)
		for _, link := range links {
			saveTextSnapshot(t, s, link, "sourdough")
		}
		changed := claimOf(links[2])
		changed.URL = "https://changed.example/"
		check(t, s.Snapshots.SaveText(t.Context(), changed, someSnapshot(), "<p>wrong</p>", noQuota))
		wantFound(t, s, "wrong")

		moveToTrash(t, s, ada, waymark.Links, links[0].ID)
		all, err := snapshotBytes(t, s, ada.ID)
		check(t, err)
		wantFound(t, s, "sourdough", links[0].ID, links[1].ID, links[2].ID) // searches leave out the trash
		check(t, s.ClearTrash(t.Context(), ada.ID, waymark.Links))
		if rest, err := snapshotBytes(t, s, ada.ID); err != nil || rest != all/3*2 {
			t.Errorf("got %d of %d bytes after the trash was cleared (error %v)", rest, all, err)
		}
		wantFound(t, s, "sourdough", links[1].ID, links[2].ID)

		check(t, s.RemoveUser(t.Context(), ada.ID, bob.ID, anyUser))
		if got, err := snapshotBytes(t, s, bob.ID); err != nil || got != all/3*2 {
			t.Errorf("got %d bytes after the links were given to bob (error %v)", got, err)
		}
		_, _, err = s.Snapshots.TextHTML(t.Context(), bob.ID, links[1].ID)
		check(t, err)
		cleo := storetest.User(t, s, "cleo") // someone must be left
		check(t, s.RemoveUser(t.Context(), bob.ID, waymark.Guest, anyUser))
		wantFound(t, s, "sourdough")
		if got, err := snapshotBytes(t, s, cleo.ID); err != nil || got != 0 {
			t.Errorf("got %d bytes (error %v), want none", got, err)
		}
	})
}

func TestSnapshotOfAnArchiveHasAnyTexts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Private)
		archived := someSnapshot()
		archived.Title, archived.Byline, archived.Language = "a\x00b", "\xff", "\x00"
		check(t, s.ImportTextSnapshot(t.Context(), ada.ID, store.ImportedLink{ID: link.ID}, archived, "<p>text</p>", waymark.ReadingPosition{}, noQuota))
		got, err := s.Snapshots.Text(t.Context(), ada.ID, link.ID)
		if err != nil || got.Title != "a\uFFFDb" || got.Byline != "\uFFFD" || got.Language != "\uFFFD" {
			t.Errorf("got snapshot %+v, %v", got, err)
		}
	})
}

// snapshotBytes returns how many bytes the text and full snapshots of a user have.
func snapshotBytes(t *testing.T, s *store.Store, owner waymark.UserID) (int64, error) {
	t.Helper()
	rows, err := s.Rows(t.Context(), "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM (SELECT bytes FROM text_snapshots WHERE user_id = $1 UNION ALL SELECT bytes FROM full_snapshots WHERE user_id = $1 UNION ALL SELECT bytes FROM attachments WHERE user_id = $1) AS stored", owner)
	if err != nil {
		return 0, err
	}
	return rows[0][0].(int64), nil //nolint:forcetypeassert // both databases return it so
}
