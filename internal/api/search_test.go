package api

import (
	"net/url"
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

func TestLongSearchText(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	long := "https://a.example/" + strings.Repeat("abcdefghij", 780)
	ann.link(t, `{"url":"`+long+`"}`)
	for _, length := range []int{10, 100, 300, 1000, 3000, len(long)} {
		ann.get(t, "/search/links?"+parameters("query="+long[:length])).wantValue(t, "total", "1")
		ann.get(t, "/search/links?"+parameters("query="+long[:length]+"!")).wantValue(t, "total", "0")
	}
	ann.get(t, "/search/links?"+parameters("query="+strings.Repeat("日本語", 1000))).wantValue(t, "total", "0")
	ann.get(t, "/search/links?"+parameters("query="+strings.Repeat("a", 20_000))).wantValue(t, "total", "0")
}

func TestSearchNeedsCriteria(t *testing.T) {
	const sentence = "You must either enter a search query, or select a list, a tag or enable searching for broken links."
	eachDatabase(t, func(t *testing.T, s *testServer) {
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
	s := newTestServer(t)
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
}

func TestQueryIsParsedAsBrowsersDo(t *testing.T) {
	s := newTestServer(t)
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
}
