package store_test

import (
	"maps"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestTextsOfSnapshotsAreThoseThatTheViewerSees(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var ids []waymark.LinkID
		for i, v := range []waymark.Visibility{waymark.Public, waymark.Internal, waymark.Private, waymark.Private} {
			link := storetest.Link(t, s, ada, "https://example.org/"+string(rune('a'+i)), v)
			html := "<p>one</p><p>two</p>"
			if i == 3 {
				html = "<p>a longer text than may be read</p>"
			}
			page := queue.ClaimedPage{Link: link.ID, Owner: ada.ID, URL: link.URL}
			check(t, s.Snapshots.SaveText(t.Context(), page, waymark.TextSnapshot{URL: link.URL}, html, 1<<20))
			ids = append(ids, link.ID)
		}
		for viewer, want := range map[waymark.UserID][]waymark.LinkID{ada.ID: ids[:3], bob.ID: ids[:2], waymark.Guest: nil} {
			texts, err := s.Snapshots.Texts(t.Context(), viewer, append(ids, 99), 25)
			check(t, err)
			if len(texts) != len(want) {
				t.Errorf("viewer %d: got the texts of %d links, want %d", viewer, len(texts), len(want))
			}
			for id := range maps.Keys(texts) {
				if texts[id] != "one\n\ntwo" {
					t.Errorf("link %d has the text %q", id, texts[id])
				}
			}
		}
	})
}
