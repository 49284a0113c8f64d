package store_test

import (
	"fmt"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// A guest has the user id 0, which is the value of visible_to for public entities.
func TestGuestSeesPublicLinksInEveryOrder(t *testing.T) {
	storetest.EachWith(t, store.Options{Now: repeatingClock()}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		all := slices.Concat(storetest.Fill(t, s, ada, 900), storetest.Fill(t, s, bob, 900))
		public := visibleLinks(waymark.Guest, all)
		moveToTrash(t, s, ada, waymark.Links, idsWhere(all, func(link waymark.Link) bool {
			return link.Owner == ada.ID && link.ID%20 == 0
		})...)
		want := slices.DeleteFunc(public, func(link waymark.Link) bool { return link.Owner == ada.ID && link.ID%20 == 0 })
		if len(want) < 510 {
			t.Fatalf("%d links are public: too few for several batches", len(want))
		}
		for _, link := range want {
			if link.Visibility != waymark.Public {
				t.Fatalf("the test expects link %d, which is %s", link.ID, link.Visibility)
			}
		}
		checkOrders(t, withoutLabels(s.Links), waymark.Guest, want, linkID, waymark.LinkSortFields, compareLinks)
	})
}

func TestGuestFindsPublicLinks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		all := slices.Concat(storetest.Fill(t, s, ada, 60), storetest.Fill(t, s, bob, 60))
		for _, text := range []string{"s:", "ttp", "https", ".example", "a", "straße"} {
			for _, state := range []waymark.Condition{nil, waymark.IsPublic, waymark.IsInternal, waymark.IsPrivate} {
				filter := waymark.LinkFilter{Where: waymark.AndOf(inTitle(text), state)}
				want := idsWhere(all, func(link waymark.Link) bool {
					return link.Visibility == waymark.Public && (state == nil || state == waymark.IsPublic) && matchesText(link, inTitle(text))
				})
				wantEqual(t, fmt.Sprintf("search for %q in the state %v", text, state),
					searchIDs(t, s, waymark.User{ID: waymark.Guest}, filter), want)
			}
		}
		for name, test := range map[string]struct {
			filter waymark.LinkFilter
			want   func(waymark.Link) bool
		}{
			"private links": {where(waymark.IsPrivate), func(waymark.Link) bool { return false }},
			"broken links":  {where(waymark.IsBroken), func(link waymark.Link) bool { return link.Status != waymark.StatusOK }},
			// All lists and tags of this test are private, so that a guest sees none.
			"links without tags":  {where(waymark.IsUntagged), func(waymark.Link) bool { return true }},
			"links without lists": {where(waymark.IsUnfiled), func(waymark.Link) bool { return true }},
			"a tag by name":       {where(labeled(waymark.Tags, refs("garden"))), func(waymark.Link) bool { return false }},
		} {
			want := idsWhere(all, func(link waymark.Link) bool { return link.Visibility == waymark.Public && test.want(link) })
			wantEqual(t, name, searchIDs(t, s, waymark.User{ID: waymark.Guest}, test.filter), want)
		}
	})
}

func TestGuestSeesPublicLinksOfListsAndTags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		guest, ada := waymark.User{ID: waymark.Guest}, storetest.User(t, s, "ada")
		var lists, tags []waymark.Ref
		for v := waymark.Public; v <= waymark.Private; v++ {
			lists = append(lists, waymark.Ref{ID: int64(createList(t, s, ada, v.String()+" list", v).ID)})
			tags = append(tags, waymark.Ref{ID: int64(createTag(t, s, ada, v.String()+" tag", v).ID)})
		}
		created := map[waymark.Visibility]waymark.Link{}
		for v := waymark.Public; v <= waymark.Private; v++ {
			draft := storetest.Draft(int(v))
			draft.Link.Visibility, draft.Lists, draft.Tags = v, lists, tags
			created[v] = storetest.CreateLinks(t, s, ada, draft)[0]
		}
		public := created[waymark.Public]

		wantLabels(t, s, guest, public.ID, "[public list] [public tag]")
		listed := allLinks(t, s, guest)
		wantIDs(t, "links", listed, linkID, public.ID)
		wantIDs(t, "lists of the listed link", listed[0].Lists, listID, public.Lists[2].ID)
		wantIDs(t, "tags of the listed link", listed[0].Tags, tagID, public.Tags[2].ID)
		for name, page := range map[string]store.Page[waymark.Link]{
			"links of the public list": readPage(t, s.LinksOfList(guest.ID, waymark.ListID(lists[0].ID), byID, unlimited)),
			"links of the public tag":  readPage(t, s.LinksOfTag(guest.ID, waymark.TagID(tags[0].ID), byID, unlimited)),
			"search by the list":       readPage(t, s.SearchLinks(guest.ID, where(labeled(waymark.Lists, lists[:1])), byID, unlimited)),
			"search by the tag":        readPage(t, s.SearchLinks(guest.ID, where(labeled(waymark.Tags, tags[:1])), byID, unlimited)),
		} {
			wantIDs(t, name, page.Entities, linkID, public.ID)
			if page.Total != 1 {
				t.Errorf("%s: got total %d, want 1", name, page.Total)
			}
		}
		for _, filter := range []waymark.LinkFilter{where(labeled(waymark.Lists, lists[1:])), where(labeled(waymark.Tags, tags[1:])), where(withAll(waymark.Tags, tags)), where(withAll(waymark.Lists, lists))} {
			wantEqual(t, fmt.Sprintf("search %+v", filter), searchIDs(t, s, guest, filter), []waymark.LinkID{})
		}

		publicLists := readPage(t, s.Lists(guest.ID, waymark.Order{By: waymark.SortByName}, unlimited))
		wantIDs(t, "lists", publicLists.Entities, listID, waymark.ListID(lists[0].ID))
		publicTags := readPage(t, s.Tags(guest.ID, waymark.Order{By: waymark.SortByName}, unlimited))
		wantIDs(t, "tags", publicTags.Entities, tagID, waymark.TagID(tags[0].ID))
		if publicLists.Total != 1 || publicTags.Total != 1 {
			t.Errorf("got totals %d and %d, want 1 list and 1 tag", publicLists.Total, publicTags.Total)
		}
		for v, link := range created {
			_, err := s.Link(t.Context(), guest.ID, link.ID)
			if v == waymark.Public {
				wantError(t, "public link", err, nil)
			} else {
				wantError(t, v.String()+" link", err, waymark.ErrForbidden)
			}
			if found, err := s.HasURL(t.Context(), guest.ID, link.URL); err != nil || found != (v == waymark.Public) {
				t.Errorf("%s link: HasURL returns %t (error %v)", v, found, err)
			}
		}
	})
}

func TestGuestSeesPublicNotes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		guest, ada := waymark.User{ID: waymark.Guest}, storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		var public waymark.Note
		for v := waymark.Private; v >= waymark.Public; v-- {
			public = createNote(t, s, ada, link.ID, v.String(), v)
		}
		wantIDs(t, "notes", notesOf(t, s, guest, link.ID), noteID, public.ID)
	})
}
