package web

import (
	"slices"
	"testing"
)

func TestNamesInATextFieldAreReadAsTheyWereWritten(t *testing.T) {
	for text, want := range map[string][]string{
		"":                   nil,
		" , ,":               nil,
		"go, free book ,css": {"go", "free book", "css"},
		`"a, b", c`:          {"a, b", "c"},
		`"say ""hi""", d`:    {`say "hi"`, "d"},
		`"open, e`:           {`"open`, "e"},
		`"half" quoted, f`:   {`"half" quoted`, "f"},
		`5" disks, "g" `:     {`5" disks`, "g"},
		`"" , h`:             {"h"},
		"日本語, \"ا, ب\"":      {"日本語", "ا, ب"},
	} {
		got := parseNames(text)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if again := parseNames(formatNames(got)); !slices.Equal(again, got) {
			t.Errorf("%q: written and read again: got %q, want %q", text, again, got)
		}
	}
}
