package web

import (
	"slices"
	"strings"
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

// namesOfLists returns the names of lists with commas between them.
func namesOfLists(lists []waymark.List) string {
	return strings.Join(waymark.Map(lists, func(list waymark.List) string { return list.Name }), ", ")
}
