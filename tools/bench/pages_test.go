package bench

import (
	"fmt"
	"net/url"
	"testing"
	"time"
)

// manyWords are twenty words, each a part of many links, as a search of the pages can have.
const manyWords = "a b c d e f g h i l m n o p r s t u w /"

// BenchmarkPages requests pages of the web interface as a browser with a session does. The API's
// page of 24 links is requested alternately, and for the page of a search the API's search for the
// same word: api-ratio is the median of the page divided by the median of the API's response, so
// that other load on the machine counts for both. gzip-bytes is the size of the response.
func BenchmarkPages(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		api := s.dial(b, s.address)
		link := getPage(b, api, "/api/v2/links").Data[0].ID
		list := getPage(b, api, "/api/v2/lists").Data[0].ID
		api.AddHeader("Accept-Encoding: gzip")
		browser := s.dial(b, s.address)
		browser.AddHeader("Cookie: waymark=" + s.session)
		browser.AddHeader("Accept-Encoding: gzip")
		const all = "/api/v2/links"
		for _, page := range []struct{ name, path, api string }{
			{"links", "/links", all},
			{"links-compact", "/links?view=compact", all},
			{"links-cards", "/links?view=cards", all},
			{"search", "/links?query=the", "/api/v2/search/links?search_title=1&search_description=1&order_by=created_at:desc&query=the"},
			{"search-20-words", "/links?query=" + url.QueryEscape(manyWords), "/api/v2/search/links?search_title=1&search_description=1&order_by=created_at:desc&query=e"},
			{"link", fmt.Sprint("/links/", link), all},
			{"list", fmt.Sprint("/lists/", list), all},
			{"tag", fmt.Sprint("/tags/", s.commonTag), all},
			{"lists", "/lists", all},
			{"tags", "/tags", all},
			{"settings", "/settings/profile", all},
			{"feed", "/links/feed", all},
		} {
			b.Run("page="+page.name, func(b *testing.B) {
				size := len(mustDo(b, browser, "GET", page.path, nil))
				mustDo(b, api, "GET", page.api, nil)
				var pages, responses Latencies
				for b.Loop() {
					before := time.Now()
					mustDo(b, api, "GET", page.api, nil)
					between := time.Now()
					mustDo(b, browser, "GET", page.path, nil)
					responses, pages = append(responses, between.Sub(before)), append(pages, time.Since(between))
				}
				ofAPI, _, _ := responses.Percentiles()
				ofPage, _, _ := pages.Percentiles()
				b.ReportMetric(float64(ofPage)/float64(ofAPI), "api-ratio")
				b.ReportMetric(float64(size), "gzip-bytes")
				report(b, pages)
			})
		}
	})
}
