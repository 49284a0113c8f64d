package api

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

func TestSearchByListsAndTags(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	for _, kind := range []string{"lists", "tags"} {
		one := strings.TrimSuffix(kind, "s")
		ann.link(t, `{"url":"https://`+kind+`.example/ab","title":"AB","`+kind+`":"a,b"}`)
		ann.link(t, `{"url":"https://`+kind+`.example/a","title":"A","`+kind+`":"a"}`)
		ann.link(t, `{"url":"https://`+kind+`.example/b7","title":"B7","`+kind+`":["b","7"]}`)
		ann.link(t, `{"url":"https://`+kind+`.example/none","title":"None"}`)
		ids := map[string]string{}
		for id, name := range names(t, ann, kind) {
			ids[name] = id
		}
		hidden := ben.post(t, "/"+kind, `{"name":"c"}`).id(t)
		public := ben.post(t, "/"+kind, `{"name":"d","visibility":1}`).id(t)
		ann.link(t, `{"url":"https://`+kind+`.example/d","title":"D","`+kind+`":[`+public+`]}`)
		a, b := ids["a"], ids["b"]
		only, without, mode, empty := "only_"+kind+"=", "exclude_"+kind+"=", one+"_mode=", "empty_"+kind+"="
		for _, test := range []struct{ name, parameters, want string }{
			{"one", only + a, "A AB"},
			{"any of two", only + a + "," + b, "A AB B7"},
			{"any, explicitly", only + a + "," + b + "|" + mode + "any", "A AB B7"},
			{"all of two", only + a + "," + b + "|" + mode + "all", "AB"},
			{"all, in upper case", only + a + "," + b + "|" + mode + "ALL", "AB"},
			{"all, with a duplicate", only + a + "," + a + ",a|" + mode + "all", "A AB"},
			{"all, with an unknown one", only + a + ",9999|" + mode + "all", ""},
			{"invalid mode", only + a + "," + b + "|" + mode + "most", "A AB B7"},
			{"any with an unknown one", only + a + ",9999", "A AB"},
			{"only unknown ones", only + "9999,99999999999999999999,0,-1", ""},
			{"by name", only + "A", "A AB"},
			{"by names and ids", only + "A, " + b, "A AB B7"},
			{"all, by name", only + " a , B |" + mode + "all", "AB"},
			{"a number is an id", only + "7", ""},
			{"an unknown name", only + "nonsense", ""},
			{"name of another user's", only + "d", ""},
			{"another user's public one by id", only + public, "D"},
			{"another user's private one by id", only + hidden, ""},
			{"a JSON array", only + "[" + a + "," + b + "]", "A AB B7"},
			{"a JSON array of strings", only + `["` + a + `", "B", null, ""]`, "A AB B7"},
			{"a JSON array, all", only + "[" + a + "," + b + "]|" + mode + "all", "AB"},
			{"an empty JSON array", only + "[]", "A AB B7 D None"},
			{"not quite a JSON array", only + "[" + a, ""},
			{"repeated", strings.Replace(only, "=", "[]=", 1) + a + "|" + strings.Replace(only, "=", "[]=", 1) + "b", "A AB B7"},
			{"repeated with indexes", strings.Replace(only, "=", "[1]=", 1) + a + "|" + strings.Replace(only, "=", "[0]=", 1) + "b|" + mode + "all", "AB"},
			{"repeated without brackets", only + a + "|" + only + b, "A AB B7"},
			{"repeated, without", strings.Replace(without, "=", "[]=", 1) + a + "|" + without + "[" + b + "]", "D None"},
			{"superfluous commas", only + ",," + a + ", ,", "A AB"},
			{"without one", without + a + "", "B7 D None"},
			{"without two", without + a + ",b", "D None"},
			{"without unknown ones", without + "9999,nonsense," + hidden + "|" + only + a, "A AB"},
			{"with one and without another", only + a + "|" + without + b, "A"},
			{"with and without the same", only + a + "|" + without + a, ""},
			{"in none", empty + "1", "None"},
			{"in none takes precedence", empty + "1|" + only + a, "None"},
			{"in none is false", empty + "0|" + only + a, "A AB"},
		} {
			pairs := append(strings.Split(test.parameters, "|"), "query="+kind+".example")
			got := ann.get(t, "/search/links?"+parameters(pairs...)).ok(t).value(t, "data.*.title")
			if want := jsonOf(t, append([]string{}, strings.Fields(test.want)...)); got != want {
				t.Errorf("%s, %s: found %s, want %s", kind, test.name, got, want)
			}
		}
	}
}

// names returns the names of a user's lists or tags by id.
func names(t *testing.T, p *testClient, kind string) map[string]string {
	t.Helper()
	all := map[string]string{}
	var page struct {
		Data []struct {
			ID   int
			Name string
		}
	}
	check(t, json.Unmarshal([]byte(p.get(t, "/"+kind+"?per_page=-1").body), &page))
	for _, entity := range page.Data {
		all[strconv.Itoa(entity.ID)] = entity.Name
	}
	return all
}

func TestSearchByTextsVisibilityAndStatus(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://one.example","title":"Red","description":"green","visibility":1,"lists":"a","tags":"a"}`)
	ann.link(t, `{"url":"https://two.example/red","title":"Blue","description":"red","visibility":2,"status":2,"lists":"a"}`)
	ann.link(t, `{"url":"https://three.example","title":"GREEN","description":"Red","visibility":3,"status":3,"tags":"a"}`)
	for parameters, want := range map[string]string{
		"query=red":                                        "[2]",
		"query=red&search_title=1":                         "[1,2]",
		"query=RED&search_description=1":                   "[2,3]",
		"query=red&search_title=1&search_description=1":    "[1,2,3]",
		"query=example&private_only=1":                     "[3]",
		"query=example&visibility=1":                       "[1]",
		"query=example&visibility=2":                       "[2]",
		"query=example&visibility=3&private_only=1":        "[3]",
		"query=example&visibility=1&private_only=1":        "[]",
		"broken_only=1":                                    "[2,3]",
		"broken_only=1&visibility=2":                       "[2]",
		"broken_only=1&only_lists=a&exclude_tags=a":        "[2]",
		"only_tags=a&only_lists=a":                         "[1]",
		"empty_lists=1&only_tags=a&query=three":            "[3]",
		"empty_tags=1&broken_only=1&query=red":             "[2]",
		"query=green&search_description=1&exclude_lists=a": "[]",
	} {
		ann.get(t, "/search/links?order_by=created_at:asc&"+parameters).ok(t).wantValue(t, "data.*.id", want)
	}
}

// The parameter q has Waymark's language, and combines with LinkAce's filters.
func TestSearchWithAQuery(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.post(t, "/links", `{"url": "https://docker.com/", "title": "Docker", "tags": "containers"}`).ok(t)
		ann.post(t, "/links", `{"url": "https://podman.io/", "title": "Run containers", "lists": "Work"}`).ok(t)
		ann.post(t, "/links", `{"url": "https://example.org/", "title": "Cooking containers of soup", "tags": "to read"}`).ok(t)
		for parameters, want := range map[string]string{
			"q=docker+OR+podman&order_by=title:asc":      "[1,2]",
			"q=containers&order_by=created_at:asc":       "[1,2,3]", // one of them only has the tag
			"q=containers+-%23containers+-list:work":     "[3]",
			"q=site:podman.io":                           "[2]",
			"q=%23%22to+read%22":                         "[3]",
			"q=%23nothing":                               "[]",
			"q=containers&only_lists=Work":               "[2]",
			"q=containers+of":                            "[3]",
			"q=is:broken":                                "[]",
			"q=docker&per_page=-1":                       "[1]",
			"query=docker+OR+podman":                     "[]", // a literal text
			"q=&query=podman":                            "[2]",
			"q=containers&per_page=1&page=2&order_by=no": "[1]",
		} {
			ann.get(t, "/search/links?"+parameters).ok(t).wantValue(t, "data.*.id", want)
		}
		// Without an order, the best match comes first.
		if got := ann.get(t, "/search/links?q=docker+OR+containers").ok(t).value(t, "data.0.id"); got != "1" {
			t.Errorf("got link %s first, want the one with the title", got)
		}
		for q, want := range map[string]string{
			"docker+(podman":   `q: The q is invalid: "(podman" at character 8 is not closed.`,
			"%C3%A4+is:purple": `q: The q is invalid: "is:purple" at character 3 has no meaning.`,
		} {
			got := ann.get(t, "/search/links?q="+q)
			got.wantFieldErrors(t, want)
			if position := got.value(t, "position"); position != "7" && position != "2" {
				t.Errorf("q=%s: got the position %s", q, position)
			}
		}
	})
}
