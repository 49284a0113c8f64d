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
			"private":                       {where(waymark.IsPrivate), func(l waymark.Link) bool { return l.Visibility == waymark.Private }},
			"internal":                      {where(waymark.IsInternal), func(l waymark.Link) bool { return l.Visibility == waymark.Internal }},
			"private and public":            {where(waymark.IsPublic, waymark.IsPrivate), func(waymark.Link) bool { return false }},
			"broken":                        {where(waymark.IsBroken), func(l waymark.Link) bool { return l.Status != waymark.StatusOK }},
			"no tags":                       {where(waymark.IsUntagged), func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"no tags overrides tags":        {where(waymark.IsUntagged), func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"no lists":                      {where(waymark.IsUnfiled), func(l waymark.Link) bool { return len(l.Lists) == 0 }},
			"no lists and no tags":          {where(waymark.IsUnfiled, waymark.IsUntagged), func(l waymark.Link) bool { return len(l.Lists)+len(l.Tags) == 0 }},
			"a tag":                         {where(labeled(waymark.Tags, refs("RED"))), func(l waymark.Link) bool { return hasTag(l, "red") }},
			"any tag":                       {where(labeled(waymark.Tags, refs("red", "green", "Red"))), func(l waymark.Link) bool { return hasTag(l, "red") || hasTag(l, "green") }},
			"every tag":                     {where(withAll(waymark.Tags, refs("red", "green", "Red"))), func(l waymark.Link) bool { return hasTag(l, "red") && hasTag(l, "green") }},
			"any tag, one unknown":          {where(labeled(waymark.Tags, refs("red", "unknown"))), func(l waymark.Link) bool { return hasTag(l, "red") }},
			"every tag, one unknown":        {where(withAll(waymark.Tags, refs("red", "unknown"))), func(waymark.Link) bool { return false }},
			"an unknown tag":                {where(labeled(waymark.Tags, refs("unknown"))), func(waymark.Link) bool { return false }},
			"a text with NUL":               {where(inURL("s\x00"), labeled(waymark.Tags, refs("red"))), func(waymark.Link) bool { return false }},
			"a name with NUL":               {where(labeled(waymark.Tags, refs("re\x00d"))), func(waymark.Link) bool { return false }},
			"a trashed tag":                 {where(labeled(waymark.Tags, []waymark.Ref{{ID: int64(blue.ID)}})), func(waymark.Link) bool { return false }},
			"a trashed tag by name":         {where(labeled(waymark.Tags, refs("blue"))), func(waymark.Link) bool { return false }},
			"a tag of another user":         {where(labeled(waymark.Tags, []waymark.Ref{sharedRef})), func(l waymark.Link) bool { return hasTag(l, "shared") }},
			"a tag of another user by name": {where(labeled(waymark.Tags, refs("shared"))), func(waymark.Link) bool { return false }},
			"a hidden tag":                  {where(labeled(waymark.Tags, []waymark.Ref{{ID: int64(hidden.ID)}})), func(waymark.Link) bool { return false }},
			"excluding a tag":               {where(waymark.IsBroken, not(labeled(waymark.Tags, refs("red")))), func(l waymark.Link) bool { return l.Status != 1 && !hasTag(l, "red") }},
			"excluding several tags":        {where(inURL("https"), not(labeled(waymark.Tags, append(refs("red", "unknown"), sharedRef)))), func(l waymark.Link) bool { return !hasTag(l, "red") && !hasTag(l, "shared") }},
			"excluding a hidden tag":        {where(inURL("https"), not(labeled(waymark.Tags, []waymark.Ref{{ID: int64(hidden.ID)}}))), func(waymark.Link) bool { return true }},
			"a list":                        {where(labeled(waymark.Lists, refs("green"))), func(l waymark.Link) bool { return inList(l, "green") }},
			"any list":                      {where(labeled(waymark.Lists, refs("green", "blue"))), func(l waymark.Link) bool { return inList(l, "green") || inList(l, "blue") }},
			"every list":                    {where(withAll(waymark.Lists, refs("green", "blue"))), func(l waymark.Link) bool { return inList(l, "green") && inList(l, "blue") }},
			"excluding a list":              {where(labeled(waymark.Tags, refs("red")), not(labeled(waymark.Lists, refs("green")))), func(l waymark.Link) bool { return hasTag(l, "red") && !inList(l, "green") }},
			"a list and a tag":              {where(labeled(waymark.Lists, refs("green")), labeled(waymark.Tags, refs("green"))), func(l waymark.Link) bool { return inList(l, "green") && hasTag(l, "green") }},
			"a text, a list and a tag": {where(inURL(".ORG"), labeled(waymark.Lists, refs("green", "blue")), labeled(waymark.Tags, refs("green"))), func(l waymark.Link) bool {
				return strings.Contains(l.URL, ".org") && (inList(l, "green") || inList(l, "blue")) && hasTag(l, "green")
			}},
			"words": {where(inTexts("Garden"), inTexts("org")), func(l waymark.Link) bool {
				return strings.Contains(lower(l), "garden") && strings.Contains(lower(l), "org")
			}},
			"excluded words": {where(inTexts("org"), not(inTexts("tea")), not(inTexts("INK")), not(inTexts("\x00"))), func(l waymark.Link) bool {
				return strings.Contains(lower(l), "org") && !strings.Contains(lower(l), "tea") && !strings.Contains(lower(l), "ink")
			}},
			"a word with NUL":         {where(inTexts("\x00")), func(waymark.Link) bool { return false }},
			"from a time":             {where(waymark.Dated{Field: waymark.SavedAfter, Period: dayOf(middle)}), func(l waymark.Link) bool { return dayOf(l.CreatedAt) >= dayOf(middle) }},
			"before a time":           {where(waymark.Dated{Field: waymark.SavedBefore, Period: dayOf(middle)}), func(l waymark.Link) bool { return dayOf(l.CreatedAt) < dayOf(middle) }},
			"of an owner":             {where(waymark.OwnedBy{ID: bob.ID}), func(l waymark.Link) bool { return l.Owner == bob.ID }},
			"of the viewer, private":  {where(waymark.OwnedBy{ID: ada.ID}, waymark.IsPrivate), func(l waymark.Link) bool { return l.Owner == ada.ID && l.Visibility == waymark.Private }},
			"private ones of another": {where(waymark.OwnedBy{ID: bob.ID}, waymark.IsPrivate), func(waymark.Link) bool { return false }},
			"of an owner, before a time, a tag": {where(waymark.OwnedBy{ID: ada.ID}, labeled(waymark.Tags, refs("red")), waymark.Dated{Field: waymark.SavedBefore, Period: dayOf(middle)}), func(l waymark.Link) bool {
				return l.Owner == ada.ID && dayOf(l.CreatedAt) < dayOf(middle) && hasTag(l, "red")
			}},
			"a text, broken": {where(inURL("org"), waymark.IsBroken), func(l waymark.Link) bool {
				return strings.Contains(l.URL, "org") && l.Status != waymark.StatusOK
			}},
			"a text, broken and internal": {where(inURL("https:"), waymark.IsInternal, waymark.IsBroken), func(l waymark.Link) bool {
				return l.Status != waymark.StatusOK && l.Visibility == waymark.Internal
			}},
			"a text, private and internal": {where(inURL("https"), waymark.IsInternal, waymark.IsPrivate), func(waymark.Link) bool { return false }},
			"a text, without tags":         {where(inURL("htt"), waymark.IsUntagged), func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"a text, excluding lists":      {where(inURL("htt"), not(labeled(waymark.Lists, refs("green", "blue")))), func(l waymark.Link) bool { return !inList(l, "green") && !inList(l, "blue") }},
			"a text, every tag": {where(inURL("htt"), waymark.IsBroken, withAll(waymark.Tags, refs("red", "green"))), func(l waymark.Link) bool {
				return hasTag(l, "red") && hasTag(l, "green") && l.Status != waymark.StatusOK
			}},
			"all filters": {where(inTitle("s"), waymark.IsPrivate, waymark.IsBroken, labeled(waymark.Lists, refs("green", "blue")), labeled(waymark.Tags, refs("green")), not(labeled(waymark.Lists, refs("red"))), not(labeled(waymark.Tags, refs("red")))), func(l waymark.Link) bool {
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
