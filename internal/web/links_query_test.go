package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/waymark"
)

func TestWordsOfTheField(t *testing.T) {
	for text, want := range map[string][]word{
		"go":                            {{"go", plainWord, "go"}},
		`go "hello world"`:              {{"go", plainWord, "go"}, {`"hello world"`, plainWord, "hello world"}},
		"-go":                           {{"-go", excludedWord, "go"}},
		"-":                             {{"-", plainWord, "-"}},
		"#to-read":                      {{"#to-read", tagWord, "to-read"}},
		`#"to read"`:                    {{`#"to read"`, tagWord, "to read"}},
		"# tag:":                        {{"#", plainWord, "#"}, {"tag:", plainWord, "tag:"}},
		`Tag:go tag:"to read"`:          {{"Tag:go", tagWord, "go"}, {`tag:"to read"`, tagWord, "to read"}},
		"list:Go is:broken":             {{"list:Go", listWord, "Go"}, {"is:broken", stateWord, "broken"}},
		"IS:Private is:nothing":         {{"IS:Private", stateWord, "private"}, {"is:nothing", plainWord, "is:nothing"}},
		"in:Snapshot in:copy in:copies": {{"in:Snapshot", contentWord, "snapshot"}, {"in:copy", contentWord, "snapshot"}, {"in:copies", plainWord, "in:copies"}},
		"  \t 日本　語 ":                    {{"日本", plainWord, "日本"}, {"語", plainWord, "語"}},
		`"unclosed words`:               {{`"unclosed words`, plainWord, "unclosed words"}},
		`""`:                            nil,
	} {
		if diff := cmp.Diff(want, parseWords(text), cmp.AllowUnexported(word{})); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

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
		if err != nil {
			t.Fatal(err)
		}
		if got := linksQueryOf(values).Encode(); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

func TestMatchesAreMarked(t *testing.T) {
	for _, test := range []struct{ text, words, want string }{
		{"Programming Go", "GO gram", "Pro<mark>gram</mark>ming <mark>Go</mark>"},
		{"<b>bold</b>", "b", "&lt;<mark>b</mark>&gt;<mark>b</mark>old&lt;/<mark>b</mark>&gt;"},
		{"Straße", "STRASSE", "<mark>Straße</mark>"},
		{"Cafe\u0301 noir", "café", "<mark>Cafe\u0301</mark> noir"},
		{"日本語の本", "本", "日<mark>本</mark>語の<mark>本</mark>"},
		{"nothing", "", "nothing"},
		{"aaa", "aa", "<mark>aa</mark>a"},
	} {
		if got := string(marked(test.text, foldAll(strings.Fields(test.words)))); got != test.want {
			t.Errorf("%q in %q: got %s, want %s", test.words, test.text, got, test.want)
		}
	}
}

func FuzzMarked(f *testing.F) {
	f.Add("Straße <b>", "strasse")
	f.Fuzz(func(t *testing.T, text, word string) {
		got := string(marked(text, []string{waymark.Fold(word)}))
		plain := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(got)
		if strings.ContainsAny(plain, "<>") {
			t.Errorf("%q in %q: got %s, with a tag", word, text, got)
		}
		if strings.Count(got, "<mark>") != strings.Count(got, "</mark>") {
			t.Errorf("%q in %q: got %s, which is not balanced", word, text, got)
		}
	})
}
