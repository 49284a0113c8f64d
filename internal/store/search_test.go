package store_test

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// searchIDs returns the ids of the links that a search finds, sorted, and checks the
// total.
func searchIDs(t testing.TB, s *store.Store, viewer waymark.User, filter waymark.LinkFilter) []waymark.LinkID {
	t.Helper()
	got := readPage(t, s.SearchLinks(viewer.ID, filter, byID, unlimited))
	if got.Total != len(got.Entities) {
		t.Errorf("search %+v: got total %d and %d links", filter, got.Total, len(got.Entities))
	}
	return linkIDs(got.Entities)
}

// linkIDs returns the ids of links, in order.
func linkIDs(links []waymark.Link) []waymark.LinkID {
	return idsWhere(links, func(waymark.Link) bool { return true })
}

// idsWhere returns the ids of the links that satisfy a condition.
func idsWhere(links []waymark.Link, condition func(waymark.Link) bool) []waymark.LinkID {
	ids := []waymark.LinkID{}
	for _, link := range links {
		if condition(link) {
			ids = append(ids, link.ID)
		}
	}
	return ids
}

// matchesText reports whether a search for the text must find the link: one of the
// folded texts contains it.
func matchesText(link waymark.Link, c waymark.Contains) bool {
	text := waymark.Fold(c.Text)
	return c.In&waymark.InURL != 0 && strings.Contains(waymark.Fold(link.URL), text) ||
		c.In&waymark.InTitle != 0 && strings.Contains(waymark.Fold(link.Title), text) ||
		c.In&waymark.InDescription != 0 && strings.Contains(waymark.Fold(link.Description), text)
}

func TestSearchFindsLinksAsTheyAreAfterAChange(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://first.example/", waymark.Private)
		var also waymark.Condition // nil for none
		wantFound := func(what string, viewer waymark.User, text string, want bool) {
			t.Helper()
			filter := waymark.LinkFilter{Where: waymark.AndOf(inURL(text), also)}
			if got := len(searchIDs(t, s, viewer, filter)) == 1; got != want {
				t.Errorf("%s, %s searches for %q: found %t, want %t", what, viewer.Name, text, got, want)
			}
		}
		wantFound("new", ada, "first", true)
		wantFound("private", bob, "first", false)
		if _, err := s.ChangeLink(t.Context(), ada, link.ID, nil, nil, func(link *waymark.Link) error {
			link.URL, link.Visibility = "https://second.example/", waymark.Public
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		wantFound("changed", ada, "first", false)
		wantFound("changed", ada, "second", true)
		wantFound("public", bob, "second", true)
		for _, status := range []waymark.Status{waymark.StatusOK + 1, waymark.StatusOK} {
			if _, err := s.ChangeLink(t.Context(), ada, link.ID, nil, nil, func(link *waymark.Link) error {
				link.Status = status
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			also = waymark.IsBroken
			wantFound(fmt.Sprint("status ", status), ada, "second", status != waymark.StatusOK)
			also = nil
		}
		for _, v := range []waymark.Visibility{waymark.Internal, waymark.Private, waymark.Public} {
			if _, err := s.ChangeLink(t.Context(), ada, link.ID, nil, nil, func(link *waymark.Link) error {
				link.Visibility = v
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for _, state := range []waymark.Is{waymark.IsPublic, waymark.IsInternal, waymark.IsPrivate} {
				also = state
				wantFound(fmt.Sprint("visibility ", v, " in a search for ", state), ada, "second", v.String() == string(state))
			}
			also = nil
		}
		moveToTrash(t, s, ada, waymark.Links, link.ID)
		wantFound("in the trash", ada, "second", false)
		wantFound("in the trash", bob, "second", false)
		restore(t, s, ada, waymark.Links, link.ID)
		wantFound("restored", bob, "second", true)
		moveToTrash(t, s, ada, waymark.Links, link.ID)
		if err := s.ClearTrash(t.Context(), ada.ID, waymark.Links); err != nil {
			t.Fatal(err)
		}
		wantFound("deleted", ada, "second", false)
	})
}
