package store_test

import (
	"math"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestListsAndTagsOfLinksMayHaveAnyText(t *testing.T) {
	texts := []string{
		"plain", "12:34", ":", "::", "5:hello", "-1:", `"quoted" 'text'`, `back\slash`, "a,b|c||d", "tab\tline\nfeed\r\x01\x1f\x7f",
		"é e\u0301 Straße ΑΒΓ я 中文 日本語 😀 👩‍👩‍👧", "\u200f\u202e\ufeff\ufffd", "$1 ? %s {}", " spaces ", strings.Repeat("ä😀", 100),
	}
	for r := rune(1); r < 0x20; r++ {
		texts = append(texts, "control "+string(r)+" character")
	}
	now := func() waymark.Time { return math.MaxInt64 - 1 }
	storetest.EachWith(t, store.Options{Now: now}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Lists, draft.Tags = nil, nil
		var lists []waymark.List
		var tags []waymark.Tag
		for i, text := range texts {
			lists = append(lists, waymark.List{Name: text, Description: texts[len(texts)-1-i], Visibility: waymark.Private})
			tags = append(tags, waymark.Tag{Name: text, Visibility: waymark.Private})
		}
		lists = append(lists, waymark.List{Name: "no description", Visibility: waymark.Private})
		lists, err := s.CreateLists(t.Context(), ada.ID, lists)
		check(t, err)
		tags, err = s.CreateTags(t.Context(), ada.ID, tags)
		check(t, err)
		listsByID, tagsByID := map[waymark.ListID]waymark.List{}, map[waymark.TagID]waymark.Tag{}
		for _, list := range lists {
			listsByID[list.ID] = list
			draft.Lists = append(draft.Lists, waymark.Ref{ID: int64(list.ID)})
		}
		for _, tag := range tags {
			tagsByID[tag.ID] = tag
			draft.Tags = append(draft.Tags, waymark.Ref{ID: int64(tag.ID)})
		}
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		for _, got := range link.Lists {
			wantEqual(t, "list", got, listsByID[got.ID])
		}
		for _, got := range link.Tags {
			wantEqual(t, "tag", got, tagsByID[got.ID])
		}
		if len(link.Lists) != len(lists) || len(link.Tags) != len(tags) {
			t.Errorf("got %d lists and %d tags, want %d and %d", len(link.Lists), len(link.Tags), len(lists), len(tags))
		}
	})
}
