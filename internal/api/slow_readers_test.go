package api

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// The clients of one user that do not read their streams, and many searches of that user, leave permits
// to others.
func TestSlowReadersAndManySearchesOfOneUserDoNotBlockAnother(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	var models []string
	for i := range 200 {
		models = append(models, fmt.Sprintf(`{"url":"https://go.dev/%d","visibility":1,"description":%q}`, i, strings.Repeat("a", 20_000)))
	}
	ann.post(t, "/bulk/links", `{"models":[`+strings.Join(models, ",")+`]}`).ok(t)
	for i := range 15 {
		conn := s.dial(t)
		defer conn.Close()
		fmt.Fprintf(conn, "GET /api/%s/links?per_page=-1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", s.version, ann.key)
		if i < 4 { // the others wait for a permit
			if line, err := bufio.NewReaderSize(conn, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
				t.Fatalf("stream %d: got %q, error %v", i, line, err)
			}
		}
	}
	var searches sync.WaitGroup
	for range 100 {
		searches.Go(func() {
			if got := ann.get(t, "/search/links?query=aaa&per_page=1").status; got != http.StatusOK && got != http.StatusServiceUnavailable {
				t.Errorf("a search of ann: got status %d", got)
			}
		})
	}
	for _, path := range []string{"/links", "/links/1", "/search/links?query=go.dev&per_page=1", "/links?per_page=-1"} {
		ben.get(t, path).wantStatus(t, http.StatusOK)
	}
	searches.Wait()
}
