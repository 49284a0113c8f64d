package store_test

import (
	"fmt"
	"slices"
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

func TestSearchFindsSubstringsInAnyScript(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 150)
		long := strings.Repeat("a very long text, ", 400)
		for i, text := range []string{
			"abc", "ab", "a", "%", "_", "100%", "a%b", "a_b", `\`, `a\b`, `\%`, `'`, `"`, `a"b"c`, `""`, "'; DROP TABLE links; --",
			"*", "a*", "^abc", "NEAR(a b)", "a AND b", "title : abc", "{title} : abc", "-abc", "(", "a-b.c", "$1", "?", "?1",
			"東", "東京", "東京都", "東京都庁", "ß", "straße", "STRASSE", "Ärger", "A\u0308rger", "İi", "ﬁn", "Σας", "ΣΑΣ", "🌍", "🌍🌎🌏", "👩‍👩‍👧", "á", "한", "한국",
			"\U000F0000\U000F0000\U000F0001", "\uFFFD", "\u200B\u200B\u200B", "\t\t\t", "a\nb", long, long + "end",
		} {
			links = append(links, storetest.CreateLinks(t, s, ada, waymark.LinkDraft{Link: waymark.Link{
				URL:         fmt.Sprintf("https://%d.example/%s", i, strings.ReplaceAll(text[:min(len(text), 7000)], " ", "+")),
				Title:       "<" + text[:min(len(text), 900)] + ">",
				Description: "[" + text + "]",
				Visibility:  waymark.Private,
				Status:      waymark.StatusOK,
			}})...)
		}
		var texts []string
		for _, link := range links {
			// Substrings of one to nine characters.
			for i, text := range []string{link.Title, link.Description} {
				runes := []rune(text)
				n := (int(link.ID) + i) % 9
				from := int(link.ID) * 31 % max(1, len(runes))
				texts = append(texts, string(runes[from:min(len(runes), from+n+1)]))
			}
		}
		texts = append(texts, "STRASSE", "strasse", "ärger", "a\u0308RGER", "σίσυφοΣ", "мОСКВА", "HTTPS://", "https://lantern",
			"no such text", "zzz", "京都", "a very long", long, long+"e", long+"x", "\x00", "ab\x00cd")
		for i, text := range texts {
			if text == "" {
				continue
			}
			contains := waymark.Contains{Text: text, In: waymark.TextFields(1 + i%7)} // each set of URL, title and description
			want := idsWhere(links, func(link waymark.Link) bool { return matchesText(link, contains) })
			if got := searchIDs(t, s, ada, where(contains)); !slices.Equal(got, want) {
				t.Errorf("search for %.60q in %b: got %v, want %v", text, contains.In, got, want)
			}
		}
	})
}

func TestSearchFindsLinksThatTheViewerSees(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		links := slices.Concat(storetest.Fill(t, s, ada, 60), storetest.Fill(t, s, bob, 60))
		moveToTrash(t, s, ada, waymark.Links, links[3].ID, links[5].ID)
		links = slices.Concat(links[:3], links[4:5], links[6:])
		for _, viewer := range []waymark.User{ada, bob} {
			for _, text := range []string{"s:", "https", ".example", "a"} {
				want := idsWhere(links, func(link waymark.Link) bool {
					return viewer.ID.MaySee(link.Owner, link.Visibility) && matchesText(link, inTitle(text))
				})
				if got := searchIDs(t, s, viewer, where(inTitle(text))); !slices.Equal(got, want) {
					t.Errorf("%s, search for %q: got %v, want %v", viewer.Name, text, got, want)
				}
			}
		}
	})
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
