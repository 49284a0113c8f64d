package bench

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"waymark/internal/waymark"
)

// compare measures a request of one and of sixteen clients, to Waymark and to a bare
// handler beside it. The ratio of the last is Waymark's requests per second in parts
// of the bare handler's.
func compare(b *testing.B, on *running, path string, handler http.Handler) {
	bare := serve(b, handler)
	for _, clients := range []int{1, 16} {
		at := func(b *testing.B, address string) func(client int, turn int64) {
			all := make([]*Client, clients)
			for i := range all {
				all[i] = on.dial(b, address)
				must(b, all[i], "GET", path, nil)
			}
			return func(client int, _ int64) { must(b, all[client], "GET", path, nil) }
		}
		name := fmt.Sprintf("clients=%d/handler=", clients)
		b.Run(name+"waymark", func(b *testing.B) { together(b, clients, at(b, on.address)) })
		b.Run(name+"bare", func(b *testing.B) { together(b, clients, at(b, bare)) })
		b.Run(name+"both", func(b *testing.B) { alternate(b, clients, at(b, on.address), at(b, bare)) })
	}
}

// BenchmarkLink shows one link, beside a bare handler with the same SQL and bytes.
func BenchmarkLink(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		client := on.dial(b, on.address)
		id := page(b, client, "/api/v2/links?page=2").Data[0].ID
		path := fmt.Sprintf("/api/v2/links/%d", id)
		answer := slices.Clone(must(b, client, "GET", path, nil))
		handler, err := on.bare(b).LinkHandler(b.Context(), id, answer)
		if err != nil {
			b.Fatal(err)
		}
		compare(b, on, path, handler)
	})
}

// BenchmarkFirstPage shows the 24 newest links and how many there are, beside a bare
// handler.
func BenchmarkFirstPage(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		client := on.dial(b, on.address)
		const path = "/api/v2/links"
		ids := page(b, client, path).ids()
		answer := slices.Clone(must(b, client, "GET", path, nil))
		handler, err := on.bare(b).PageHandler(b.Context(), ids, answer)
		if err != nil {
			b.Fatal(err)
		}
		compare(b, on, path, handler)
	})
}

// look measures a GET.
func look(b *testing.B, on *running, path string) {
	b.Helper()
	client := on.dial(b, on.address)
	must(b, client, "GET", path, nil)
	each(b, func(int) { must(b, client, "GET", path, nil) })
}

// deepPages are the pages that each collection is looked at.
func deepPages(b *testing.B, on *running, path string) map[string]string {
	b.Helper()
	last := page(b, on.dial(b, on.address), path).LastPage
	with := func(n int) string {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		return fmt.Sprintf("%s%spage=%d", path, separator, n)
	}
	return map[string]string{"1": with(1), "100": with(min(100, last)), "middle": with((last + 1) / 2), "last": with(last)}
}

var pageNames = []string{"1", "100", "middle", "last"}

// BenchmarkPage shows pages of links from the first to the last.
func BenchmarkPage(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		paths := deepPages(b, on, "/api/v2/links")
		for _, name := range pageNames {
			b.Run("page="+name, func(b *testing.B) { look(b, on, paths[name]) })
		}
	})
}

// BenchmarkOrder shows the first page and the one in the middle of each order.
func BenchmarkOrder(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		for _, by := range []string{"id", "url", "title", "description", "is_private", "visibility", "status", "check_disabled", "created_at", "updated_at"} {
			paths := deepPages(b, on, "/api/v2/links?order_dir=asc&order_by="+by)
			for _, name := range []string{"1", "middle"} {
				b.Run("by="+by+"/page="+name, func(b *testing.B) { look(b, on, paths[name]) })
			}
		}
	})
}

// BenchmarkTag shows the links of a tag that every tenth link bears.
func BenchmarkTag(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		path := fmt.Sprintf("/api/v2/tags/%d/links", on.common)
		for _, by := range []string{"id", "created_at", "title"} {
			paths := deepPages(b, on, path+"?order_by="+by)
			for _, name := range pageNames {
				b.Run("by="+by+"/page="+name, func(b *testing.B) { look(b, on, paths[name]) })
			}
		}
	})
}

// BenchmarkNames looks for tags by a part of their name.
func BenchmarkNames(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		b.Run("limit=10", func(b *testing.B) { look(b, on, "/api/v2/search/tags?per_page=10&query=e") })
		b.Run("limit=none", func(b *testing.B) { look(b, on, "/api/v2/search/tags?query=e") })
	})
}

// sample is what of a collection is looked at to choose what is searched for: in how
// many of its links each text of so many letters is.
type sample map[int]map[string]int

// letters are the lengths of the texts that are searched for.
var letters = []int{1, 2, 3, 6, 12}

// sample reads some links from all over the collection and counts the texts in them.
// What all addresses begin with does not count: see BenchmarkSearch.
func (on *running) sample(b *testing.B) sample {
	b.Helper()
	on.sampleOnce.Do(func() {
		on.sampled = sample{}
		client := on.dial(b, on.address)
		const size, pages = 100, 30
		last := page(b, client, fmt.Sprintf("/api/v2/links?per_page=%d", size)).LastPage
		for i := range pages {
			some := page(b, client, fmt.Sprintf("/api/v2/links?per_page=%d&page=%d", size, 1+i*last/pages))
			for _, link := range some.Data {
				_, address, _ := strings.Cut(link.URL, "://")
				on.sampled.add(strings.TrimPrefix(address, "www."), link.Title, link.Description)
			}
		}
	})
	return on.sampled
}

// add counts what is in the texts of one link.
func (s sample) add(texts ...string) {
	for _, n := range letters {
		here := map[string]bool{}
		for _, text := range texts {
			runes := []rune(waymark.Fold(text))
			for i := 0; i+n <= len(runes); i++ {
				part := string(runes[i : i+n])
				if strings.TrimSpace(part) == part && utf8.ValidString(part) {
					here[part] = true
				}
			}
		}
		if s[n] == nil {
			s[n] = map[string]int{}
		}
		for part := range here {
			s[n][part]++
		}
	}
}

// any returns texts of n letters, each as likely as it is in links.
func (s sample) any(n int) []string {
	random := rand.New(rand.NewPCG(5, uint64(n)))
	all, places := s.sorted(n), 0
	for _, text := range all {
		places += s[n][text]
	}
	var some []string
	for range 40 {
		at := random.IntN(places)
		i := 0
		for at -= s[n][all[i]]; at >= 0; at -= s[n][all[i]] {
			i++
		}
		some = append(some, all[i])
	}
	return some
}

// common returns the texts of n letters that most links have.
func (s sample) common(n int) []string {
	all := s.sorted(n)
	return all[:min(5, len(all))]
}

// rare returns texts of n letters that few links have, from all over the alphabet.
func (s sample) rare(n int) []string {
	all := s.sorted(n)
	all = all[len(all)*3/4:]
	slices.Sort(all)
	var some []string
	for i := range 20 {
		some = append(some, all[i*len(all)/20])
	}
	return some
}

func (s sample) sorted(n int) []string {
	var all []string
	for text := range s[n] {
		all = append(all, text)
	}
	slices.SortFunc(all, func(a, b string) int {
		if s[n][a] != s[n][b] {
			return s[n][b] - s[n][a]
		}
		return strings.Compare(a, b)
	})
	return all
}

const searchAll = "/api/v2/search/links?search_title=1&search_description=1"

// BenchmarkSearch looks for texts in addresses, titles and descriptions: any of forty
// from random places in links, the five that most links have, and rare ones. The
// metric hits is how many links are found at the median. What nearly every address
// begins with is the worst that can be asked.
func BenchmarkSearch(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		sample := on.sample(b)
		for _, n := range letters {
			for _, kind := range []struct {
				name  string
				texts []string
			}{{"any", sample.any(n)}, {"common", sample.common(n)}, {"rare", sample.rare(n)}} {
				b.Run(fmt.Sprintf("letters=%d/kind=%s", n, kind.name), func(b *testing.B) {
					search(b, on, kind.texts)
				})
			}
		}
		b.Run("letters=6/kind=https", func(b *testing.B) { search(b, on, []string{"https:"}) })
		b.Run("letters=12/kind=https", func(b *testing.B) { search(b, on, []string{"https://www."}) })
	})
}

func search(b *testing.B, on *running, texts []string) {
	b.Helper()
	client := on.dial(b, on.address)
	var hits []int
	paths := make([]string, len(texts))
	for i, text := range texts {
		paths[i] = searchAll + "&query=" + url.QueryEscape(text)
		hits = append(hits, page(b, client, paths[i]).Total)
	}
	slices.Sort(hits)
	each(b, func(turn int) { must(b, client, "GET", paths[turn%len(paths)], nil) })
	b.ReportMetric(float64(hits[len(hits)/2]), "hits")
}

// BenchmarkFilter looks for the most common text of three letters, and for nothing,
// with each filter.
func BenchmarkFilter(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		text := "&query=" + url.QueryEscape(on.sample(b).common(3)[0])
		client := on.dial(b, on.address)
		list := page(b, client, "/api/v2/lists?order_by=id&order_dir=asc").Data[0].ID
		tag := page(b, client, "/api/v2/tags?order_by=id&order_dir=asc").Data[0].ID
		filters := []struct{ name, parameters string }{
			{"none", text},
			{"visibility", text + "&visibility=1"},
			{"private_only", text + "&private_only=1"},
			{"broken_only", text + "&broken_only=1"},
			{"empty_lists", text + "&empty_lists=1"},
			{"empty_tags", text + "&empty_tags=1"},
			{"only_lists", fmt.Sprintf("%s&only_lists=%d", text, list)},
			{"only_tags", fmt.Sprintf("%s&only_tags=%d", text, on.common)},
			{"only_tags-any", fmt.Sprintf("%s&only_tags=%d,%d", text, on.common, tag)},
			{"only_tags-all", fmt.Sprintf("%s&only_tags=%d,%d&tag_mode=all", text, on.common, tag)},
			{"exclude_lists", fmt.Sprintf("%s&exclude_lists=%d", text, list)},
			{"exclude_tags", fmt.Sprintf("%s&exclude_tags=%d", text, on.common)},
			{"order-created_at-desc", text + "&order_by=created_at:desc"},
			{"order-url-asc", text + "&order_by=url:asc"},
			{"page-middle", text + "&page=middle"},
			{"broken_only-alone", "&broken_only=1"},
			{"empty_lists-alone", "&empty_lists=1"},
			{"empty_tags-alone", "&empty_tags=1"},
			{"only_lists-alone", fmt.Sprintf("&only_lists=%d", list)},
			{"only_tags-alone", fmt.Sprintf("&only_tags=%d", on.common)},
			{"only_tags-any-alone", fmt.Sprintf("&only_tags=%d,%d", on.common, tag)},
			{"only_tags-all-alone", fmt.Sprintf("&only_tags=%d,%d&tag_mode=all", on.common, tag)},
		}
		for _, filter := range filters {
			path := searchAll + filter.parameters
			if before, ok := strings.CutSuffix(path, "&page=middle"); ok {
				path = deepPages(b, on, before)["middle"]
			}
			b.Run("filter="+filter.name, func(b *testing.B) {
				look(b, on, path)
				b.ReportMetric(float64(page(b, client, path).Total), "hits")
			})
		}
	})
}
