package store_test

import (
	"slices"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// filterSite holds links of two users with random labels, for the tests of filters.
// Ada reads them.
type filterSite struct {
	s              *store.Store
	ada, bob       waymark.User
	shared, hidden waymark.Tag // of bob; ada sees the first
	blue           waymark.Tag // of ada, in the trash
	all            []waymark.Link
	middle         waymark.Time // when the link in the middle was saved
}

func newFilterSite(t *testing.T, s *store.Store) filterSite {
	t.Helper()
	site := filterSite{s: s, ada: storetest.User(t, s, "ada"), bob: storetest.User(t, s, "bob")}
	site.shared = createTag(t, s, site.bob, "shared", waymark.Public)
	site.hidden = createTag(t, s, site.bob, "hidden", waymark.Private)
	for i := range 140 {
		site.createLink(t, i)
	}
	tags, err := s.SuggestTags(site.ada.ID, "blue", 0).Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	site.blue = tags.Entities[0]
	moveToTrash(t, s, site.ada, waymark.Tags, site.blue.ID)
	site.all = allLinks(t, s, site.ada)
	site.middle = site.all[len(site.all)/2].CreatedAt
	return site
}

func (site filterSite) createLink(t *testing.T, i int) {
	draft := storetest.Draft(i)
	owner := []waymark.User{site.ada, site.ada, site.bob}[i%3]
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
		draft.Tags = append(draft.Tags, site.sharedRef())
	}
	if i%5 == 0 {
		draft.Tags = append(draft.Tags, waymark.Ref{ID: int64(site.hidden.ID)})
	}
	storetest.CreateLinks(t, site.s, owner, draft)
}

func (site filterSite) sharedRef() waymark.Ref { return waymark.Ref{ID: int64(site.shared.ID)} }

// hasTag reports whether a link has a tag of ada's, or the shared one, by its folded name.
func (site filterSite) hasTag(link waymark.Link, tag string) bool {
	return slices.ContainsFunc(link.Tags, func(t waymark.Tag) bool {
		return waymark.Fold(t.Name) == tag && (t.Owner == site.ada.ID || t.ID == site.shared.ID)
	})
}

func (site filterSite) inList(link waymark.Link, list string) bool {
	return slices.ContainsFunc(link.Lists, func(l waymark.List) bool {
		return waymark.Fold(l.Name) == list && l.Owner == site.ada.ID
	})
}

func textsOf(l waymark.Link) string { return waymark.Fold(l.URL + " " + l.Title + " " + l.Description) }

type filterCases map[string]struct {
	filter waymark.LinkFilter
	want   func(waymark.Link) bool
}

// testFilters compares what ada finds with the links for which a case wants it.
func testFilters(t *testing.T, cases func(filterSite) filterCases) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site := newFilterSite(t, s)
		for name, test := range cases(site) {
			t.Run(name, func(t *testing.T) {
				wantEqual(t, "found", searchIDs(t, s, site.ada, test.filter), idsWhere(site.all, test.want))
			})
		}
	})
}

func TestSearchFiltersByVisibilityDateAndOwner(t *testing.T) {
	testFilters(t, func(site filterSite) filterCases {
		return filterCases{
			"private":                 {where(waymark.IsPrivate), func(l waymark.Link) bool { return l.Visibility == waymark.Private }},
			"internal":                {where(waymark.IsInternal), func(l waymark.Link) bool { return l.Visibility == waymark.Internal }},
			"private and public":      {where(waymark.IsPublic, waymark.IsPrivate), func(waymark.Link) bool { return false }},
			"broken":                  {where(waymark.IsBroken), func(l waymark.Link) bool { return l.Status != waymark.StatusOK }},
			"no tags":                 {where(waymark.IsUntagged), func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"no tags overrides tags":  {where(waymark.IsUntagged), func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"no lists":                {where(waymark.IsUnfiled), func(l waymark.Link) bool { return len(l.Lists) == 0 }},
			"no lists and no tags":    {where(waymark.IsUnfiled, waymark.IsUntagged), func(l waymark.Link) bool { return len(l.Lists)+len(l.Tags) == 0 }},
			"from a time":             {where(waymark.Dated{Field: waymark.SavedAfter, Period: dayOf(site.middle)}), func(l waymark.Link) bool { return dayOf(l.CreatedAt) >= dayOf(site.middle) }},
			"before a time":           {where(waymark.Dated{Field: waymark.SavedBefore, Period: dayOf(site.middle)}), func(l waymark.Link) bool { return dayOf(l.CreatedAt) < dayOf(site.middle) }},
			"of an owner":             {where(waymark.OwnedBy{ID: site.bob.ID}), func(l waymark.Link) bool { return l.Owner == site.bob.ID }},
			"of the viewer, private":  {where(waymark.OwnedBy{ID: site.ada.ID}, waymark.IsPrivate), func(l waymark.Link) bool { return l.Owner == site.ada.ID && l.Visibility == waymark.Private }},
			"private ones of another": {where(waymark.OwnedBy{ID: site.bob.ID}, waymark.IsPrivate), func(waymark.Link) bool { return false }},
		}
	})
}

func TestSearchFiltersByTagsAndLists(t *testing.T) {
	testFilters(t, func(site filterSite) filterCases {
		return filterCases{
			"a tag":                         {where(labeled(waymark.Tags, refs("RED"))), func(l waymark.Link) bool { return site.hasTag(l, "red") }},
			"any tag":                       {where(labeled(waymark.Tags, refs("red", "green", "Red"))), func(l waymark.Link) bool { return site.hasTag(l, "red") || site.hasTag(l, "green") }},
			"every tag":                     {where(withAll(waymark.Tags, refs("red", "green", "Red"))), func(l waymark.Link) bool { return site.hasTag(l, "red") && site.hasTag(l, "green") }},
			"any tag, one unknown":          {where(labeled(waymark.Tags, refs("red", "unknown"))), func(l waymark.Link) bool { return site.hasTag(l, "red") }},
			"every tag, one unknown":        {where(withAll(waymark.Tags, refs("red", "unknown"))), func(waymark.Link) bool { return false }},
			"an unknown tag":                {where(labeled(waymark.Tags, refs("unknown"))), func(waymark.Link) bool { return false }},
			"a name with NUL":               {where(labeled(waymark.Tags, refs("re\x00d"))), func(waymark.Link) bool { return false }},
			"a trashed tag":                 {where(labeled(waymark.Tags, []waymark.Ref{{ID: int64(site.blue.ID)}})), func(waymark.Link) bool { return false }},
			"a trashed tag by name":         {where(labeled(waymark.Tags, refs("blue"))), func(waymark.Link) bool { return false }},
			"a tag of another user":         {where(labeled(waymark.Tags, []waymark.Ref{site.sharedRef()})), func(l waymark.Link) bool { return site.hasTag(l, "shared") }},
			"a tag of another user by name": {where(labeled(waymark.Tags, refs("shared"))), func(waymark.Link) bool { return false }},
			"a hidden tag":                  {where(labeled(waymark.Tags, []waymark.Ref{{ID: int64(site.hidden.ID)}})), func(waymark.Link) bool { return false }},
			"excluding a tag":               {where(waymark.IsBroken, not(labeled(waymark.Tags, refs("red")))), func(l waymark.Link) bool { return l.Status != 1 && !site.hasTag(l, "red") }},
			"excluding several tags":        {where(inURL("https"), not(labeled(waymark.Tags, append(refs("red", "unknown"), site.sharedRef())))), func(l waymark.Link) bool { return !site.hasTag(l, "red") && !site.hasTag(l, "shared") }},
			"excluding a hidden tag":        {where(inURL("https"), not(labeled(waymark.Tags, []waymark.Ref{{ID: int64(site.hidden.ID)}}))), func(waymark.Link) bool { return true }},
			"a list":                        {where(labeled(waymark.Lists, refs("green"))), func(l waymark.Link) bool { return site.inList(l, "green") }},
			"any list":                      {where(labeled(waymark.Lists, refs("green", "blue"))), func(l waymark.Link) bool { return site.inList(l, "green") || site.inList(l, "blue") }},
			"every list":                    {where(withAll(waymark.Lists, refs("green", "blue"))), func(l waymark.Link) bool { return site.inList(l, "green") && site.inList(l, "blue") }},
			"excluding a list":              {where(labeled(waymark.Tags, refs("red")), not(labeled(waymark.Lists, refs("green")))), func(l waymark.Link) bool { return site.hasTag(l, "red") && !site.inList(l, "green") }},
			"a list and a tag":              {where(labeled(waymark.Lists, refs("green")), labeled(waymark.Tags, refs("green"))), func(l waymark.Link) bool { return site.inList(l, "green") && site.hasTag(l, "green") }},
		}
	})
}

func TestSearchFiltersCombineTexts(t *testing.T) {
	testFilters(t, func(site filterSite) filterCases {
		return filterCases{
			"a text with NUL": {where(inURL("s\x00"), labeled(waymark.Tags, refs("red"))), func(waymark.Link) bool { return false }},
			"a text, a list and a tag": {where(inURL(".ORG"), labeled(waymark.Lists, refs("green", "blue")), labeled(waymark.Tags, refs("green"))), func(l waymark.Link) bool {
				return strings.Contains(l.URL, ".org") && (site.inList(l, "green") || site.inList(l, "blue")) && site.hasTag(l, "green")
			}},
			"words": {where(inTexts("Garden"), inTexts("org")), func(l waymark.Link) bool {
				return strings.Contains(textsOf(l), "garden") && strings.Contains(textsOf(l), "org")
			}},
			"excluded words": {where(inTexts("org"), not(inTexts("tea")), not(inTexts("INK")), not(inTexts("\x00"))), func(l waymark.Link) bool {
				return strings.Contains(textsOf(l), "org") && !strings.Contains(textsOf(l), "tea") && !strings.Contains(textsOf(l), "ink")
			}},
			"a word with NUL": {where(inTexts("\x00")), func(waymark.Link) bool { return false }},
			"of an owner, before a time, a tag": {where(waymark.OwnedBy{ID: site.ada.ID}, labeled(waymark.Tags, refs("red")), waymark.Dated{Field: waymark.SavedBefore, Period: dayOf(site.middle)}), func(l waymark.Link) bool {
				return l.Owner == site.ada.ID && dayOf(l.CreatedAt) < dayOf(site.middle) && site.hasTag(l, "red")
			}},
			"a text, broken": {where(inURL("org"), waymark.IsBroken), func(l waymark.Link) bool {
				return strings.Contains(l.URL, "org") && l.Status != waymark.StatusOK
			}},
			"a text, broken and internal": {where(inURL("https:"), waymark.IsInternal, waymark.IsBroken), func(l waymark.Link) bool {
				return l.Status != waymark.StatusOK && l.Visibility == waymark.Internal
			}},
			"a text, private and internal": {where(inURL("https"), waymark.IsInternal, waymark.IsPrivate), func(waymark.Link) bool { return false }},
			"a text, without tags":         {where(inURL("htt"), waymark.IsUntagged), func(l waymark.Link) bool { return len(l.Tags) == 0 }},
			"a text, excluding lists":      {where(inURL("htt"), not(labeled(waymark.Lists, refs("green", "blue")))), func(l waymark.Link) bool { return !site.inList(l, "green") && !site.inList(l, "blue") }},
			"a text, every tag": {where(inURL("htt"), waymark.IsBroken, withAll(waymark.Tags, refs("red", "green"))), func(l waymark.Link) bool {
				return site.hasTag(l, "red") && site.hasTag(l, "green") && l.Status != waymark.StatusOK
			}},
			"all filters": {where(inTitle("s"), waymark.IsPrivate, waymark.IsBroken, labeled(waymark.Lists, refs("green", "blue")), labeled(waymark.Tags, refs("green")), not(labeled(waymark.Lists, refs("red"))), not(labeled(waymark.Tags, refs("red")))), func(l waymark.Link) bool {
				return l.Status != 1 && l.Visibility == 3 && (site.inList(l, "green") || site.inList(l, "blue")) && site.hasTag(l, "green") && !site.hasTag(l, "red") && !site.inList(l, "red")
			}},
		}
	})
}
