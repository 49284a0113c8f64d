package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func labelCounts[T any](labels []T, text func(T) string) string {
	var all []string
	for _, label := range labels {
		all = append(all, text(label))
	}
	return strings.Join(all, ", ")
}

func sidebarCount[I waymark.ListID | waymark.TagID](l waymark.SidebarLabel[I]) string {
	return fmt.Sprint(l.Name, " ", l.LinkCount)
}
func listCount(l waymark.List) string { return fmt.Sprint(l.Name, " ", l.LinkCount) }
func tagCount(t waymark.Tag) string   { return fmt.Sprint(t.Name, " ", t.LinkCount) }

func TestSidebarHasPinnedAndMostUsedListsAndTags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var tags []string
		for i := range 9 { // tag 0 has one link, tag 8 has nine
			tags = append(tags, fmt.Sprint("tag ", 8-i))
			storetest.Link(t, s, ada, fmt.Sprint("https://a.example/", i), waymark.Private, tags...)
		}
		shared := createTag(t, s, bob, "of bob", waymark.Public)
		hidden := createTag(t, s, bob, "hidden", waymark.Public)
		first := createTag(t, s, ada, "a pinned one", waymark.Private)
		list := createList(t, s, ada, "a list", waymark.Private)
		storetest.Link(t, s, bob, "https://b.example/", waymark.Private)
		must := func(err error) {
			t.Helper()
			check(t, err)
		}
		for _, id := range []waymark.TagID{shared.ID, hidden.ID, first.ID, first.ID} {
			must(s.PinTag(ctx, ada.ID, id, true))
		}
		_, err := s.ChangeTag(ctx, bob.ID, hidden.ID, func(tag *waymark.Tag) error { tag.Visibility = waymark.Private; return nil })
		must(err)
		_, err = s.ChangeLink(ctx, ada, 1, nil, &[]waymark.Ref{{ID: int64(shared.ID)}, {Name: "tag 8"}}, func(l *waymark.Link, _ waymark.Target) error { l.Status = waymark.StatusBroken; return nil })
		must(err)
		storetest.Link(t, s, ada, "https://unfiled.example/", waymark.Public)
		moveToTrash(t, s, ada, waymark.Links, storetest.Link(t, s, ada, "https://trash.example/", waymark.Public).ID)
		sidebar, err := s.Sidebar(ctx, ada.ID)
		must(err)
		wantEqual(t, "counts", sidebar.Counts, waymark.Counts{Links: 10, Lists: 1, Tags: 11, Trash: 1})
		wantEqual(t, "tags", labelCounts(sidebar.Tags, sidebarCount), "a pinned one 0, of bob 1, tag 8 9, tag 7 8, tag 6 7, tag 5 6, tag 4 5")
		wantEqual(t, "lists", labelCounts(sidebar.Lists, sidebarCount), "a list 0")
		must(s.PinTag(ctx, ada.ID, first.ID, false))
		must(s.PinList(ctx, ada.ID, list.ID, true))
		for what, check := range map[string]func() (bool, error){
			"the list":      func() (bool, error) { return s.ListPinned(ctx, ada.ID, list.ID) },
			"the first tag": func() (bool, error) { return s.TagPinned(ctx, ada.ID, first.ID) },
			"of bob":        func() (bool, error) { return s.TagPinned(ctx, ada.ID, shared.ID) },
		} {
			pinned, err := check()
			must(err)
			if want := what != "the first tag"; pinned != want {
				t.Errorf("%s: pinned %t, want %t", what, pinned, want)
			}
		}
		wantError(t, "pin a hidden tag", s.PinTag(ctx, ada.ID, hidden.ID, true), waymark.ErrForbidden)
		wantError(t, "pin an unknown list", s.PinList(ctx, ada.ID, 99, true), waymark.ErrNotFound)
		sidebar, err = s.Sidebar(ctx, ada.ID)
		must(err)
		wantEqual(t, "tags", labelCounts(sidebar.Tags, sidebarCount), "of bob 1, tag 8 9, tag 7 8, tag 6 7, tag 5 6, tag 4 5, tag 3 4")
		wantEqual(t, "lists", labelCounts(sidebar.Lists, sidebarCount), "a list 0")
		counts, err := s.CountLinks(ctx, ada.ID, []waymark.LinkFilter{{}, where(waymark.IsBroken), where(labeled(waymark.Tags, refs("tag 7"))), where(labeled(waymark.Tags, refs("no such tag")))})
		must(err)
		wantEqual(t, "counts of filters", counts, []int{10, 1, 8, 0})
		guest, err := s.Sidebar(ctx, waymark.Guest)
		must(err)
		wantEqual(t, "counts of a guest", guest.Counts, waymark.Counts{Links: 1, Tags: 1})
	})
}

func TestCompletionsAreSortedByMatchAndUse(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		for i, names := range [][]string{
			{"go", "golang", "my-go", "cargo", "algorithms", "Gopher", "ego go"},
			{"golang", "cargo", "ego", "mango"}, {"Gopher", "cargo", "GO-lang"}, {"gopher"},
		} {
			storetest.Link(t, s, ada, fmt.Sprint("https://a.example/", i), waymark.Private, names...)
		}
		createTag(t, s, bob, "go away", waymark.Public)
		moveToTrash(t, s, ada, waymark.Tags, createTag(t, s, ada, "good", waymark.Private).ID)
		for text, want := range map[string]string{
			"GO":   "go 1, Gopher 3, golang 2, GO-lang 1, ego go 1, my-go 1, cargo 3, algorithms 1",
			"gol":  "golang 2",
			"lang": "GO-lang 1, golang 2",
			"xyz":  "",
			"\x00": "",
			"":     "cargo 3, Gopher 3, golang 2, algorithms 1, ego 1, ego go 1, go 1, GO-lang 1",
		} {
			got, err := s.CompleteTags(t.Context(), ada.ID, text)
			check(t, err)
			wantEqual(t, fmt.Sprintf("tags for %q", text), labelCounts(got, tagCount), want)
		}
		createList(t, s, ada, "Reading", waymark.Private)
		got, err := s.CompleteLists(t.Context(), ada.ID, "ing")
		check(t, err)
		wantEqual(t, "lists", labelCounts(got, listCount), "Reading 0")

		storetest.Link(t, s, bob, "https://b.example/", waymark.Public, "go away", "go secret")
		storetest.Link(t, s, bob, "https://b.example/private", waymark.Private, "go away")
		others, err := s.CompleteTagsOfOthers(t.Context(), ada.ID, "go")
		check(t, err)
		wantEqual(t, "tags of others", labelCounts(others, tagCount), "go away 1")
		createList(t, s, bob, "Writing", waymark.Internal)
		createList(t, s, bob, "Boring", waymark.Private)
		got, err = s.CompleteListsOfOthers(t.Context(), ada.ID, "ing")
		check(t, err)
		wantEqual(t, "lists of others", labelCounts(got, listCount), "Writing 0")
	})
}

func TestLinkByURLPrefersTheActiveLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		const url = "https://a.example/"
		storetest.Link(t, s, bob, url, waymark.Public)
		find := func(what string, want waymark.LinkID, trashed bool) {
			t.Helper()
			link, err := s.LinkByURL(t.Context(), ada.ID, url)
			if want == 0 {
				wantError(t, what, err, waymark.ErrNotFound)
			} else if err != nil || link.ID != want || (link.DeletedAt != 0) != trashed {
				t.Errorf("%s: got %+v, %v, want link %d", what, link, err, want)
			}
		}
		find("not saved", 0, false)
		first := storetest.Link(t, s, ada, url, waymark.Private)
		find("saved", first.ID, false)
		moveToTrash(t, s, ada, waymark.Links, first.ID)
		find("in the trash", first.ID, true)
		second := storetest.Link(t, s, ada, url, waymark.Private)
		find("saved again", second.ID, false)
		moveToTrash(t, s, ada, waymark.Links, second.ID)
		find("in the trash twice", second.ID, true)
		if _, err := s.LinkByURL(t.Context(), ada.ID, "\x00"); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("a URL that cannot be stored: got %v", err)
		}
	})
}
