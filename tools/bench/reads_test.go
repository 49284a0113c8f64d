package bench

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
)

// BenchmarkFirstPage reads the 24 newest links and the total, with 1, 16 and 200 clients.
func BenchmarkFirstPage(b *testing.B) {
	const path = "/api/v2/links"
	forEachSize(b, func(b *testing.B, s *testServer) {
		for _, connections := range []int{1, 16, 200} {
			clients := s.dialMany(b, s.address, connections)
			for _, client := range clients {
				mustDo(b, client, "GET", path, nil)
			}
			b.Run(fmt.Sprintf("clients=%d", connections), func(b *testing.B) {
				measureConcurrently(b, connections, func(client int, _ int64) { mustDo(b, clients[client], "GET", path, nil) })
			})
		}
	})
}

// measureGET measures a GET request with one client.
func measureGET(b *testing.B, s *testServer, path string) {
	b.Helper()
	client := s.dial(b, s.address)
	mustDo(b, client, "GET", path, nil)
	measure(b, func(int) { mustDo(b, client, "GET", path, nil) })
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
