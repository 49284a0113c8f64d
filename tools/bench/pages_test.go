package bench

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkPages requests pages of the web interface as a browser with a session does. The
// API's page of 24 links is requested alternately: api-ratio is the median of the page,
// relative to that of the API's page, so that other load on the machine counts for both.
// gzip-bytes is the size of the response.
func BenchmarkPages(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		api := s.dial(b, s.address)
		link := getPage(b, api, "/api/v2/links").Data[0].ID
		list := getPage(b, api, "/api/v2/lists").Data[0].ID
		api.AddHeader("Accept-Encoding: gzip")
		browser := s.dial(b, s.address)
		browser.AddHeader("Cookie: waymark=" + s.session)
		browser.AddHeader("Accept-Encoding: gzip")
		for _, page := range []struct{ name, path string }{
			{"links", "/links"},
			{"links-compact", "/links?view=compact"},
			{"links-cards", "/links?view=cards"},
			{"search", "/links?query=the"},
			{"link", fmt.Sprint("/links/", link)},
			{"list", fmt.Sprint("/lists/", list)},
			{"tag", fmt.Sprint("/tags/", s.commonTag)},
			{"lists", "/lists"},
			{"tags", "/tags"},
			{"settings", "/settings/profile"},
			{"feed", "/links/feed"},
		} {
			b.Run("page="+page.name, func(b *testing.B) {
				size := len(mustDo(b, browser, "GET", page.path, nil))
				mustDo(b, api, "GET", "/api/v2/links", nil)
				var pages, responses Latencies
				for b.Loop() {
					before := time.Now()
					mustDo(b, api, "GET", "/api/v2/links", nil)
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
