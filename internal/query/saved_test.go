package query_test

import (
	"testing"

	"waymark/internal/query"
	"waymark/internal/waymark"
)

func TestSavedSearchesAreMapped(t *testing.T) {
	for saved, want := range map[string]string{
		"lists=7 a  b":       "lists=7 a  b",
		"list:#7 tag:#7":     "list:#107 tag:#207",
		"list:x  only:#7":    "list:x only:#107",
		"list:#99 OR -#work": "list:#9007199254740991 OR -tag:#300",
		"by:ada  (":          "by:bob \"(\"",
		"by:eve":             "is:mine",
		"by:Äda":             "by:Äda",
		"":                   "",
	} {
		got := query.MapSaved(saved, func(c waymark.Condition) waymark.Condition {
			switch c := c.(type) {
			case waymark.OwnedBy:
				switch c.Name {
				case "ada":
					return waymark.OwnedBy{Name: "bob"}
				case "eve":
					return waymark.IsMine
				}
			case waymark.Labeled:
				switch ref := c.Refs[0]; {
				case ref.ID == 99:
					return waymark.Or{}
				case ref.ID != 0 && c.Kind == waymark.Lists:
					c.Refs = []waymark.Ref{{ID: ref.ID + 100}}
				case ref.ID != 0:
					c.Refs = []waymark.Ref{{ID: ref.ID + 200}}
				case ref.Name == "work":
					c.Refs = []waymark.Ref{{ID: 300}}
				}
				return c
			}
			return c
		})
		if got != want {
			t.Errorf("%s: got %s, want %s", saved, got, want)
		}
	}
}
