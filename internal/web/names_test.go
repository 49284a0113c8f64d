package web

import (
	"slices"
	"testing"
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
