package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Tab is a tab with its own cookies.
type Tab struct {
	t     *testing.T
	ctx   context.Context
	home  string
	touch bool // the screen is one that is touched, as of a phone

	mu       sync.Mutex
	problems []string
	allowed  []*regexp.Regexp
}

// limit is the time in which a step must succeed.
const limit = 2 * time.Minute

// observe receives the events of the tab.
func (tab *Tab) observe(event any) {
	switch e := event.(type) {
	case *log.EventEntryAdded: // includes violations of the Content-Security-Policy
		if e.Entry.Level == log.EntryLevelInfo {
			return
		}
		tab.report("log: %s %s", e.Entry.Text, e.Entry.URL)
	case *runtime.EventExceptionThrown:
		details := e.ExceptionDetails
		text := details.Text
		if details.Exception != nil {
			text += " " + details.Exception.Description
		}
		tab.report("exception: %s at %s:%d", text, details.URL, details.LineNumber+1)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			tab.report("console: %s %s", e.Type, e.Args[0].Value)
		}
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err != nil || u.Scheme != "data" && u.Scheme != "about" && u.Scheme+"://"+u.Host != tab.home {
			tab.report("request to another host: %s", e.Request.URL)
		}
	}
}

func (tab *Tab) report(format string, args ...any) {
	problem := fmt.Sprintf(format, args...)
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if !slices.ContainsFunc(tab.allowed, func(r *regexp.Regexp) bool { return r.MatchString(problem) }) {
		tab.problems = append(tab.problems, problem)
	}
}

// Allow ignores problems that match a regular expression.
func (tab *Tab) Allow(pattern string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.allowed = append(tab.allowed, regexp.MustCompile(pattern))
}

// Problems returns the problems since its last call.
func (tab *Tab) Problems() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	problems := tab.problems
	tab.problems = nil
	return problems
}

// Do runs actions one after the other.
func (tab *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, limit)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		tab.t.Fatalf("%v%s", err, tab.state())
	}
}

// Go opens a page of the server by its path.
func (tab *Tab) Go(path string) {
	tab.t.Helper()
	tab.Do(chromedp.Navigate(tab.home + path))
}

// Path returns the path and the query of the page.
func (tab *Tab) Path() string {
	tab.t.Helper()
	return Eval[string](tab, "location.pathname + location.search")
}

// Press presses and releases keys, such as "j" or kb.Enter, on what has the focus, when the page is ready.
func (tab *Tab) Press(keys string, modifiers ...chromedp.Modifier) {
	tab.t.Helper()
	tab.ready()
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, r := range keys {
			key, ok := kb.Keys[r]
			if !ok {
				return fmt.Errorf("no key has %q", r)
			}
			down := input.DispatchKeyEventParams{
				Type: kb.KeyRawDown, Code: key.Code, Key: key.Key,
				WindowsVirtualKeyCode: key.Windows, NativeVirtualKeyCode: key.Native,
			}
			for _, m := range modifiers {
				down.Modifiers |= m.Int64()
			}
			if key.Shift {
				down.Modifiers |= kb.ModifierShift.Int64()
			}
			// chromedp.KeyEvent enters the character although a handler prevents that.
			if key.Print && len(modifiers) == 0 {
				down.Type, down.Text, down.UnmodifiedText = kb.KeyDown, key.Text, key.Unmodified
			}
			up := down
			up.Type, up.Text, up.UnmodifiedText = kb.KeyUp, "", ""
			for _, params := range []input.DispatchKeyEventParams{down, up} {
				if _, err := cdp.Call(ctx, target, input.DispatchKeyEvent, params); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// Type enters text where the focus is, as an input method does: without keys. It waits as Press does.
func (tab *Tab) Type(text string) {
	tab.t.Helper()
	tab.ready()
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// Click clicks with the mouse on the first visible element that matches a CSS selector. It waits as Press does.
func (tab *Tab) Click(selector string, modifiers ...chromedp.Modifier) {
	tab.t.Helper()
	tab.ready()
	tab.Do(chromedp.QueryAfter(chromedp.CSS(selector), func(ctx context.Context, target *chromedp.Target, nodes []*chromedp.Node) (chromedp.Void, error) {
		return chromedp.MouseClickNode(nodes[0], chromedp.ButtonModifiers(modifiers...))(ctx, target)
	}, chromedp.NodeVisible))
}

// Resize sets the size of the page in CSS pixels.
func (tab *Tab) Resize(width, height int64) {
	tab.t.Helper()
	var options []chromedp.EmulateViewportOption
	if tab.touch {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	tab.Do(chromedp.EmulateViewport(width, height, options...))
}

// Touch makes the tab one of a phone, with a touch screen of this size in CSS pixels.
func (tab *Tab) Touch(width, height int64) {
	tab.t.Helper()
	tab.touch = true
	tab.Resize(width, height)
}

// Media sets media features by their names, such as "prefers-color-scheme", "dark".
func (tab *Tab) Media(pairs ...string) {
	tab.t.Helper()
	var features []*emulation.MediaFeature
	for i := 0; i < len(pairs); i += 2 {
		features = append(features, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	}))
}

// Print shows the page as it is printed.
func (tab *Tab) Print() {
	tab.t.Helper()
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return err
	}))
}

// Scripts allows or forbids the scripts of pages. Eval works anyway.
func (tab *Tab) Scripts(on bool) {
	tab.t.Helper()
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	}))
}

// isReady is true when a page is loaded, htmx has no answer left to show, and autofocus has had its effect.
const isReady = `document.readyState === "complete" &&
	!document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added") &&
	(document.activeElement !== document.body || !document.querySelector("[autofocus]")?.checkVisibility())`

// ready waits as a person would before they act, until the page no longer moves. Some pages do not come to rest,
// because they ask the server again and again, or because the focus was taken away: then it waits a second.
func (tab *Tab) ready() {
	ctx, cancel := context.WithTimeout(tab.ctx, time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](isReady)); err == nil && ok {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Until waits until a JavaScript expression is true. It also waits for the next page.
func (tab *Tab) Until(expression string) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, limit)
	defer cancel()
	for {
		// An error means that the browser is between two pages.
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			tab.t.Fatalf("not true: %s%s", expression, tab.state())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// UntilPath waits until the page at this path and query is loaded.
func (tab *Tab) UntilPath(path string) {
	tab.t.Helper()
	tab.Until("document.readyState === 'complete' && location.pathname + location.search === " + quote(path))
}

// UntilText waits until the first element that matches a CSS selector contains a text, with single
// spaces.
func (tab *Tab) UntilText(selector, text string) {
	tab.t.Helper()
	tab.Until(fmt.Sprintf("document.querySelector(%s)?.textContent.replace(/\\s+/g, ' ').includes(%s)", quote(selector), quote(text)))
}

// Focused returns a description of what has the focus: its id, or its accessible name or
// text.
func (tab *Tab) Focused() string {
	tab.t.Helper()
	return Eval[string](tab, `(() => { const e = document.activeElement; return e.id || e.ariaLabel || e.textContent.trim() || e.tagName })()`)
}

// Screenshot writes a picture of the visible part of the page to a file in the folder that WAYMARK_SCREENSHOTS names, if
// it is set: name.png, or a WebP picture if the name ends with .webp.
func (tab *Tab) Screenshot(name string) {
	tab.t.Helper()
	dir := os.Getenv("WAYMARK_SCREENSHOTS")
	if dir == "" {
		return
	}
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: new(int64(85))}
	if !strings.HasSuffix(name, ".webp") {
		params, name = page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}, name+".png"
	}
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		picture, err := cdp.Call(ctx, target, page.CaptureScreenshot, params)
		if err != nil {
			return err
		}
		return os.WriteFile(dir+"/"+name, picture.Data, 0o644) //nolint:gosec // a picture of test data
	}))
}

// state describes the page for messages about failures.
func (tab *Tab) state() string {
	ctx, cancel := context.WithTimeout(tab.ctx, 2*time.Second)
	defer cancel()
	state, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\nfocus: " + document.activeElement?.outerHTML.slice(0, 200) + "\n" + document.body.innerText.slice(0, 1500)`))
	if err != nil {
		return ""
	}
	return "\non " + state + "\nproblems: " + strings.Join(tab.Problems(), "\n")
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, limit)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// quote returns a text as a JavaScript string.
func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string has a JSON form
	}
	return string(quoted)
}
