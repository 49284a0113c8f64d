package web

import (
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestMatchesAreMarked(t *testing.T) {
	for _, test := range []struct{ text, words, want string }{
		{"Programming Go", "GO gram", "Pro[gram]ming [Go]"},
		{"<b>bold</b>", "b", "<[b]>[b]old</[b]>"},
		{"Straße", "STRASSE", "[Straße]"},
		{"Cafe\u0301 noir", "café", "[Cafe\u0301] noir"},
		{"日本語の本", "本", "日[本]語の[本]"},
		{"nothing", "", "nothing"},
		{"aaa", "aa", "[aa]a"},
	} {
		if got := brackets(marked(test.text, foldAll(strings.Fields(test.words)))); got != test.want {
			t.Errorf("%q in %q: got %s, want %s", test.words, test.text, got, test.want)
		}
	}
}

func FuzzMarked(f *testing.F) {
	f.Add("Straße <b>", "strasse")
	f.Fuzz(func(t *testing.T, text, word string) {
		var whole strings.Builder
		for _, part := range marked(text, []string{waymark.Fold(word)}) {
			whole.WriteString(part.Text)
		}
		if whole.String() != text {
			t.Errorf("%q in %q: the parts are %q together", word, text, whole.String())
		}
	})
}

// brackets returns the parts of a text with those in brackets that are marked.
func brackets(parts []textPart) string {
	var b strings.Builder
	for _, part := range parts {
		if part.Mark {
			b.WriteString("[" + part.Text + "]")
		} else {
			b.WriteString(part.Text)
		}
	}
	return b.String()
}
