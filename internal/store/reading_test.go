package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestMinutesFollowTheText(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		long := storetest.Link(t, s, ada, "https://a.example/", waymark.Private)
		none := storetest.Link(t, s, ada, "https://b.example/", waymark.Private)
		short := storetest.Link(t, s, ada, "https://c.example/", waymark.Private)
		saveTextSnapshot(t, s, long, strings.Repeat("word ", 700))
		saveTextSnapshot(t, s, short, "word")
		want := func(what, want string) {
			t.Helper()
			got := ""
			for _, link := range readPage(t, s.Links(ada.ID, waymark.Order{By: waymark.SortByMinutes}, unlimited)).Entities {
				got += fmt.Sprintf("%d:%d ", link.ID, link.Minutes)
			}
			if got = strings.TrimSpace(got); got != want {
				t.Errorf("%s: got %q, want %q", what, got, want)
			}
		}
		want("two texts", fmt.Sprintf("%d:1 %d:4 %d:0", short.ID, long.ID, none.ID))
		saveTextSnapshot(t, s, short, strings.Repeat("word ", 2000))
		want("a longer text", fmt.Sprintf("%d:4 %d:9 %d:0", long.ID, short.ID, none.ID))
		check(t, s.Snapshots.Remove(t.Context(), ada, long.ID))
		want("a text was removed", fmt.Sprintf("%d:9 %d:0 %d:0", short.ID, long.ID, none.ID))
	})
}

func TestReadingPositionsAreOfOneUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, ada, ben := t.Context(), storetest.User(t, s, "ada"), storetest.User(t, s, "ben")
		shared, private := storetest.Link(t, s, ada, "https://a.example/", waymark.Internal), storetest.Link(t, s, ada, "https://b.example/", waymark.Private)
		at := waymark.ReadingPosition{Paragraph: 3, PerMille: 250}
		wantError(t, "without a text", s.Snapshots.SaveReadingPosition(ctx, ada.ID, shared.ID, at), waymark.ErrNotFound)
		saveTextSnapshot(t, s, shared, "text")
		saveTextSnapshot(t, s, private, "text")
		wantError(t, "of another user", s.Snapshots.SaveReadingPosition(ctx, ben.ID, private.ID, at), waymark.ErrForbidden)
		check(t, s.Snapshots.SaveReadingPosition(ctx, ben.ID, shared.ID, at))
		check(t, s.Snapshots.SaveReadingPosition(ctx, ada.ID, shared.ID, at))
		check(t, s.Snapshots.SaveReadingPosition(ctx, ada.ID, shared.ID, waymark.ReadingPosition{Paragraph: 5, PerMille: 500}))
		got, err := s.Snapshots.ReadingPositions(ctx, ada.ID, []waymark.LinkID{shared.ID, private.ID})
		check(t, err)
		if diff := cmp.Diff(map[waymark.LinkID]waymark.ReadingPosition{shared.ID: {Paragraph: 5, PerMille: 500}}, got); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
		check(t, storetest.RemoveUser(ctx, s, ben.ID))
		if rows := selectRows(t, s, "SELECT user_id FROM reading_positions"); len(rows) != 1 {
			t.Errorf("after ben was removed, got %d positions, want that of ada", len(rows))
		}
	})
}
