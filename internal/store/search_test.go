package store_test

import (
	"errors"
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
func matchesText(link waymark.Link, filter waymark.LinkFilter) bool {
	text := waymark.Fold(filter.Text)
	return strings.Contains(waymark.Fold(link.URL), text) ||
		filter.SearchTitle && strings.Contains(waymark.Fold(link.Title), text) ||
		filter.SearchDescription && strings.Contains(waymark.Fold(link.Description), text)
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
			filter := waymark.LinkFilter{Text: text, SearchTitle: i%2 == 0, SearchDescription: i%3 == 0}
			want := idsWhere(links, func(link waymark.Link) bool { return matchesText(link, filter) })
			if got := searchIDs(t, s, ada, filter); !slices.Equal(got, want) {
				t.Errorf("search for %.60q (title %t, description %t): got %v, want %v", text, filter.SearchTitle, filter.SearchDescription, got, want)
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
				filter := waymark.LinkFilter{Text: text, SearchTitle: true}
				want := idsWhere(links, func(link waymark.Link) bool {
					return viewer.ID.MaySee(link.Owner, link.Visibility) && matchesText(link, filter)
				})
				if got := searchIDs(t, s, viewer, filter); !slices.Equal(got, want) {
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
		filter := waymark.LinkFilter{Text: "first"}
		wantFound := func(what string, viewer waymark.User, text string, want bool) {
			t.Helper()
			filter.Text = text
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
			filter.BrokenOnly = true
			wantFound(fmt.Sprint("status ", status), ada, "second", status != waymark.StatusOK)
			filter.BrokenOnly = false
		}
		for _, v := range []waymark.Visibility{waymark.Internal, waymark.Private, waymark.Public} {
			if _, err := s.ChangeLink(t.Context(), ada, link.ID, nil, nil, func(link *waymark.Link) error {
				link.Visibility = v
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for filter.Visibility = waymark.Public; filter.Visibility <= waymark.Private; filter.Visibility++ {
				wantFound(fmt.Sprint("visibility ", v, " in a search for ", filter.Visibility), ada, "second", v == filter.Visibility)
			}
			filter.Visibility = 0
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

func TestSearchFiltersCombine(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		// Tags of bob's, of which ada sees one.
		shared := createTag(t, s, bob, "shared", waymark.Public)
		hidden := createTag(t, s, bob, "hidden", waymark.Private)
		for i := range 140 {
			draft := storetest.Draft(i)
			owner := []waymark.User{ada, ada, bob}[i%3]
			draft.Tags = slices.DeleteFunc(draft.Tags, func(ref waymark.Ref) bool { return len(ref.Name) > 4 })
			draft.Lists = slices.DeleteFunc(draft.Lists, func(ref waymark.Ref) bool { return len(ref.Name) > 4 })
			for j, name := range []string{"red", "green", "blue"} {
				if i>>j&1 == 1 {
					draft.Tags = append(draft.Tags, waymark.Ref{Name: name})
				}
				if i>>j&2 == 2 {
					draft.Lists = append(draft.Lists, waymark.Ref{Name: name})
				}
			}
			if i%7 == 0 {
				draft.Tags = append(draft.Tags, waymark.Ref{ID: int64(shared.ID)})
			}
			if i%5 == 0 {
				draft.Tags = append(draft.Tags, waymark.Ref{ID: int64(hidden.ID)})
			}
			storetest.CreateLinks(t, s, owner, draft)
		}
		tags, err := s.SuggestTags(ada.ID, "blue", 0).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		blue := tags.Entities[0]
		moveToTrash(t, s, ada, waymark.Tags, blue.ID)
		all := allLinks(t, s, ada)
		middle := all[len(all)/2].CreatedAt
		lower := func(l waymark.Link) string { return waymark.Fold(l.URL + " " + l.Title + " " + l.Description) }

		hasTag := func(link waymark.Link, tag string) bool {
			return slices.ContainsFunc(link.Tags, func(t waymark.Tag) bool {
				return waymark.Fold(t.Name) == tag && (t.Owner == ada.ID || t.ID == shared.ID)
			})
		}
		inList := func(link waymark.Link, list string) bool {
			return slices.ContainsFunc(link.Lists, func(l waymark.List) bool { return waymark.Fold(l.Name) == list && l.Owner == ada.ID })
		}
		sharedRef := waymark.Ref{ID: int64(shared.ID)}
		for name, test := range map[string]struct {
			filter waymark.LinkFilter
			want   func(waymark.Link) bool
		}{
			"private":                       {waymark.LinkFilter{PrivateOnly: true}, func(l waymark.Link) bool { return l.Visibility == waymark.Private }},
			"internal":                      {waymark.LinkFilter{Visibility: waymark.Internal}, func(l waymark.Link) bool { return l.Visibility == waymark.Internal }},
			"private and public":            {waymark.LinkFilter{Visibility: waymark.Public, PrivateOnly: true}, func(waymark.Link) bool { return false }},
			"broken":                        {waymark.LinkFilter{BrokenOnly: true}, func(l waymark.Link) bool { return l.Status != waymark.StatusOK }},
			"no tags":                       {waymark.LinkFilter{WithoutTags: true}, func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"no tags overrides tags":        {waymark.LinkFilter{WithoutTags: true, Tags: refs("red")}, func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"no lists":                      {waymark.LinkFilter{WithoutLists: true}, func(l waymark.Link) bool { return len(l.Lists) == 0 }},
			"no lists and no tags":          {waymark.LinkFilter{WithoutLists: true, WithoutTags: true}, func(l waymark.Link) bool { return len(l.Lists)+len(l.Tags) == 0 }},
			"a tag":                         {waymark.LinkFilter{Tags: refs("RED")}, func(l waymark.Link) bool { return hasTag(l, "red") }},
			"any tag":                       {waymark.LinkFilter{Tags: refs("red", "green", "Red")}, func(l waymark.Link) bool { return hasTag(l, "red") || hasTag(l, "green") }},
			"every tag":                     {waymark.LinkFilter{Tags: refs("red", "green", "Red"), AllTags: true}, func(l waymark.Link) bool { return hasTag(l, "red") && hasTag(l, "green") }},
			"any tag, one unknown":          {waymark.LinkFilter{Tags: refs("red", "unknown")}, func(l waymark.Link) bool { return hasTag(l, "red") }},
			"every tag, one unknown":        {waymark.LinkFilter{Tags: refs("red", "unknown"), AllTags: true}, func(waymark.Link) bool { return false }},
			"an unknown tag":                {waymark.LinkFilter{Tags: refs("unknown")}, func(waymark.Link) bool { return false }},
			"a text with NUL":               {waymark.LinkFilter{Text: "s\x00", Tags: refs("red")}, func(waymark.Link) bool { return false }},
			"a name with NUL":               {waymark.LinkFilter{Tags: refs("re\x00d")}, func(waymark.Link) bool { return false }},
			"a trashed tag":                 {waymark.LinkFilter{Tags: []waymark.Ref{{ID: int64(blue.ID)}}}, func(waymark.Link) bool { return false }},
			"a trashed tag by name":         {waymark.LinkFilter{Tags: refs("blue")}, func(waymark.Link) bool { return false }},
			"a tag of another user":         {waymark.LinkFilter{Tags: []waymark.Ref{sharedRef}}, func(l waymark.Link) bool { return hasTag(l, "shared") }},
			"a tag of another user by name": {waymark.LinkFilter{Tags: refs("shared")}, func(waymark.Link) bool { return false }},
			"a hidden tag":                  {waymark.LinkFilter{Tags: []waymark.Ref{{ID: int64(hidden.ID)}}}, func(waymark.Link) bool { return false }},
			"excluding a tag":               {waymark.LinkFilter{BrokenOnly: true, ExcludeTags: refs("red")}, func(l waymark.Link) bool { return l.Status != 1 && !hasTag(l, "red") }},
			"excluding several tags":        {waymark.LinkFilter{Text: "https", ExcludeTags: append(refs("red", "unknown"), sharedRef)}, func(l waymark.Link) bool { return !hasTag(l, "red") && !hasTag(l, "shared") }},
			"excluding a hidden tag":        {waymark.LinkFilter{Text: "https", ExcludeTags: []waymark.Ref{{ID: int64(hidden.ID)}}}, func(waymark.Link) bool { return true }},
			"a list":                        {waymark.LinkFilter{Lists: refs("green")}, func(l waymark.Link) bool { return inList(l, "green") }},
			"any list":                      {waymark.LinkFilter{Lists: refs("green", "blue")}, func(l waymark.Link) bool { return inList(l, "green") || inList(l, "blue") }},
			"every list":                    {waymark.LinkFilter{Lists: refs("green", "blue"), AllLists: true}, func(l waymark.Link) bool { return inList(l, "green") && inList(l, "blue") }},
			"excluding a list":              {waymark.LinkFilter{Tags: refs("red"), ExcludeLists: refs("green")}, func(l waymark.Link) bool { return hasTag(l, "red") && !inList(l, "green") }},
			"a list and a tag":              {waymark.LinkFilter{Lists: refs("green"), Tags: refs("green")}, func(l waymark.Link) bool { return inList(l, "green") && hasTag(l, "green") }},
			"a text, a list and a tag": {waymark.LinkFilter{Text: ".ORG", Lists: refs("green", "blue"), Tags: refs("green")}, func(l waymark.Link) bool {
				return strings.Contains(l.URL, ".org") && (inList(l, "green") || inList(l, "blue")) && hasTag(l, "green")
			}},
			"words": {waymark.LinkFilter{Words: []string{"Garden", "org", ""}}, func(l waymark.Link) bool {
				return strings.Contains(lower(l), "garden") && strings.Contains(lower(l), "org")
			}},
			"excluded words": {waymark.LinkFilter{Words: []string{"org"}, ExcludeWords: []string{"tea", "INK", "", "\x00"}}, func(l waymark.Link) bool {
				return strings.Contains(lower(l), "org") && !strings.Contains(lower(l), "tea") && !strings.Contains(lower(l), "ink")
			}},
			"a word with NUL":                   {waymark.LinkFilter{Words: []string{"\x00"}}, func(waymark.Link) bool { return false }},
			"from a time":                       {waymark.LinkFilter{CreatedFrom: middle}, func(l waymark.Link) bool { return l.CreatedAt >= middle }},
			"before a time":                     {waymark.LinkFilter{CreatedBefore: middle}, func(l waymark.Link) bool { return l.CreatedAt < middle }},
			"of an owner":                       {waymark.LinkFilter{Owner: bob.ID}, func(l waymark.Link) bool { return l.Owner == bob.ID }},
			"of the viewer, private":            {waymark.LinkFilter{Owner: ada.ID, PrivateOnly: true}, func(l waymark.Link) bool { return l.Owner == ada.ID && l.Visibility == waymark.Private }},
			"private ones of another":           {waymark.LinkFilter{Owner: bob.ID, PrivateOnly: true}, func(waymark.Link) bool { return false }},
			"of an owner, before a time, a tag": {waymark.LinkFilter{Owner: ada.ID, CreatedBefore: middle, Tags: refs("red")}, func(l waymark.Link) bool { return l.Owner == ada.ID && l.CreatedAt < middle && hasTag(l, "red") }},
			"a text, broken": {waymark.LinkFilter{Text: "org", BrokenOnly: true}, func(l waymark.Link) bool {
				return strings.Contains(l.URL, "org") && l.Status != waymark.StatusOK
			}},
			"a text, broken and internal": {waymark.LinkFilter{Text: "https:", BrokenOnly: true, Visibility: waymark.Internal}, func(l waymark.Link) bool {
				return l.Status != waymark.StatusOK && l.Visibility == waymark.Internal
			}},
			"a text, private and internal": {waymark.LinkFilter{Text: "https", PrivateOnly: true, Visibility: waymark.Internal}, func(waymark.Link) bool { return false }},
			"a text, without tags":         {waymark.LinkFilter{Text: "htt", WithoutTags: true}, func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"a text, excluding lists":      {waymark.LinkFilter{Text: "htt", ExcludeLists: refs("green", "blue")}, func(l waymark.Link) bool { return !inList(l, "green") && !inList(l, "blue") }},
			"a text, every tag": {waymark.LinkFilter{Text: "htt", Tags: refs("red", "green"), AllTags: true, BrokenOnly: true}, func(l waymark.Link) bool {
				return hasTag(l, "red") && hasTag(l, "green") && l.Status != waymark.StatusOK
			}},
			"all filters": {waymark.LinkFilter{Text: "s", SearchTitle: true, BrokenOnly: true, PrivateOnly: true, Lists: refs("green", "blue"), Tags: refs("green"), ExcludeTags: refs("red"), ExcludeLists: refs("red")}, func(l waymark.Link) bool {
				return l.Status != 1 && l.Visibility == 3 && (inList(l, "green") || inList(l, "blue")) && hasTag(l, "green") && !hasTag(l, "red") && !inList(l, "red")
			}},
		} {
			t.Run(name, func(t *testing.T) {
				want := idsWhere(all, test.want)
				wantEqual(t, "found", searchIDs(t, s, ada, test.filter), want)
			})
		}
	})
}

func TestFilterHasAtMostTwentyWords(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		filter := waymark.LinkFilter{Words: slices.Repeat([]string{"a"}, waymark.MaxWords-1), ExcludeWords: []string{"b"}}
		searchIDs(t, s, ada, filter)
		filter.ExcludeWords = append(filter.ExcludeWords, "c")
		_, err := s.SearchLinks(ada.ID, filter, byID, unlimited).Page(t.Context())
		var problems *waymark.ValidationError
		if !errors.As(err, &problems) || problems.Problems[0].Rule != waymark.RuleMaxCount {
			t.Errorf("got %v, want a ValidationError", err)
		}
	})
}
