package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

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
	storetest.EachWith(t, store.Options{Limits: waymark.LinkLimits{Lists: 1100, Tags: 1100}}, func(t *testing.T, db *store.Store) {
		s := newTestServer(t, v2, db)
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
	random := randomFilters{rand.New(rand.NewPCG(1, 2))}
	restricts := regexp.MustCompile(`(^|&)(query|only_lists|only_tags|empty_lists|empty_tags|broken_only)=`) // a search needs one of them
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.post(t, "/bulk/lists", `{"models":[{"name":"1st"},{"name":"2nd"},{"name":"3rd"}]}`).ok(t)
		ann.post(t, "/bulk/tags", `{"models":[{"name":"1st"},{"name":"2nd"},{"name":"3rd"}]}`).ok(t)
		var links []filteredLink
		for i := range 60 {
			l := random.link(i)
			l.id = ann.link(t, fmt.Sprintf(`{"url":%q,"title":%q,"description":%q,"visibility":%d,"status":%d,"lists":[%s],"tags":[%s]}`,
				l.url, l.title, l.text, l.visibility, l.status, strings.Join(l.lists, ","), strings.Join(l.tags, ",")))
			links = append(links, l)
		}
		for range 200 {
			filters := random.filters()
			got := ann.get(t, "/search/links?per_page=-1&order_by=created_at:asc&"+parameters(filters.pairs...))
			if !restricts.MatchString(strings.Join(filters.pairs, "&")) {
				got.wantStatus(t, 422)
				continue
			}
			want := []string{}
			for _, l := range links {
				if filters.match(l) {
					want = append(want, l.id)
				}
			}
			got.ok(t).wantValue(t, "data.*.id total", fmt.Sprintf("[[%s],%d]", strings.Join(want, ","), len(want)))
		}
	})
}

type filteredLink struct {
	id                 string
	url, title, text   string
	visibility, status int
	lists, tags        []string
}

// filters are parameters of a search, and for each what a link must be to be found.
type filters struct {
	pairs []string
	tests []func(filteredLink) bool
}

func (f *filters) add(pair string, test func(filteredLink) bool) {
	f.pairs, f.tests = append(f.pairs, pair), append(f.tests, test)
}

func (f *filters) match(l filteredLink) bool {
	return !slices.ContainsFunc(f.tests, func(test func(filteredLink) bool) bool { return !test(l) })
}

type randomFilters struct{ *rand.Rand }

// some returns about a third of the values.
func (r randomFilters) some(from ...string) (chosen []string) {
	for _, one := range from {
		if r.IntN(3) == 0 {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

func (r randomFilters) pick(from ...string) string { return from[r.IntN(len(from))] }

func (r randomFilters) link(i int) filteredLink {
	return filteredLink{
		url:        fmt.Sprintf("https://%s.example/%d", r.pick("red", "green", "blue"), i),
		title:      r.pick("Red", "GREEN", "blue") + strconv.Itoa(i),
		text:       r.pick("", "red", "Green"),
		visibility: 1 + r.IntN(3), status: 1 + r.IntN(3),
		lists: r.some("1", "2", "3"), tags: r.some("1", "2", "3"),
	}
}

func (r randomFilters) filters() filters {
	var f filters
	if text := r.pick("", "r", "re", "RED", "green", "lue."); text != "" {
		inTitle, inText := r.IntN(2) == 0, r.IntN(2) == 0
		f.pairs = append(f.pairs, "search_title="+strconv.FormatBool(inTitle), "search_description="+strconv.FormatBool(inText))
		contains := func(in string) bool { return strings.Contains(strings.ToLower(in), strings.ToLower(text)) }
		f.add("query="+text, func(l filteredLink) bool {
			return contains(l.url) || inTitle && contains(l.title) || inText && contains(l.text)
		})
	}
	r.addLabels(&f, "list", func(l filteredLink) []string { return l.lists })
	r.addLabels(&f, "tag", func(l filteredLink) []string { return l.tags })
	if r.IntN(3) == 0 {
		f.add("private_only=1", func(l filteredLink) bool { return l.visibility == int(waymark.Private) })
	}
	if v := r.IntN(9); v >= 1 && v <= 3 {
		f.add("visibility="+strconv.Itoa(v), func(l filteredLink) bool { return l.visibility == v })
	}
	if r.IntN(4) == 0 {
		f.add("broken_only=1", func(l filteredLink) bool { return l.status != 1 })
	}
	return f
}

// addLabels adds filters by lists or by tags, which of returns.
func (r randomFilters) addLabels(f *filters, kind string, of func(filteredLink) []string) {
	has := func(l filteredLink) func(string) bool {
		return func(id string) bool { return slices.Contains(of(l), id) }
	}
	lacks := func(l filteredLink) func(string) bool {
		return func(id string) bool { return !slices.Contains(of(l), id) }
	}
	ids, without, every, empty := r.some("1", "2", "3"), r.some("1", "2", "3"), r.IntN(2) == 0, r.IntN(8) == 0
	if every {
		f.pairs = append(f.pairs, kind+"_mode=all")
	}
	if empty {
		f.add("empty_"+kind+"s=1", func(l filteredLink) bool { return len(of(l)) == 0 })
	}
	if len(ids) > 0 {
		f.add("only_"+kind+"s="+strings.Join(ids, ","), func(l filteredLink) bool {
			return empty || every && !slices.ContainsFunc(ids, lacks(l)) || !every && slices.ContainsFunc(ids, has(l))
		})
	}
	if len(without) > 0 && r.IntN(2) == 0 {
		f.add("exclude_"+kind+"s="+strings.Join(without, ","), func(l filteredLink) bool { return !slices.ContainsFunc(without, has(l)) })
	}
}

// The parameter q has Waymark's language, and combines with LinkAce's filters.
func TestSearchWithAQuery(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
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
