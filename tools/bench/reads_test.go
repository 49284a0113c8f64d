package bench

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// measureClients measures a GET request with 1, 16 and 200 clients.
func measureClients(b *testing.B, s *testServer, path string) {
	for _, connections := range []int{1, 16, 200} {
		clients := s.dialMany(b, s.address, connections)
		for _, client := range clients {
			mustDo(b, client, "GET", path, nil)
		}
		b.Run(fmt.Sprintf("clients=%d", connections), func(b *testing.B) {
			measureConcurrently(b, connections, func(client int, _ int64) { mustDo(b, clients[client], "GET", path, nil) })
		})
	}
}

// BenchmarkLink reads one link.
func BenchmarkLink(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		id := getPage(b, s.dial(b, s.address), "/api/v2/links?page=2").Data[0].ID
		measureClients(b, s, fmt.Sprintf("/api/v2/links/%d", id))
	})
}

// BenchmarkFirstPage reads the 24 newest links and the total.
func BenchmarkFirstPage(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) { measureClients(b, s, "/api/v2/links") })
}

// measureGET measures a GET request with one client.
func measureGET(b *testing.B, s *testServer, path string) {
	b.Helper()
	client := s.dial(b, s.address)
	mustDo(b, client, "GET", path, nil)
	measure(b, func(int) { mustDo(b, client, "GET", path, nil) })
}

// pagePaths returns the paths of the pages in pageNames.
func pagePaths(b *testing.B, s *testServer, path string) map[string]string {
	b.Helper()
	last := getPage(b, s.dial(b, s.address), path).LastPage
	pathOf := func(n int) string {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		return fmt.Sprintf("%s%spage=%d", path, separator, n)
	}
	return map[string]string{"1": pathOf(1), "100": pathOf(min(100, last)), "middle": pathOf((last + 1) / 2), "last": pathOf(last)}
}

var pageNames = []string{"1", "100", "middle", "last"}

// BenchmarkPage reads pages of links, from the first to the last.
func BenchmarkPage(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		paths := pagePaths(b, s, "/api/v2/links")
		for _, name := range pageNames {
			b.Run("page="+name, func(b *testing.B) { measureGET(b, s, paths[name]) })
		}
	})
}

// BenchmarkOrder reads the first page and the page in the middle in each sort order.
func BenchmarkOrder(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		for _, by := range []string{"id", "url", "title", "description", "is_private", "visibility", "status", "check_disabled", "created_at", "updated_at"} {
			paths := pagePaths(b, s, "/api/v2/links?order_dir=asc&order_by="+by)
			for _, name := range []string{"1", "middle"} {
				b.Run("by="+by+"/page="+name, func(b *testing.B) { measureGET(b, s, paths[name]) })
			}
		}
	})
}

// BenchmarkTag reads pages of the links with a tag that every tenth link has.
func BenchmarkTag(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		path := fmt.Sprintf("/api/v2/tags/%d/links", s.commonTag)
		for _, by := range []string{"id", "created_at", "title"} {
			paths := pagePaths(b, s, path+"?order_by="+by)
			for _, name := range pageNames {
				b.Run("by="+by+"/page="+name, func(b *testing.B) { measureGET(b, s, paths[name]) })
			}
		}
	})
}

// BenchmarkNames finds tags by a part of their name.
func BenchmarkNames(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		b.Run("limit=10", func(b *testing.B) { measureGET(b, s, "/api/v2/search/tags?per_page=10&query=e") })
		b.Run("limit=none", func(b *testing.B) { measureGET(b, s, "/api/v2/search/tags?query=e") })
	})
}

// searchPath searches all texts of links.
const searchPath = "/api/v2/search/links?search_title=1&search_description=1"

// BenchmarkLinkding reads 100 links with the API of linkding.
func BenchmarkLinkding(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		b.Run("request=page", func(b *testing.B) { measureGET(b, s, "/api/bookmarks/?limit=100") })
		b.Run("request=search", func(b *testing.B) { measureGET(b, s, "/api/bookmarks/?limit=100&q=github") })
	})
}

// BenchmarkSearchTyped searches for texts that people type.
func BenchmarkSearchTyped(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		texts := typedWords()
		b.Run("text=all", func(b *testing.B) { measureSearch(b, s, texts) })
		for _, text := range texts {
			b.Run("text="+text, func(b *testing.B) { measureSearch(b, s, []string{text}) })
		}
	})
}

func measureSearch(b *testing.B, s *testServer, texts []string) {
	b.Helper()
	client := s.dial(b, s.address)
	var hits []int
	paths := make([]string, len(texts))
	for i, text := range texts {
		paths[i] = searchPath + "&query=" + url.QueryEscape(text)
		hits = append(hits, getPage(b, client, paths[i]).Total)
	}
	slices.Sort(hits)
	measure(b, func(i int) { mustDo(b, client, "GET", paths[i%len(paths)], nil) })
	b.ReportMetric(float64(hits[len(hits)/2]), "hits")
}

// BenchmarkFilter searches with each filter, with a text and without one.
func BenchmarkFilter(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		const text = "&query=com"
		client := s.dial(b, s.address)
		list := getPage(b, client, "/api/v2/lists?order_by=id&order_dir=asc").Data[0].ID
		tag := getPage(b, client, "/api/v2/tags?order_by=id&order_dir=asc").Data[0].ID
		filters := []struct{ name, parameters string }{
			{"none", text},
			{"visibility", text + "&visibility=1"},
			{"private_only", text + "&private_only=1"},
			{"broken_only", text + "&broken_only=1"},
			{"empty_lists", text + "&empty_lists=1"},
			{"empty_tags", text + "&empty_tags=1"},
			{"only_lists", fmt.Sprintf("%s&only_lists=%d", text, list)},
			{"only_tags", fmt.Sprintf("%s&only_tags=%d", text, s.commonTag)},
			{"only_tags-any", fmt.Sprintf("%s&only_tags=%d,%d", text, s.commonTag, tag)},
			{"only_tags-all", fmt.Sprintf("%s&only_tags=%d,%d&tag_mode=all", text, s.commonTag, tag)},
			{"exclude_lists", fmt.Sprintf("%s&exclude_lists=%d", text, list)},
			{"exclude_tags", fmt.Sprintf("%s&exclude_tags=%d", text, s.commonTag)},
			{"order-created_at-desc", text + "&order_by=created_at:desc"},
			{"order-url-asc", text + "&order_by=url:asc"},
			{"page-middle", text + "&page=middle"},
			{"broken_only-alone", "&broken_only=1"},
			{"empty_lists-alone", "&empty_lists=1"},
			{"empty_tags-alone", "&empty_tags=1"},
			{"only_lists-alone", fmt.Sprintf("&only_lists=%d", list)},
			{"only_tags-alone", fmt.Sprintf("&only_tags=%d", s.commonTag)},
			{"only_tags-any-alone", fmt.Sprintf("&only_tags=%d,%d", s.commonTag, tag)},
			{"only_tags-all-alone", fmt.Sprintf("&only_tags=%d,%d&tag_mode=all", s.commonTag, tag)},
		}
		for _, filter := range filters {
			path := searchPath + filter.parameters
			if before, ok := strings.CutSuffix(path, "&page=middle"); ok {
				path = pagePaths(b, s, before)["middle"]
			}
			b.Run("filter="+filter.name, func(b *testing.B) {
				measureGET(b, s, path)
				b.ReportMetric(float64(getPage(b, client, path).Total), "hits")
			})
		}
	})
}
