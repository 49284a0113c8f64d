package query_test

import (
	"testing"

	"waymark/internal/query"
	"waymark/internal/waymark"
)

func TestSavedSearchesAreMapped(t *testing.T) {
	for saved, want := range map[string]string{
		"query=lists%3D7&order=title":  "query=lists%3D7&order=title",
		"lists=7":                      "lists=107",
		"lists=7,8&tags=7":             "lists=107,108&tags=207",
		"lists=7%2C8&tags=7&tags=9":    "lists=107,108&tags=207&tags=209",
		"lists=0,-1,x,,7":              "lists=0,-1,x,,107",
		"lists=99&query=list%3A%2399":  "lists=9007199254740991&query=list%3A%239007199254740991",
		"by=ada&lists=7":               "by=bob&lists=107",
		"by=%C3%84da":                  "by=%C3%84da",
		"by=eve":                       "by=",
		"by=%zz&a=%zz&lists&tags=&&=1": "by=%zz&a=%zz&lists&tags=&&=1",
		"query=%zz":                    "query=%zz",
		"query=a++tag%3Ago":            "query=a++tag%3Ago",
		"query=by%3Aada+-%23work+list%3A%237+OR+tag%3A%237": "query=by%3Abob+-tag%3A%23300+list%3A%23107+OR+tag%3A%23207",
		"query=by%3Aeve": "query=is%3Amine",
		"":               "",
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
