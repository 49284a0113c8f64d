package waymark_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/waymark"
)

func TestWordsOfATextInManyScripts(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{" \n\t-- !? …", ""},
		{"The quick, the QUICK fox's 2 dens", "2 dens fox quick s the"},
		{"Straße STRASSE ẞ", "ss strasse"},
		{"na\u0308ive näive", "naive"},
		{"Kern\u00adspal\u00adtung co\u200doperate \ufeffend", "cooperate end kernspaltung"},
		{"one\u200btwo", "one two"},
		{"C++ node.js snake_case 3.14 v2", "14 3 c case js node snake v2"},
		{"Москва ёлка", "елка москва"},
		{"Σίσυφος ΑΘΉΝΑ", "αθηνα σισυφοσ"},
		{"مرحبا بالعالم", "بالعالم مرحبا"},
		{"می\u200cخواهم", "میخواهم"},
		{"שָׁלוֹם", "שלום"},
		{"हिन्दी में", "में हिन्दी"},
		{"tiếng Việt", "tieng viet"},
		{"北京图书馆", "京图 书馆 北京 图书 馆"},
		{"在Go中", "go 中 在"},
		{"東京タワー、夜", "ワー 京タ 夜 東京 タワ ー"},
		{"한국어 사전", "국어 사전 어 전 한국"},
		{"一〇〇", "一〇 〇 〇〇"},
		{"𠮷野家", "家 野家 𠮷野"},
		{"🌍 👩‍👩‍👧 ❤️", ""},
		{"\u0301a", "a"},
		{"\xff\x00a\x00b", "a b"},
	} {
		want := strings.Fields(test.want)
		slices.Sort(want)
		if diff := cmp.Diff(want, waymark.SnapshotWords(test.text), cmp.Transformer("", func(s []string) string { return strings.Join(s, "|") })); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

// found reports whether a query finds the snapshot with a text.
func found(query, text string) bool {
	words := waymark.SnapshotWords(text)
	for _, prefix := range waymark.QueryWords(query) {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, prefix) }) {
			return false
		}
	}
	return true
}

func TestQueriesFindWordsByTheirBeginning(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, test := range []struct {
		query, text string
		want        bool
	}{
		{"quick", "The Quick fox", true},
		{"qui FO", "The Quick fox", true},
		{"uick", "The Quick fox", false},
		{"quick wolf", "The Quick fox", false},
		{"quickly", "The Quick fox", false},
		{"ẞ", "STRASSE ss", true},
		{"図書", "国立国会図書館", true},
		{"図書館", "国立国会図書館", true},
		{"館", "国立国会図書館", true},
		{"会", "国立国会図書館", true},
		{"図館", "国立国会図書館", false},
		{"사전", "한국어사전", true},
		{"ประเทศ", "ราชอาณาจักรไทยเป็นประเทศ", true},
		{long, "a " + long + "y", true},
		{long[:64], long, true},
		{strings.Repeat("y", 65), long, false},
	} {
		if got := found(test.query, test.text); got != test.want {
			t.Errorf("query %q, text %q: found %t, want %t", test.query, test.text, got, test.want)
		}
	}
}

func TestQueryWordsThatOthersBeginWithAreLeftOut(t *testing.T) {
	for query, want := range map[string]string{
		"go golang go":  "golang",
		"!? …":          "",
		"b a":           "a b",
		"図書館":           "図書 書館",
		"館":             "館",
		"re read READS": "reads",
		"k l m n o p q r s t long words a b c d e f g h i j": "a b c d e f g h i j k long m n o p q r s words",
	} {
		if got := strings.Join(waymark.QueryWords(query), " "); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}

func TestWordsOfHugeTextsAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range waymark.MaxSnapshotWords + 10 {
		for n := i; ; n /= 26 {
			text.WriteByte(byte('a' + n%26))
			if n < 26 {
				break
			}
		}
		text.WriteByte(' ')
	}
	if n := len(waymark.SnapshotWords(text.String())); n != waymark.MaxSnapshotWords {
		t.Errorf("%d words, want %d", n, waymark.MaxSnapshotWords)
	}
	var long strings.Builder
	for i := range 10_000 {
		long.WriteString(strings.Repeat(string(rune(0x1E000+i%1000)), 2) + strings.Repeat(string(rune(0x10400+i%40)), i%60) + " ")
	}
	size := 0
	for _, word := range waymark.SnapshotWords(long.String()) {
		size += len(word)
	}
	if size == 0 || size > waymark.MaxSnapshotWordBytes {
		t.Errorf("words of %d bytes, want at most %d", size, waymark.MaxSnapshotWordBytes)
	}
}

func FuzzWords(f *testing.F) {
	for _, text := range []string{"The quick fox", "国立国会図書館 ー", "한국어 사전", "na\u0308ive \u00ad\u200b", "\xff\x00", strings.Repeat("ａ", 80)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := waymark.SnapshotWords(text)
		if !slices.IsSorted(words) || len(slices.Compact(slices.Clone(words))) != len(words) {
			t.Errorf("%q is not sorted or has a word twice", words)
		}
		for _, word := range words {
			if n := utf8.RuneCountInString(word); n == 0 || n > waymark.MaxWordLength || !utf8.ValidString(word) || strings.ContainsAny(word, " \"'*\\\x00") || waymark.Fold(word) != word {
				t.Errorf("%q is no word", word)
			}
			if n := len(waymark.QueryWords(word)); n == 0 {
				t.Errorf("a query for the word %q has no words", word)
			}
			if !found(word, text) {
				t.Errorf("the word %q is not found", word)
			}
		}
		if !found(text, text) {
			t.Errorf("%q does not find itself", text)
		}
	})
}
