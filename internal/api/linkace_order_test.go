package api

import (
	"fmt"
	"strings"
	"testing"
)

func TestLongTextsAreSortedByWholeLength(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		// The common prefix is longer than the part that an index stores.
		for _, prefix := range []string{x(100), strings.Repeat("ж", 70)} {
			for _, end := range []string{"c", "A", "b", "B", "a"} {
				ann.link(t, `{"url":"https://a.example/`+prefix+end+`","title":"`+prefix+end+`","description":"`+prefix+end+`"}`)
			}
		}
		for _, by := range []string{"url", "title", "description"} {
			ann.get(t, "/links?order_by="+by+"&order_dir=asc").wantValue(t, "data.*.id", "[2,5,4,3,1,7,10,9,8,6]")
			ann.get(t, "/links?order_by="+by+"&order_dir=desc&per_page=3&page=2").wantValue(t, "data.*.id", "[10,7,1]")
		}
	})
}

func TestSortFieldsOfLinks(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://c.example","title":"b","description":"a","visibility":2,"status":3,"check_disabled":true,"lists":"l","tags":"t"}`)
	ann.link(t, `{"url":"https://a.example","title":"c","visibility":1,"status":1}`)
	ann.link(t, `{"url":"https://B.example","title":"A","description":"B","visibility":3,"status":2,"lists":"l","tags":"t"}`)
	ann.link(t, `{"url":"https://d.example","title":"a","description":"b","visibility":3,"status":2,"check_disabled":true,"lists":"l","tags":"t"}`)
	ann.patch(t, "/links/2", `{"url":"https://a.example"}`).ok(t)
	const newest, byID = "[4,3,2,1]", "[1,2,3,4]"
	for _, test := range []struct{ query, want string }{
		{"", newest},
		{"order_by=id&order_dir=asc", byID},
		{"order_by=id", newest}, // each parameter has its own default
		{"order_dir=asc", byID},
		{"order_by=url&order_dir=asc", "[2,3,1,4]"},
		{"order_by=title&order_dir=asc", "[3,4,1,2]"},
		{"order_by=description&order_dir=Asc", "[2,1,3,4]"},
		{"order_by=is_private&order_dir=desc", "[4,3,2,1]"},
		{"order_by=visibility&order_dir=asc", "[2,1,3,4]"},
		{"order_by=status&order_dir=asc", "[2,3,4,1]"},
		{"order_by=check_disabled&order_dir=asc", "[2,3,1,4]"},
		{"order_by=created_at&order_dir=asc", byID},
		{"order_by=updated_at&order_dir=desc", "[2,4,3,1]"},
		{"order_by=URL&order_dir=asc", "[2,3,1,4]"},
		{"order_by=user_id&order_dir=asc", byID},
		{"order_by=nonsense&order_dir=nonsense", newest},
		{"order_by=url;DROP TABLE links&order_dir=asc", byID},
		{"order_by=&order_dir=", newest},
		{"order_by=name&order_dir=asc", byID},
	} {
		ann.get(t, "/links?"+strings.ReplaceAll(test.query, " ", "%20")).ok(t).wantValue(t, "data.*.id", test.want)
	}
	// The links of a list and of a tag are sorted by id by default.
	for query, want := range map[string]string{
		"":                               "[1,3,4]",
		"order_dir=desc":                 "[4,3,1]",
		"order_by=url":                   "[3,1,4]",
		"order_by=title&order_dir=asc":   "[3,4,1]",
		"order_by=status&order_dir=desc": "[1,4,3]",
		"order_by=nonsense&order_dir=up": "[1,3,4]",
	} {
		ann.get(t, "/lists/1/links?"+query).wantValue(t, "data.*.id", want)
		ann.get(t, "/tags/1/links?"+query).wantValue(t, "data.*.id", want)
	}
}

func TestSortFieldsOfListsAndTags(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, path := range []string{"/lists", "/tags"} {
			for i, v := range []int{3, 1, 2} {
				name := []string{"b", "A", "c"}[i]
				ann.post(t, path, fmt.Sprintf(`{"name":%q,"visibility":%d,"description":%q}`, name, v, []string{"z", "y", "x"}[i])).ok(t)
			}
			ann.patch(t, path+"/1", `{"name":"b"}`).ok(t)
			for query, want := range map[string]string{
				"": "[3,2,1]", "order_by=id&order_dir=asc": "[1,2,3]", "order_by=name&order_dir=asc": "[2,1,3]", "order_by=name": "[3,1,2]",
				"order_by=visibility&order_dir=asc": "[2,3,1]", "order_by=is_private&order_dir=asc": "[2,3,1]", "order_by=is_private": "[1,3,2]",
				"order_by=created_at&order_dir=asc": "[1,2,3]", "order_by=updated_at&order_dir=asc": "[2,3,1]",
				"order_by=url&order_dir=asc": "[1,2,3]", "order_by=status": "[3,2,1]",
				"order_by=description&order_dir=asc": map[string]string{"/lists": "[3,2,1]", "/tags": "[1,2,3]"}[path],
			} {
				ann.get(t, path+"?"+query).ok(t).wantValue(t, "data.*.id", want)
			}
		}
	})
}
