package linkace

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"waymark/internal/waymark"
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
	if err := json.Unmarshal([]byte(page.value(t, "data.*.title")), &titles); err != nil {
		t.Fatal(err)
	}
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

func TestSearchByListsAndTags(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
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
	})
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
	if err := json.Unmarshal([]byte(p.get(t, "/"+kind+"?per_page=-1").body), &page); err != nil {
		t.Fatal(err)
	}
	for _, entity := range page.Data {
		all[strconv.Itoa(entity.ID)] = entity.Name
	}
	return all
}

func TestSearchWithManyLists(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		var names []string
		for i := range 1100 {
			names = append(names, "l"+strconv.Itoa(i))
		}
		ann.link(t, `{"url":"https://all.example","lists":"`+strings.Join(names, ",")+`","tags":"`+strings.Join(names, ",")+`"}`)
		ann.link(t, `{"url":"https://one.example","lists":"l7","tags":"l7"}`)
		var ids []string
		for i := range 1100 {
			ids = append(ids, strconv.Itoa(i+1))
		}
		every := strings.Join(ids, ",")
		for parameters, want := range map[string]string{
			"only_lists=" + every:                                      "2",
			"only_lists=" + every + "&list_mode=all":                   "1",
			"only_tags=" + every + "&tag_mode=all&only_lists=" + every: "1",
			"query=example&exclude_lists=" + every:                     "0",
			"only_lists=" + strings.Join(names, ","):                   "2",
		} {
			ann.get(t, "/search/links?"+parameters).ok(t).wantValue(t, "total", want)
		}
	})
}

// TestSearchCombinesFilters compares random combinations of filters with a simple
// implementation.
func TestSearchCombinesFilters(t *testing.T) {
	type link struct {
		id                 string
		url, title, text   string
		visibility, status int
		lists, tags        []string
	}
	r := rand.New(rand.NewPCG(1, 2))
	some := func(from ...string) (chosen []string) {
		for _, one := range from {
			if r.IntN(3) == 0 {
				chosen = append(chosen, one)
			}
		}
		return chosen
	}
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.post(t, "/bulk/lists", `{"models":[{"name":"1st"},{"name":"2nd"},{"name":"3rd"}]}`).ok(t)
		ann.post(t, "/bulk/tags", `{"models":[{"name":"1st"},{"name":"2nd"},{"name":"3rd"}]}`).ok(t)
		var links []link
		for i := range 60 {
			l := link{
				url: fmt.Sprintf("https://%s.example/%d", pick("red", "green", "blue"), i), title: pick("Red", "GREEN", "blue") + strconv.Itoa(i), text: pick("", "red", "Green"),
				visibility: 1 + r.IntN(3), status: 1 + r.IntN(3), lists: some("1", "2", "3"), tags: some("1", "2", "3"),
			}
			l.id = ann.link(t, fmt.Sprintf(`{"url":%q,"title":%q,"description":%q,"visibility":%d,"status":%d,"lists":[%s],"tags":[%s]}`,
				l.url, l.title, l.text, l.visibility, l.status, strings.Join(l.lists, ","), strings.Join(l.tags, ",")))
			links = append(links, l)
		}
		any := func(have, want []string) bool {
			return slices.ContainsFunc(want, func(id string) bool { return slices.Contains(have, id) })
		}
		all := func(have, want []string) bool {
			return !slices.ContainsFunc(want, func(id string) bool { return !slices.Contains(have, id) })
		}
		for range 200 {
			var pairs []string
			var tests []func(link) bool
			add := func(pair string, test func(link) bool) {
				pairs, tests = append(pairs, pair), append(tests, test)
			}
			if text := pick("", "r", "re", "RED", "green", "lue."); text != "" {
				inTitle, inText := r.IntN(2) == 0, r.IntN(2) == 0
				pairs = append(pairs, "search_title="+strconv.FormatBool(inTitle), "search_description="+strconv.FormatBool(inText))
				folded := strings.ToLower(text)
				add("query="+text, func(l link) bool {
					return strings.Contains(strings.ToLower(l.url), folded) || inTitle && strings.Contains(strings.ToLower(l.title), folded) || inText && strings.Contains(strings.ToLower(l.text), folded)
				})
			}
			for _, kind := range []string{"list", "tag"} {
				of := func(l link) []string {
					if kind == "list" {
						return l.lists
					}
					return l.tags
				}
				ids, without, every, empty := some("1", "2", "3"), some("1", "2", "3"), r.IntN(2) == 0, r.IntN(8) == 0
				if every {
					pairs = append(pairs, kind+"_mode=all")
				}
				if empty {
					add("empty_"+kind+"s=1", func(l link) bool { return len(of(l)) == 0 })
				}
				if len(ids) > 0 {
					add("only_"+kind+"s="+strings.Join(ids, ","), func(l link) bool { return empty || every && all(of(l), ids) || !every && any(of(l), ids) })
				}
				if len(without) > 0 && r.IntN(2) == 0 {
					add("exclude_"+kind+"s="+strings.Join(without, ","), func(l link) bool { return !any(of(l), without) })
				}
			}
			if r.IntN(3) == 0 {
				add("private_only=1", func(l link) bool { return l.visibility == int(waymark.Private) })
			}
			if v := r.IntN(9); v >= 1 && v <= 3 {
				add("visibility="+strconv.Itoa(v), func(l link) bool { return l.visibility == v })
			}
			if r.IntN(4) == 0 {
				add("broken_only=1", func(l link) bool { return l.status != 1 })
			}
			got := ann.get(t, "/search/links?per_page=-1&order_by=created_at:asc&"+parameters(pairs...))
			if got.status == 422 {
				continue
			}
			want := []string{}
			for _, l := range links {
				if !slices.ContainsFunc(tests, func(test func(link) bool) bool { return !test(l) }) {
					want = append(want, l.id)
				}
			}
			got.ok(t).wantValue(t, "data.*.id total", fmt.Sprintf("[[%s],%d]", strings.Join(want, ","), len(want)))
		}
	})
}

func TestNameSearchMapsIDsToNames(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		for _, kind := range []string{"lists", "tags"} {
			path := "/search/" + kind
			for _, name := range []string{"Beta", "alpha", "ALPINE", "Straße", "100%", "a_b", "日本", "\"q\""} {
				ann.post(t, "/"+kind, `{"name":`+jsonOf(t, name)+`,"visibility":1}`).ok(t)
			}
			ben.post(t, "/"+kind, `{"name":"alpha too","visibility":1}`).ok(t)
			trashed := ann.post(t, "/"+kind, `{"name":"alphabet"}`).id(t)
			ann.delete(t, "/"+kind+"/"+trashed, "").ok(t)
			for query, want := range map[string]string{
				"query=alp":                             `{"2":"alpha","3":"ALPINE"}`,
				"query=ALP":                             `{"2":"alpha","3":"ALPINE"}`,
				"query=a":                               `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=2":                    `{"6":"a_b","2":"alpha"}`,
				"query=a&per_page=0":                    `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=-1":                   `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=-5":                   `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=x":                    `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=99999999999999999999": `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=strasse":                         `{"4":"Straße"}`,
				"query=%25":                             `{"5":"100%"}`,
				"query=_":                               `{"6":"a_b"}`,
				"query=%E6%9C%AC":                       `{"7":"日本"}`,
				"query=%22":                             `{"8":"\"q\""}`,
				"query=%20alp%20":                       `{"2":"alpha","3":"ALPINE"}`,
				"query=nothing":                         `{}`,
				"query=%00":                             `{}`,
				"query=%FF":                             `{}`,
				"query=":                                `{}`,
				"query=%20":                             `{}`,
				"":                                      `{}`,
			} {
				if got := ann.get(t, path+"?"+query).ok(t).body; got != want {
					t.Errorf("%s?%s: got %s, want %s", path, query, got, want)
				}
			}
		}
	})
}

func TestNameSearchIsUnlimitedByDefault(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.fill(t, 60)
		for _, size := range []string{"", "&per_page=0", "&per_page=-1", "&per_page=-2", "&per_page=all", "&per_page=60"} {
			if got := strings.Count(ann.get(t, "/search/tags?query=t"+size).body, ":"); got != 60 {
				t.Errorf("%s: found %d tags, want all 60", size, got)
			}
		}
	})
}
