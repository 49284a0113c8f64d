package store_test

import (
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestSuggestFindsPartsOfNames(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		for _, name := range []string{"Straße", "stradivari", "Zebra", "100%", "under_score", "Ärger", "東京", "İstanbul"} {
			createTag(t, s, ada, name, waymark.Private)
			createList(t, s, ada, name, waymark.Private)
		}
		createTag(t, s, bob, "strange", waymark.Public)
		createList(t, s, bob, "strange", waymark.Public)
		moveToTrash(t, s, ada, waymark.Tags, createTag(t, s, ada, "strand", waymark.Private).ID)
		moveToTrash(t, s, ada, waymark.Lists, createList(t, s, ada, "strand", waymark.Private).ID)
		for _, test := range []struct {
			text  string
			limit int
			want  string
		}{
			{"STRA", 0, "stradivari Straße"},
			{"STRASSE", 0, "Straße"},
			{"a", 0, "İstanbul stradivari Straße Zebra"},
			{"a", 2, "İstanbul stradivari"},
			{"%", 0, "100%"},
			{"_", 0, "under_score"},
			{"äR", 0, "Ärger"},
			{"A\u0308r", 0, "Ärger"},
			{"京", 0, "東京"},
			{"i", 1, "İstanbul"},
			{"no such name", 0, ""},
			{"\x00", 0, ""},
			{"\xff", 0, ""},
			{"", 3, "100% İstanbul stradivari"},
		} {
			tags := readPage(t, s.SuggestTags(ada.ID, test.text, test.limit)).Entities
			lists := readPage(t, s.SuggestLists(ada.ID, test.text, test.limit)).Entities
			var tagNames, listNames []string
			for _, tag := range tags {
				tagNames = append(tagNames, tag.Name)
			}
			for _, list := range lists {
				listNames = append(listNames, list.Name)
			}
			if got := strings.Join(tagNames, " "); got != test.want {
				t.Errorf("tags with %q, limit %d: got %q, want %q", test.text, test.limit, got, test.want)
			}
			if got := strings.Join(listNames, " "); got != test.want {
				t.Errorf("lists with %q, limit %d: got %q, want %q", test.text, test.limit, got, test.want)
			}
		}
	})
}
