package web

import (
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestExcerptsShowTheWordsOfAQuery(t *testing.T) {
	filler := strings.Repeat("Lorem ipsum dolor sit amet. ", 20)
	for _, test := range []struct{ text, query, want string }{
		{"The quick brown fox", "FOX qui", "The [qui]ck brown [fox]"},
		{"The quick fox\nA quick brown fox", "brown fox", "A quick [brown] [fox]"},
		{"unquick", "quick", ""},
		{"<b>Straße</b> & STRASSE", "strasse", "<b>[Straße]</b> & [STRASSE]"},
		{"国立国会図書館です", "図書館", "国立国会[図書館]です"},
		{"はGoで", "go", "は[Go]で"},
		{"nothing", "!?", ""},
		{"", "a", ""},
		{filler + "needle " + filler, "needle", "…sit amet. Lorem ipsum dolor sit amet. [needle] " + filler[:excerptAfter-len("needle ")] + "…"},
		{"a\xffb c", "c", "ab [c]"},
	} {
		if got := brackets(excerpt(test.text, waymark.QueryWords(test.query))); got != test.want {
			t.Errorf("%.40q, query %q:\ngot  %s\nwant %s", test.text, test.query, got, test.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("The quick brown fox", "qui fo")
	f.Add("国立国会図書館 <Straße> ｱ", "図書 str")
	f.Fuzz(func(t *testing.T, text, query string) {
		got := brackets(excerpt(text, waymark.QueryWords(query)))
		plain := strings.NewReplacer("[", "", "]", "").Replace(got)
		plain = strings.TrimSuffix(strings.TrimPrefix(plain, "…"), "…")
		text = strings.NewReplacer("\r", "", "\x00", "", "[", "", "]", "").Replace(strings.ToValidUTF8(text, ""))
		plain = strings.NewReplacer("\r", "", "\x00", "", "\ufffd", "").Replace(plain)
		if len(plain) > 4*(excerptBefore+excerptAfter)*16 {
			t.Errorf("an excerpt of %d bytes", len(plain))
		}
		if !strings.Contains(strings.ReplaceAll(text, "\ufffd", ""), strings.Trim(plain, "…")) {
			t.Errorf("%q is no part of %q", plain, text)
		}
	})
}

// A row shows the host of a URL, and in place of the description a part of the rest if a search has found only that.
func TestWordsInThePathOfAURLAreMarked(t *testing.T) {
	const host = "example.org"
	for _, test := range []struct{ path, words, wantHost, wantPath string }{
		{"/a/b", "title", "", ""},
		{"/a/b", "example", "", ""},
		{"/a/b", "b title", host, "/a/[b]"},
		{"/a/b", "org/a", "example.[org]", "[/a]/b"},
		{"?q=needle", "needle", host, "?q=[needle]"},
		{"/Müller?x=1&y", "müller 1&y", host, "/[Müller]?x=[1&y]"},
		{"/" + strings.Repeat("path/", 20) + "needle/" + strings.Repeat("path/", 20), "needle", host, "…path/path/[needle]/" + strings.Repeat("path/", 10) + "pat…"},
	} {
		gotHost, gotPath, ok := pathExcerpt("https://www."+host+test.path, "A title\n"+host, foldAll(strings.Fields(test.words)))
		if brackets(gotHost) != test.wantHost || brackets(gotPath) != test.wantPath || ok != (test.wantPath != "") {
			t.Errorf("%s in %s: got %s and %s, want %s and %s", test.words, test.path, brackets(gotHost), brackets(gotPath), test.wantHost, test.wantPath)
		}
	}
}

func TestDescriptionsShowTheirFirstWordsAndTheMatch(t *testing.T) {
	long := strings.Repeat("word ", 100)
	lead := strings.Repeat("word ", 15) + "word|"
	for _, test := range []struct{ description, words, want string }{
		{"About needles", "needle", "About [needle]s|"},
		{strings.Repeat("word ", 15) + "needle " + long, "needle", strings.Repeat("word ", 15) + "[needle] " + long[:218] + "…|"},
		{strings.Repeat("word ", 16) + "needle", "needle", lead + "…word word [needle]"},
		{long + "needle " + long, "needle", lead + "…word word [needle] " + strings.Repeat("word ", 6) + "wor…"}, // behind what a row contains, too
		{long + "needle " + long, "title", long[:maxRowDescription] + "…|"},
		{long + "haystack", "title haystack", lead + "…word word [haystack]"},
		{long, "", long[:maxRowDescription] + "…|"},
		{strings.Repeat("天", 90) + "気", "気", strings.Repeat("天", 80) + "|…" + strings.Repeat("天", 12) + "[気]"},
	} {
		first, hit := rowDescription(test.description, "A title", foldAll(strings.Fields(test.words)))
		if got := brackets(first) + "|" + brackets(hit); got != test.want {
			t.Errorf("%s in %.40s: got %s, want %s", test.words, test.description, got, test.want)
		}
	}
}
