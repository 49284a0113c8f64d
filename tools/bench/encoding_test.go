package bench

import (
	"net/http"
	"testing"
)

// BenchmarkEncoding compares responses with gzip, and 304 responses to clients that have the
// response already, with plain ones. A cpu-ratio of 0.8 means that they need 1/0.8 of the processor
// time. The metric size is the length of the body relative to the plain one.
func BenchmarkEncoding(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		for name, path := range map[string]string{
			"link":     "/api/v2/links/7",
			"page=24":  "/api/v2/links",
			"page=100": "/api/v2/links?per_page=100",
			"all":      "/api/v2/links?per_page=-1",
		} {
			plain := s.dial(b, s.address)
			plainSize := len(mustDo(b, plain, "GET", path, nil))
			compare := func(name, header string) {
				encoded := s.dial(b, s.address)
				encoded.AddHeader(header)
				b.Run(name, func(b *testing.B) {
					get := func(client *Client) func(int, int64) {
						return func(int, int64) {
							if status, _, err := client.Do("GET", path, nil); err != nil || status != http.StatusOK && status != http.StatusNotModified {
								b.Fatalf("%s: %d, %v", path, status, err)
							}
						}
					}
					measureRatio(b, 1, 10, get(encoded), get(plain))
					_, body, err := encoded.Do("GET", path, nil)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(body))/float64(plainSize), "size")
				})
			}
			compare(name+"/gzip", "Accept-Encoding: gzip")
			if name != "all" { // streams have no entity tag
				compare(name+"/unchanged", "If-None-Match: *")
			}
		}
	})
}
