package waymark_test

import (
	"testing"

	"waymark/internal/waymark"
)

func TestIDsInSavedQueriesAreMapped(t *testing.T) {
	for query, want := range map[string]string{
		"query=lists%3D7&order=title":  "query=lists%3D7&order=title",
		"lists=7":                      "lists=107",
		"lists=7,8&tags=7":             "lists=107,108&tags=207",
		"lists=7%2C8&tags=7&tags=9":    "lists=107,108&tags=207&tags=209",
		"lists=0,-1,x,,7":              "lists=0,-1,x,,107",
		"by=ada&lists=7":               "by=bob&lists=107",
		"by=%C3%84da":                  "by=%C3%84da",
		"by=%zz&a=%zz&lists&tags=&&=1": "by=%zz&a=%zz&lists&tags=&&=1",
		"":                             "",
	} {
		got := waymark.MapSavedQuery(query,
			func(id int64) int64 { return id + 100 },
			func(id int64) int64 { return id + 200 },
			func(name string) string {
				if name == "ada" {
					return "bob"
				}
				return name
			})
		if got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}
