package api

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parameters returns "name=value" pairs as a query string.
func parameters(pairs ...string) string {
	values := url.Values{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		values.Add(name, value)
	}
	return values.Encode()
}

func TestSearchFindsSubstrings(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, link := range []string{
			`{"url":"https://go.dev/doc/effective_go","title":"A","description":"Über Straßen"}`,
			`{"url":"https://example.org/100%25?q=a_b","title":"B 100% \"quoted\" it's","description":"x"}`,
			`{"url":"https://例え.example/パス","title":"C 日本語のタイトル"}`,
			`{"url":"https://example.org/Ж","title":"D ПРИВЕТ мир","description":"a\\b *star* (paren) AND OR NOT NEAR"}`,
			`{"url":"https://emoji.example","title":"E 👩‍👩‍👧 café","description":"caf` + "e\u0301" + ` o\nnewline"}`,
		} {
			ann.link(t, link)
		}
		for _, test := range []struct{ name, parameters, want string }{
			{"part of the URL", "query=effective", "A"},
			{"other case", "query=EFFECTIVE_Go", "A"},
			{"one letter", "query=ж", "D"},
			{"two letters", "query=ДО", ""},
			{"two letters, found", "query=パス", "C"},
			{"three letters", "query=dev", "A"},
			{"whole URL", "query=https://go.dev/doc/effective_go", "A"},
			{"longer than the URL", "query=https://go.dev/doc/effective_goo", ""},
			{"title without search_title", "query=quoted", ""},
			{"title with search_title", "query=quoted|search_title=1", "B"},
			{"description without search_description", "query=Straßen|search_title=1", ""},
			{"description with search_description", "query=Straßen|search_description=1", "A"},
			{"ß is ss", "query=STRASSEN|search_description=1", "A"},
			{"percent sign", "query=100%|search_title=1", "B"},
			{"percent sign is not a wildcard", "query=1%0|search_title=1", ""},
			{"underscore", "query=a_b", "B"},
			{"underscore is not a wildcard", "query=go_dev", ""},
			{"quotes", "query=\"quoted\"|search_title=1", "B"},
			{"a single quote", "query=it's|search_title=1", "B"},
			{"three quotes", "query=\"\"\"|search_title=1", ""},
			{"a backslash", "query=a\\b|search_description=1", "D"},
			{"stars and brackets", "query=*star* (paren)|search_description=1", "D"},
			{"operators", "query=AND OR NOT NEAR|search_description=1", "D"},
			{"single operator", "query=OR|search_description=1", "B D"},
			{"Cyrillic in any case", "query=привет МИР|search_title=1", "D"},
			{"Japanese", "query=本語の|search_title=1", "C"},
			{"two Japanese letters", "query=日本|search_title=1", "C"},
			{"emoji of several code points", "query=👩‍👩‍👧|search_title=1", "E"},
			{"part of that emoji", "query=👧|search_title=1", "E"},
			{"composed and decomposed", "query=CAFÉ|search_description=1|search_title=1", "E"},
			{"decomposed", "query=cafe\u0301 o|search_description=1", "E"},
			{"line break", "query=o\nnew|search_description=1", "E"},
			{"surrounding space is trimmed", "query=  effective  ", "A"},
			{"inner space is significant", "query=ПРИВЕТ  мир|search_title=1", ""},
			{"title and description", "query=a|search_title=1|search_description=1", "A B C D E"},
			{"not across fields", "query=effective_goA|search_title=1", ""},
			{"not the column names of the index", "query=title|search_title=1", ""},
			{"characters that occur nowhere", "query=\U000F0000\U000F0000\U000F0001|search_title=1", ""},
			{"U+0000", "query=effective\x00", ""},
			{"invalid UTF-8", "query=effective\xff", ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := ann.get(t, "/search/links?"+parameters(strings.Split(test.parameters, "|")...)).ok(t)
				want := strings.Fields(test.want)
				var titles []string
				for _, title := range titlesOf(t, got) {
					titles = append(titles, title[:1])
				}
				if !slices.Equal(titles, want) {
					t.Errorf("found %v, want %v", titles, want)
				}
				got.wantValue(t, "total", strconv.Itoa(len(want)))
			})
		}
	})
}

func titlesOf(t *testing.T, page response) (titles []string) {
	t.Helper()
	check(t, json.Unmarshal([]byte(page.value(t, "data.*.title")), &titles))
	return titles
}

func TestLongSearchText(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		long := "https://a.example/" + strings.Repeat("abcdefghij", 780)
		ann.link(t, `{"url":"`+long+`"}`)
		for _, length := range []int{10, 100, 300, 1000, 3000, len(long)} {
			ann.get(t, "/search/links?"+parameters("query="+long[:length])).wantValue(t, "total", "1")
			ann.get(t, "/search/links?"+parameters("query="+long[:length]+"!")).wantValue(t, "total", "0")
		}
		ann.get(t, "/search/links?"+parameters("query="+strings.Repeat("日本語", 1000))).wantValue(t, "total", "0")
		ann.get(t, "/search/links?"+parameters("query="+strings.Repeat("a", 20_000))).wantValue(t, "total", "0")
	})
}

func TestSearchNeedsCriteria(t *testing.T) {
	const sentence = "You must either enter a search query, or select a list, a tag or enable searching for broken links."
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, query := range []string{
			"", "query=", "query=%20", "only_lists=", "only_tags=,%20,", "broken_only=0", "empty_lists=false&empty_tags=off",
			"search_title=1&search_description=1", "private_only=1", "visibility=1", "exclude_lists=1&exclude_tags=1", "order_by=title:asc", "page=2&per_page=5",
		} {
			ann.get(t, "/search/links?"+query).wantFieldErrors(t, "query: "+sentence, "only_lists: "+sentence, "only_tags: "+sentence, "broken_only: "+sentence)
		}
		for _, query := range []string{"query=a", "only_lists=1", "only_tags=x", "broken_only=1", "empty_lists=1", "empty_tags=yes"} {
			ann.get(t, "/search/links?"+query).ok(t)
		}
		for _, v := range []string{"0", "4", "x", "-1", "1.5", "99999999999999999999"} {
			ann.get(t, "/search/links?query=a&visibility="+v).wantFieldErrors(t, "visibility: The selected visibility is invalid.")
		}
		ann.get(t, "/search/links?query=a&visibility=").ok(t)
		ann.get(t, "/search/links?query=a&visibility=%201%20").ok(t)
	})
}

func TestSearchSortFields(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://c.example","title":"b"}`)
		ann.link(t, `{"url":"https://a.example","title":"B"}`)
		ann.link(t, `{"url":"https://b.example","title":"a"}`)
		for order, want := range map[string]string{
			"": "[3,2,1]", "title:asc": "[3,2,1]", "title:desc": "[1,2,3]", "url:asc": "[2,3,1]", "url:desc": "[1,3,2]",
			"created_at:asc": "[1,2,3]", "created_at:desc": "[3,2,1]", "CREATED_AT:ASC": "[1,2,3]", " url:asc ": "[2,3,1]",
			"title": "[3,2,1]", "url": "[3,2,1]", "url:up": "[3,2,1]", "id:desc": "[3,2,1]", "description:asc": "[3,2,1]", "url:asc:desc": "[3,2,1]", ":": "[3,2,1]",
		} {
			ann.get(t, "/search/links?"+parameters("query=example", "order_by="+order)).wantValue(t, "data.*.id", want)
			ann.get(t, "/search/links?"+parameters("query=ex", "order_by="+order, "per_page=1", "page=2")).wantValue(t, "data.*.id total", "[["+strings.Split(strings.Trim(want, "[]"), ",")[1]+"],3]")
		}
	})
}

func TestQueryIsParsedAsBrowsersDo(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/a;b=1","title":"100%; it+works"}`)
		ann.link(t, `{"url":"https://go.dev/other"}`)
		for parameters, want := range map[string]string{
			"query=/a;b=1":                           "1",
			"query=%2Fa%3Bb%3D1":                     "1",
			"query=a;c":                              "0",
			"query=100%&search_title=1":              "1",
			"query=100%;+it%2bworks&search_title=1":  "1",
			"query=100%%3B%20it%2Bw&search_title=1":  "1",
			"query=go.dev;&search_title=1":           "0",
			"query=%zz":                              "0",
			"&&query=go.dev&=&x":                     "2",
			"query=go.dev&page=1;per_page=1":         "2",
			"query=%67%6f%2E%4":                      "0",
			"%71uery=go.dev":                         "2",
			"query=go.dev&order_by=;&unknown=%&a;b;": "2",
		} {
			ann.get(t, "/search/links?"+parameters).ok(t).wantValue(t, "total", want)
		}
		ann.get(t, "/links/check?url=https://go.dev/a;b=1").wantValue(t, "linksFound", "true")
		ann.get(t, "/links/check?url=https://go.dev/a;b=2").wantValue(t, "linksFound", "false")
		ann.delete(t, "/bulk/delete?type=links&models=1;2", "").wantFieldErrors(t, `models: The models must be numbers: "1;2" is none.`)
	})
}
