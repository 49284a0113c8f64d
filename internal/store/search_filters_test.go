package store_test

import (
	"slices"
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
	check(t, err)
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
