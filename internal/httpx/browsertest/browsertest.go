// Package browsertest drives Chromium in tests. It reports what a page must not cause:
// errors and warnings on the console, exceptions, violations of the
// Content-Security-Policy, and requests to other hosts.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// begin skips the test with -short. The part of the name is the one by which make tests leaves the test out and
// make browsers runs it. It runs beside another test: a browser waits for the server half of the time.
func begin(t *testing.T, name string) {
	t.Helper()
	if !strings.Contains(t.Name(), name) {
		t.Fatalf("the name of a test with a browser contains %s: see make browsers", name)
	}
	if testing.Short() {
		t.Skip("starts a browser")
	}
	t.Parallel()
}

// Browser is a running Chromium.
type Browser struct{ ctx context.Context }

// shared is the Chromium that all tests of a process share: a start takes a second, and each tab has cookies of its own.
var shared chromium

// chromium is a Chromium that is started when it is needed first.
type chromium struct {
	once    sync.Once
	browser *Browser
	err     error
}

func (c *chromium) start(path string) (*Browser, error) {
	c.once.Do(func() {
		ctx, _ := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path),
			chromedp.NoSandbox, // not available in containers
			chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true),
			// Hosts of this machine that are not trustworthy, as localhost is: as in a home network.
			chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1"),
			chromedp.Flag("disable-component-update", true),
			chromedp.WindowSize(1280, 1600),
		)...)
		ctx, _ = chromedp.NewContext(ctx)
		c.browser, c.err = &Browser{ctx}, chromedp.Do(ctx)
	})
	return c.browser, c.err
}

// Start starts Chromium, if no other test has. It skips the test with -short and where Chromium is not installed, and
// fails it there with CI=true.
func Start(t *testing.T) *Browser {
	t.Helper()
	begin(t, "InBrowser")
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("chromium is not installed")
	}
	b, err := shared.start(path)
	if err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return b
}

// End ends the Chromium that the tests have shared. It takes and returns the exit code of the tests. Packages with such
// tests call it at the end of TestMain.
func End(code int) int {
	if shared.browser != nil {
		chromedp.Cancel(shared.browser.ctx) //nolint:errcheck // the process ends
	}
	return code
}

// Open opens a tab for the pages of the server at home, such as http://127.0.0.1:8080. The
// tab has no cookies of other tabs. At the end of the test it reports what the pages must
// not cause.
func (b *Browser) Open(t *testing.T, home string) *Tab {
	t.Helper()
	return b.open(t, b.ctx, home, chromedp.WithNewBrowserContext())
}

// OpenBeside opens another tab with the cookies of this one.
func (b *Browser) OpenBeside(tab *Tab) *Tab {
	tab.t.Helper()
	return b.open(tab.t, tab.ctx, tab.home)
}

func (b *Browser) open(t *testing.T, parent context.Context, home string, options ...chromedp.ContextOption) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	t.Cleanup(cancel)
	tab := &Tab{t: t, ctx: ctx, home: home}
	// Chromium's report if the next page comes while it animates the change of pages.
	tab.Allow("Transition was (aborted|skipped)")
	// Several tabs are looked at at once.
	focus := chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	})
	if err := chromedp.Do(ctx, focus); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, tab.observe); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, problem := range tab.Problems() {
			t.Error(problem)
		}
	})
	return tab
}
