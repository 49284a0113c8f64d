package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"waymark/internal/httpx/browsertest"
)

func TestDocsPageWorksInBrowser(t *testing.T) {
	server := newVersionServer(t)
	tab := browsertest.Start(t).Open(t, server.URL)
	version := func() string {
		return browsertest.Eval[string](tab, `document.querySelector(".info .version").innerText.trim()`)
	}

	tab.Do(
		chromedp.Navigate(server.URL+"/api/docs"),
		chromedp.WaitVisible("#operations-Links-allLinks"),
		enterKey,
		callVersion,
	)
	// A script of another page of this host, or the next user of the browser, could read it.
	if stored := browsertest.Eval[string](tab, `JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])`); stored != `[{},{},""]` {
		t.Errorf("the page stores %s in the browser, want nothing", stored)
	}
	operations := browsertest.Eval[int](tab, `document.querySelectorAll(".opblock").length`)
	if want := countOperations(v2); operations != want {
		t.Errorf("the page shows %d operations, want %d", operations, want)
	}
	if got := version(); got != v2 {
		t.Errorf("the page opens with version %q, want v2", got)
	}

	tab.Do(
		chromedp.Click(`nav a[href$="?version=v1"]`),
		chromedp.WaitVisible(`nav a[href$="?version=v1"][aria-current]`),
		chromedp.WaitVisible("#operations-Links-allLinks"),
		enterKey,
		callVersion,
	)
	if got := version(); got != v1 {
		t.Errorf("the link to v1 leads to %q", got)
	}

	want := []string{"GET /api/v2/version Bearer key-of-ada", "GET /api/v1/version Bearer key-of-ada"}
	if got := server.calls(); !slices.Equal(got, want) {
		t.Errorf("got calls %q, want %q", got, want)
	}
}

// enterKey enters an API key on the page.
var enterKey = chromedp.Steps(
	chromedp.Click(".btn.authorize"),
	chromedp.SendKeys(".auth-container input", "key-of-ada"),
	chromedp.Click(".auth-btn-wrapper .authorize"),
	chromedp.Click(".auth-btn-wrapper .btn-done"),
)

// callVersion calls GET /version from the page and waits for the response.
var callVersion = chromedp.Steps(
	chromedp.Click("#operations-General-getVersion .opblock-summary-control"),
	chromedp.Click("#operations-General-getVersion .try-out__btn"),
	chromedp.Click("#operations-General-getVersion .execute"),
	chromedp.WaitVisible("#operations-General-getVersion .live-responses-table .response-col_description"),
)

func countOperations(version string) (n int) {
	for _, item := range declarations[version]().spec.Paths.Map() {
		n += len(item.Operations())
	}
	return n
}

// versionServer serves the documentation and records its calls of the API.
type versionServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func newVersionServer(t *testing.T) *versionServer {
	s := &versionServer{}
	mux := http.NewServeMux()
	mux.Handle("/api/", docsBelow(""))
	for _, version := range []string{v1, v2} {
		mux.HandleFunc("GET /api/"+version+"/version", func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			s.seen = append(s.seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
			s.mu.Unlock()
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"version":%q}`, version) //nolint:errcheck // the test would fail
		})
	}
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *versionServer) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}
