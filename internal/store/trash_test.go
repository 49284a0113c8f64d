package store_test

import (
	"fmt"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestTrashIsSearchedByWordsOfItsOwner(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		draft := func(url, title, description string) waymark.LinkDraft {
			return waymark.LinkDraft{Link: waymark.Link{URL: url, Title: title, Description: description, Visibility: waymark.Public}}
		}
		links := storetest.CreateLinks(t, s, ada, draft("https://one.example/", "Straße", ""), draft("https://two.example/", "", "strasse und Weg"), draft("https://strasse.example/", "", ""))
		theirs := storetest.CreateLinks(t, s, bob, draft("https://one.example/", "Straße", ""))[0]
		moveToTrash(t, s, ada, waymark.Links, links[0].ID, links[1].ID)
		moveToTrash(t, s, bob, waymark.Links, theirs.ID)
		for _, test := range []struct {
			words, excluded []string
			want            []waymark.LinkID
		}{
			{nil, nil, []waymark.LinkID{links[0].ID, links[1].ID}},
			{[]string{"STRASSE"}, nil, []waymark.LinkID{links[0].ID, links[1].ID}},
			{[]string{"strasse", "weg"}, nil, []waymark.LinkID{links[1].ID}},
			{[]string{"one.EXAMPLE"}, nil, []waymark.LinkID{links[0].ID}},
			{[]string{"%"}, nil, nil},
			{[]string{"\x00"}, nil, nil},
			{[]string{"strasse"}, []string{"WEG"}, []waymark.LinkID{links[0].ID}},
			{nil, []string{"strasse"}, nil},
			{nil, []string{"\x00"}, []waymark.LinkID{links[0].ID, links[1].ID}},
		} {
			found, err := s.SearchTrashedLinks(ada.ID, test.words, test.excluded).LastChanged(waymark.Pagination{Limit: 10}).Page(t.Context())
			check(t, err)
			slices.SortFunc(found.Entities, func(a, b waymark.Link) int { return int(a.ID - b.ID) })
			wantIDs(t, fmt.Sprint(test.words, test.excluded), found.Entities, linkID, test.want...)
			if found.Total != len(test.want) {
				t.Errorf("%v without %v: got the total %d, want %d", test.words, test.excluded, found.Total, len(test.want))
			}
		}
	})
}

func TestRestoreManyRestoresOneOfSeveralWithTheSameURLOrName(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var links []int64
		for range 3 { // the same URL three times, all in the trash
			link := storetest.Link(t, s, ada, "https://a.example/", waymark.Private)
			links = append(links, int64(link.ID))
			moveToTrash(t, s, ada, waymark.Links, link.ID)
		}
		other := storetest.Link(t, s, bob, "https://a.example/", waymark.Private)
		moveToTrash(t, s, bob, waymark.Links, other.ID)
		restore := func(kind waymark.EntityKind, ids []int64, want map[int64]bool) {
			t.Helper()
			got, err := s.RestoreMany(t.Context(), ada, kind, ids)
			check(t, err)
			wantEqual(t, fmt.Sprint("restored ", kind), got, want)
		}
		restore(waymark.Links, append(links, int64(other.ID), 99), map[int64]bool{links[2]: true}) // not that of another user
		restore(waymark.Links, links, map[int64]bool{})                                            // one of them is active
		first := createTag(t, s, ada, "Go", waymark.Private)
		moveToTrash(t, s, ada, waymark.Tags, first.ID)
		second := createTag(t, s, ada, "gO", waymark.Private)
		restore(waymark.Tags, []int64{int64(first.ID), int64(second.ID)}, map[int64]bool{})
		moveToTrash(t, s, ada, waymark.Tags, second.ID)
		restore(waymark.Tags, []int64{int64(first.ID), int64(second.ID)}, map[int64]bool{int64(second.ID): true})
	})
}
