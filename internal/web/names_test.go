package web

import (
	"slices"
	"testing"

	"waymark/internal/waymark"
)

func TestNamesInATextFieldHaveCommasBetweenThem(t *testing.T) {
	for text, want := range map[string][]string{
		"":                   nil,
		" , ,":               nil,
		"go, free book ,css": {"go", "free book", "css"},
		`5" disks, "g" `:     {`5" disks`, `"g"`},
		"日本語, ا":             {"日本語", "ا"},
	} {
		if got := parseNames(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestNamesOfOneLinkAreCounted(t *testing.T) {
	current := []nameView{{ID: 1, Name: "Read"}, {ID: 2, Name: "read"}, {ID: 3, Name: "Other"}}
	for text, want := range map[string][]waymark.Ref{
		"":                       {},
		"read":                   {{ID: 1, Name: "Read"}},
		"Read, READ":             {{ID: 1, Name: "Read"}, {ID: 2, Name: "read"}},
		"read, other, read, new": {{ID: 1, Name: "Read"}, {ID: 3, Name: "Other"}, {ID: 2, Name: "read"}, {Name: "new"}},
		"other, other":           {{ID: 3, Name: "Other"}},
	} {
		if got := *refs(parseNames(text), current); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
