package web

import (
	"html"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestExcerptsShowTheWordsOfAQuery(t *testing.T) {
	filler := strings.Repeat("Lorem ipsum dolor sit amet. ", 20)
	for _, test := range []struct{ text, query, want string }{
		{"The quick brown fox", "FOX qui", "The <mark>qui</mark>ck brown <mark>fox</mark>"},
		{"The quick fox\nA quick brown fox", "brown fox", "A quick <mark>brown</mark> <mark>fox</mark>"},
		{"unquick", "quick", ""},
		{"<b>Straße</b> & STRASSE", "strasse", "&lt;b&gt;<mark>Straße</mark>&lt;/b&gt; &amp; <mark>STRASSE</mark>"},
		{"国立国会図書館です", "図書館", "国立国会<mark>図書館</mark>です"},
		{"はGoで", "go", "は<mark>Go</mark>で"},
		{"nothing", "!?", ""},
		{"", "a", ""},
		{filler + "needle " + filler, "needle", "…sit amet. Lorem ipsum dolor sit amet. <mark>needle</mark> " + filler[:excerptAfter-len("needle ")] + "…"},
		{"a\xffb c", "c", "ab <mark>c</mark>"},
	} {
		if got := string(excerpt(test.text, waymark.QueryWords(test.query))); got != test.want {
			t.Errorf("%.40q, query %q:\ngot  %s\nwant %s", test.text, test.query, got, test.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("The quick brown fox", "qui fo")
	f.Add("国立国会図書館 <Straße> ｱ", "図書 str")
	f.Fuzz(func(t *testing.T, text, query string) {
		got := string(excerpt(text, waymark.QueryWords(query)))
		plain := html.UnescapeString(strings.NewReplacer("<mark>", "", "</mark>", "").Replace(got))
		plain = strings.TrimSuffix(strings.TrimPrefix(plain, "…"), "…")
		text = strings.NewReplacer("\r", "", "\x00", "").Replace(html.UnescapeString(strings.ToValidUTF8(text, "")))
		plain = strings.NewReplacer("\r", "", "\x00", "", "\ufffd", "").Replace(html.UnescapeString(plain))
		if len(plain) > 4*(excerptBefore+excerptAfter)*16 {
			t.Errorf("an excerpt of %d bytes", len(plain))
		}
		if !strings.Contains(strings.ReplaceAll(text, "\ufffd", ""), strings.Trim(plain, "…")) {
			t.Errorf("%q is no part of %q", plain, text)
		}
	})
}

// A row shows the host of a URL. It shows a part of the rest if a search has found that.
func TestWordsInTheHiddenPartOfAURLAreMarked(t *testing.T) {
	const host = "example.org"
	for _, test := range []struct{ path, words, want string }{
		{"/a/b", "title", ""},
		{"/a/b", "example", ""},
		{"/a/b", "b title", "example.org/a/<mark>b</mark>"},
		{"/a/b", "org/a", "example.<mark>org/a</mark>/b"},
		{"/Müller?x=1&y", "müller 1&y", "example.org/<mark>Müller</mark>?x=<mark>1&amp;y</mark>"},
		{"/" + strings.Repeat("path/", 20) + "needle/" + strings.Repeat("path/", 20), "needle", host + "…path/path/<mark>needle</mark>/" + strings.Repeat("path/", 10) + "pat…"},
	} {
		if got := string(urlExcerpt("https://www."+host+test.path, host, "A title\n"+host, foldAll(strings.Fields(test.words)))); got != test.want {
			t.Errorf("%s in %s: got %s, want %s", test.words, test.path, got, test.want)
		}
	}
}
