package web

import (
	"net/url"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestQueriesWithTheSameMeaningAreEqual(t *testing.T) {
	for query, want := range map[string]string{
		"tags=7&lists=4&lists=5,4":                     "lists=4,5&tags=7",
		"order=newest&order=title&page=7&x=1":          "order=newest",
		"order=wrong&view=wrong&since=2026-13-01":      "",
		"visibility=all&broken=2&unfiled=1":            "unfiled=1",
		"content=1&query=a&content=0":                  "content=1&query=a",
		"query=+a%26b+&since=2026-11-01":               "query=a%26b&since=2026-11-01",
		"lists=0,-1,x,99999999999999999999&untagged=1": "untagged=1",
	} {
		values, err := url.ParseQuery(query)
		check(t, err)
		if got := linksQueryOf(values).Encode(); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

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
