package linkace

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

func TestDocsPageWorksInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	server := newVersionServer(t)
	browser, problems := openBrowser(t, server.URL)

	inBrowser(t, browser,
		chromedp.Navigate(server.URL+"/api/docs"),
		chromedp.WaitVisible("#operations-Links-allLinks"),
		enterKey,
		callVersion,
	)
	// A script of another page of this host, or the next user of the browser, could read it.
	if stored := seenIn(t, browser, chromedp.Evaluate[string](`JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])`)); stored != `[{},{},""]` {
		t.Errorf("the page stores %s in the browser, want nothing", stored)
	}
	operations := seenIn(t, browser, chromedp.Evaluate[int](`document.querySelectorAll(".opblock").length`))
	if want := countOperations(v2); operations != want {
		t.Errorf("the page shows %d operations, want %d", operations, want)
	}
	if got := strings.TrimSpace(seenIn(t, browser, chromedp.Text(".info .version"))); got != v2 {
		t.Errorf("the page opens with version %q, want v2", got)
	}

	inBrowser(t, browser,
		chromedp.Click(`nav a[href$="?version=v1"]`),
		chromedp.WaitVisible(`nav a[href$="?version=v1"][aria-current]`),
		chromedp.WaitVisible("#operations-Links-allLinks"),
		enterKey,
		callVersion,
	)
	if got := strings.TrimSpace(seenIn(t, browser, chromedp.Text(".info .version"))); got != v1 {
		t.Errorf("the link to v1 leads to %q", got)
	}

	want := []string{"GET /api/v2/version Bearer key-of-ada", "GET /api/v1/version Bearer key-of-ada"}
	if got := server.calls(); !slices.Equal(got, want) {
		t.Errorf("got calls %q, want %q", got, want)
	}
	for _, problem := range problems() {
		t.Error(problem)
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

// inBrowser runs actions in a browser.
func inBrowser(t *testing.T, browser context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(browser, steps...); err != nil {
		t.Fatal(err)
	}
}

// seenIn returns the result of an action in a browser.
func seenIn[T any](t *testing.T, browser context.Context, at chromedp.Action[T]) T {
	t.Helper()
	seen, err := chromedp.Run(browser, at)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

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

// openBrowser starts Chromium. problems returns what the page should not cause:
// errors, warnings, violations of its policy, and calls to other hosts.
func openBrowser(t *testing.T, home string) (browser context.Context, problems func() []string) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium),
		chromedp.NoSandbox, // not available in containers
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1280, 1600),
	)...)
	t.Cleanup(cancel)
	browser, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)

	var mu sync.Mutex
	var all []string
	report := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, fmt.Sprintf(format, args...))
	}
	err = chromedp.Listen(browser, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded: // includes violations of the Content-Security-Policy
			report("log: %s %s", e.Entry.Text, e.Entry.URL)
		case *runtime.EventExceptionThrown:
			report("exception: %v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				report("console: %s %s", e.Type, e.Args[0].Value)
			}
		case *network.EventRequestWillBeSent:
			if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" && u.Scheme+"://"+u.Host != home {
				report("call: %s", e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return browser, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}
