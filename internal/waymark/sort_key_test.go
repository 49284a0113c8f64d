package waymark

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNamesAreSortedAsInADictionary(t *testing.T) {
	want := strings.Split("(a|9|9 lives|10|10a|100|a|äpfel|apple|Apple 2|apple 10|Éclair|école|Elf|n|ñ|o|Ø|Ostern|ß|Ssu|Übung|Zebra|αβγ|ёж|жук|あ|中", "|")
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareNames)
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), strings.Join(want, "|"))
	}
}

func FuzzCompareNames(f *testing.F) {
	f.Add("a10", "a9", "a")
	f.Add("0", "00", "1\u0301")
	f.Add("1234567890123456789012345678901234567890", "12", "\u0661\u0662")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if !utf8.ValidString(a + b + c) {
			return
		}
		if CompareNames(a, b) != -CompareNames(b, a) {
			t.Errorf("%q and %q are compared as %d and %d", a, b, CompareNames(a, b), CompareNames(b, a))
		}
		if CompareNames(a, b) < 0 && CompareNames(b, c) < 0 && CompareNames(a, c) >= 0 {
			t.Errorf("%q, %q and %q are in no order", a, b, c)
		}
		if len(SortKey(a)) > maxSortKey {
			t.Errorf("the key of %q has %d bytes", a, len(SortKey(a)))
		}
	})
}
