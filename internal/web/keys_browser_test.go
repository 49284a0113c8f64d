package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// run runs a statement.
func run(statement string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](statement)
}

func wantFocus(t *testing.T, tab *browsertest.Tab, want string) {
	t.Helper()
	if got := tab.Focused(); got != want {
		t.Errorf("%q has the focus, want %q", got, want)
	}
}

// unreliable serves a site. While down is true, forms and the library of the script get no response.
func unreliable(t *testing.T, site http.Handler) (server *httptest.Server, down *atomic.Bool) {
	t.Helper()
	down = new(atomic.Bool)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() && (r.Method == http.MethodPost || strings.Contains(r.URL.Path, "/htmx")) {
			panic(http.ErrAbortHandler) // closes the connection
		}
		site.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server, down
}

func TestFirstOfferFollowsTheFieldInBrowser(t *testing.T) {
	_, ada, tab := linksTab(t)
	ada.addLink(waymark.LinkInput{URL: "https://kubernetes.example/", Title: new("Kubernetes ingress")})
	tab.Press("/")
	tab.Press("kubernets")
	tab.Until(`location.search === "?q=kubernets" && document.querySelector("#status").textContent === "Nothing matches. 1 for kubernetes."`)
	tab.Press(kb.Tab)
	tab.Until(`document.activeElement.matches(".instead a[aria-current]")`)
	tab.Press(kb.Enter)
	tab.Until(`location.search === "?q=kubernetes" && document.querySelectorAll("li.link").length === 1`)
}

func TestKeysMoveAndSelectRowsInBrowser(t *testing.T) {
	s, ada, tab := linksTab(t)
	for _, step := range []struct{ keys, want string }{
		{"j", "Page 29"}, {"jj", "Page 27"}, {"k", "Page 28"}, {kb.ArrowDown + kb.ArrowDown, "Page 26"}, {"j", "Page 25"},
	} {
		tab.Press(step.keys)
		wantFocus(t, tab, step.want)
	}
	tab.Press("j", kb.ModifierCtrl) // with Ctrl it is the browser's
	wantFocus(t, tab, "Page 25")
	tab.Press("/j")
	tab.Until(`document.activeElement.name === "q" && document.activeElement.value === "j"`)
	tab.Go("/links")
	picked := func(n int, status string) {
		t.Helper()
		tab.Until(fmt.Sprintf(`document.querySelectorAll(".pick input:checked").length === %d && document.querySelector("#status").textContent.includes(%q)`, n, status))
	}
	tab.Press("jxjj")
	tab.Press("X")
	picked(3, "3 selected")
	tab.Press(kb.Escape)
	picked(0, "")
	tab.Press("*")
	picked(24, "24 selected")
	tab.Press(kb.Escape)
	tab.Click("li.link:nth-of-type(2) .pick input")
	tab.Click("li.link:nth-of-type(4) .pick input", kb.ModifierShift)
	picked(3, "3 selected")
	tab.Click(".bulk .all")
	picked(24, "All 30 selected")
	tab.Click("li.link:nth-of-type(1) .pick input") // no row can be left out of all
	picked(23, "23 selected")

	tab.Go("/links")
	tab.Press("jr") // opens the text, and the link if it has none
	tab.Until(`location.pathname === "/links/30" && document.querySelector(".look")`)
	tab.Press("gi")
	tab.UntilPath("/lists")
	tab.Press("n")
	tab.UntilPath("/links/create")
	check(t, s.accounts.SaveSettings(t.Context(), ada.user.ID, waymark.Settings{NoShortcuts: true}))
	tab.Go("/links")
	tab.Press("j?gi")
	if got := browsertest.Eval[string](tab, "document.activeElement.tagName"); got != "BODY" || tab.Path() != "/links" {
		t.Errorf("without shortcuts %s has the focus on %s, want nothing", got, tab.Path())
	}
}

// A row that is gone takes its day along. The key undoes what the last message offers, and not a change before that.
func TestTrashedRowLeavesAndComesBackInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	for i := range 4 {
		ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), CreatedAt: new(s.store.Now().Add(-time.Duration(i*40) * 24 * time.Hour))})
	}
	server, down := unreliable(t, s.site)
	tab := openTab(t, chromium, server.URL)
	const days = `[...document.querySelectorAll(".day")].filter((day) => day.checkVisibility()).length`
	const rows = `[...document.querySelectorAll(".link")].filter((row) => row.checkVisibility()).length`
	tab.Press("jj#")
	tab.UntilText("#toasts", "is in the trash.")
	tab.UntilText("h1", "Links 3")
	if got := browsertest.Eval[string](tab, rows+` + " " + `+days); got != "3 3" {
		t.Errorf("got %s rows and days, want 3 3: the day of the row is empty", got)
	}
	tab.Press("y")
	tab.UntilText("#toasts", "Copied.")
	tab.Press("z")
	tab.UntilText("#toasts", "There is nothing to undo.")

	tab.Allow("net::ERR_EMPTY_RESPONSE|htmx:error")
	for _, loaded := range []bool{true, false} { // the library is loaded after the first frame, which can fail, too
		down.Store(!loaded)
		tab.Go("/links")
		before := browsertest.Eval[int](tab, rows)
		down.Store(true)
		tab.Press("j#")
		tab.UntilText("#toasts", "No answer from the server.")
		if got := browsertest.Eval[int](tab, rows); got != before {
			t.Errorf("without an answer: got %d rows, want %d", got, before)
		}
		down.Store(false)
		tab.Click(".toast button")
		tab.UntilText("#toasts", "is in the trash.")
		if got := browsertest.Eval[int](tab, rows); got != before-1 {
			t.Errorf("tried again: got %d rows, want %d", got, before-1)
		}
	}
	if got := browsertest.Eval[int](tab, `document.querySelectorAll("script[src*=htmx]").length`); got != 1 {
		t.Errorf("the library is loaded %d times", got)
	}
}

func TestPastedURLIsSavedInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	tab.Do(run(`(() => {
		const data = new DataTransfer();
		data.setData("text", " https://pasted.example/a?b=c\n");
		document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	})()`))
	tab.Until(`document.activeElement.value === "https://pasted.example/a?b=c"`)
	tab.Press(kb.Enter)
	tab.UntilText(".toast", "“pasted.example” is saved.")
	tab.Press("j")
	tab.Press("k", kb.ModifierCtrl)
	tab.Type("page")
	tab.UntilText("#jump-list", "Page ")
	tab.Press(kb.Escape)
	tab.Until(`!document.getElementById("jump").open`)
	wantFocus(t, tab, "pasted.example")
	tab.Press("k", kb.ModifierCtrl)
	tab.Type("Page 29")
	tab.UntilText("#jump-list [aria-selected=true]", "Page 29")
	tab.Press(kb.Enter)
	tab.UntilText("main h1", "Page 29")
	tab.Until(`document.cookie.includes("tz=" + encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone))`)
	tab.Go("/settings/profile")
	tab.Click("[data-reveal]")
	tab.Until(`document.querySelector("[data-reveal]").ariaPressed === "true" && document.querySelector("[autocomplete$=-password]").type === "text"`)
}

func TestNamesBecomeTokensInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Tags: &[]waymark.Ref{{Name: "golang"}, {Name: "gopher"}, {Name: "<b>goose</b>"}}})
	tab := openTab(t, chromium, s.URL)
	tab.Go("/links/create?tags=go,%22a+b%22,twice,twice")
	want := func(shown, sent string) {
		t.Helper()
		got := browsertest.Eval[string](tab, `[...document.querySelectorAll(".token bdi")].map((e) => e.textContent).join("|") + " " + document.querySelector("[name=tags]").value`)
		if got != shown+" "+sent {
			t.Errorf("got %q, want %q", got, shown+" "+sent)
		}
	}
	want(`go|"a b"|twice|twice`, `go, "a b", twice, twice`)
	tab.Click("[aria-label='Remove twice']")
	tab.Click("[aria-label='Remove twice']")
	want(`go|"a b"`, `go, "a b"`)
	tab.Click("label[for=tags]")
	wantFocus(t, tab, "tags")
	tab.Type("go")
	tab.Until(`document.querySelectorAll("#tags-options [role=option]").length === 4`) // and a new one
	tab.Press(kb.ArrowDown)
	first := browsertest.Eval[string](tab, `document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).dataset.value`)
	tab.Press(kb.Enter)
	want(`go|"a b"|`+first, `go, "a b", `+first)
	tab.Type("Go,typed")
	tab.Press(kb.Enter)
	want(`go|"a b"|`+first+`|typed`, `go, "a b", `+first+`, typed`)
	tab.Type("goos")
	tab.UntilText("#tags-options [role=option]", "<b>goose</b>")
	tab.Click("#tags-options [role=option]")
	want(`go|"a b"|`+first+`|typed|<b>goose</b>`, `go, "a b", `+first+`, typed, <b>goose</b>`)
	wantFocus(t, tab, "tags")
	tab.Press(kb.Backspace)
	wantFocus(t, tab, "Remove <b>goose</b>")
	tab.Press(kb.ArrowLeft + kb.ArrowLeft + kb.Delete)
	wantFocus(t, tab, "Remove typed")
	tab.Press(kb.ArrowRight + kb.ArrowRight)
	wantFocus(t, tab, "tags")
	want(`go|"a b"|typed|<b>goose</b>`, `go, "a b", typed, <b>goose</b>`)
	tab.Type("x")
	tab.Until(`document.querySelector("#tags-options [role=option]")`)
	tab.Press(kb.Escape)
	if browsertest.Eval[bool](tab, `document.getElementById("tags-options").checkVisibility()`) {
		t.Error("Escape does not close the suggestions")
	}
	tab.Do(run(`document.querySelector("#url").value = "https://tokens.example/"`))
	tab.Click("#link .main-act")
	tab.UntilText(".link .filed", "<b>goose</b>")
}
