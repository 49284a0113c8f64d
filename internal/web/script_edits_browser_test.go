package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
)

func failure(t *testing.T, server *scriptServer, tab *browsertest.Tab) {
	tab.Allow("net::ERR_EMPTY_RESPONSE|htmx:error|status of 404")
	server.setFailing(true)
	tab.Press("j#")
	tab.UntilText("#toasts", "No answer from the server.")
	if !browsertest.Eval[bool](tab, `document.getElementById("link-1").checkVisibility()`) {
		t.Error("the row is not visible")
	}
	wantHeading(t, tab, "Links 1,004")
	server.setFailing(false)
	server.requests()
	tab.Click(".toast button")
	tab.UntilText("#toasts", "one is in the trash.")
	wantRequests(t, server, "POST /links/1/trash back=/links")
	if browsertest.Eval[bool](tab, `document.getElementById("link-1").checkVisibility()`) {
		t.Error("the row is visible")
	}
	tab.Click("#link-4 .what") // beside the title
	tab.Do(run(`document.querySelector("#link-4 .row-actions button").click()`))
	tab.UntilText("#toasts", "There is nothing at this URL")
	if browsertest.Eval[bool](tab, `document.querySelector(".toast button") !== null`) {
		t.Error("an error that stays offers to try again")
	}
}

// The library is loaded after the first frame, which can fail like any other request.
func libraryFails(t *testing.T, server *scriptServer, tab *browsertest.Tab) {
	tab.Allow("net::ERR_EMPTY_RESPONSE")
	server.setFailing(true)
	tab.Go("/links")
	tab.Press("j#")
	tab.UntilText("#toasts", "No answer from the server.")
	if !browsertest.Eval[bool](tab, `document.getElementById("link-1").checkVisibility()`) {
		t.Error("the row is not visible")
	}
	server.setFailing(false)
	wantRequests(t, server)
	tab.Click(".toast button")
	tab.UntilText("#toasts", "one is in the trash.")
	wantRequests(t, server, "POST /links/1/trash back=/links")
	tab.Go("/links")
	tab.Until("window.htmx")
	if got := browsertest.Eval[int](tab, `document.querySelectorAll("script[src*=htmx]").length`); got != 1 {
		t.Errorf("the library is loaded %d times", got)
	}
}

func editInPlace(t *testing.T, server *scriptServer, tab *browsertest.Tab) {
	tab.Press("jje")
	tab.Until(`document.activeElement.name === "title"`)
	tab.Press(kb.Escape)
	wantFocus(t, tab, "two")
	tab.Press("t")
	tab.Until(`document.activeElement.id === "tags-2"`)
	tab.Type("new")
	tab.Until(`document.querySelector("#tags-2-options [aria-selected=true]")`)
	tab.Press(kb.Enter)
	tab.Click("#link-2 input[name=title]")
	tab.Do(run(`document.querySelector("#link-2 input[name=title]").value = ""`))
	tab.Allow("status of 422")
	tab.Press(kb.Enter)
	tab.Until(`document.querySelector("#link-2 input[name=title]").value === "required"`)
	tab.Until(`document.activeElement.name === "title"`)
	tab.Do(run(`document.activeElement.value = "changed"`))
	tab.Press(kb.Enter)
	tab.UntilText("#link-2 .title", "changed")
	tab.Until(`document.activeElement.textContent === "changed"`)
	if got := server.requests(); !slices.Contains(got, "POST /links/2 tags=new") {
		t.Errorf("got requests %q, want the new tag", got)
	}
	tab.Press("j")
	wantFocus(t, tab, "three")
}

func searchAsYouType(t *testing.T, server *scriptServer, tab *browsertest.Tab) {
	tab.Press("/")
	tab.Type("t")
	tab.Type("w")
	tab.Until(`document.querySelectorAll(".link").length === 1 && location.search === "?query=tw"`)
	tab.Type("o")
	tab.Until(`location.search === "?query=two"`)
	tab.UntilText("#status", "1 links found")
	wantFocus(t, tab, "Search, or paste a link to save it")
	for _, request := range server.requests() {
		if !strings.HasPrefix(request, "GET /links?query=") {
			t.Errorf("request %q", request)
		}
	}
	tab.Do(chromedp.NavigateBack())
	tab.Until(`location.search === "" && document.querySelectorAll(".link").length === 4 && document.readyState === "complete"`)
	tab.Allow("status of 503")
	tab.Press("/")
	tab.Type("busy")
	tab.UntilText(".toast", "The server is busy")
	tab.Until(`!document.querySelector(".htmx-request")`)
	if got := tab.Path(); got != "/links" {
		t.Errorf("the page has the URL %s, but shows all links", got)
	}
}

func paste(t *testing.T, server *scriptServer, tab *browsertest.Tab) {
	tab.Do(run(`(() => {
		const data = new DataTransfer();
		data.setData("text", " https://pasted.example/a?b=c\n");
		document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	})()`))
	tab.Until(`document.activeElement.value === "https://pasted.example/a?b=c"`)
	tab.Press(kb.Enter)
	tab.UntilText("#toasts", "Done.")
	if got := server.requests(); !slices.Contains(got, "POST /links quick=1&url=https%3A%2F%2Fpasted.example%2Fa%3Fb%3Dc") {
		t.Errorf("got requests %q", got)
	}
}

func tokens(t *testing.T, server *scriptServer, tab *browsertest.Tab) {
	names := func() string {
		return browsertest.Eval[string](tab, `[...document.querySelectorAll(".token bdi")].map((e) => e.textContent).join("|") + " " + document.querySelector("[name=tags]").value`)
	}
	want := func(want string) {
		t.Helper()
		if got := names(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	want(`go|"a b"|twice|twice go, "a b", twice, twice`)
	tab.Click("[aria-label='Remove twice']")
	want(`go|"a b"|twice go, "a b", twice`)
	tab.Click("[aria-label='Remove twice']")
	want(`go|"a b" go, "a b"`)
	tab.Click("label[for=tags]")
	wantFocus(t, tab, "tags")
	tab.Type("go")
	tab.Until(`document.querySelectorAll("#tags-options [role=option]").length === 4`)
	tab.Press(kb.ArrowDown)
	if got := browsertest.Eval[string](tab, `document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).textContent + document.activeElement.getAttribute("aria-expanded")`); got != "gophertrue" {
		t.Errorf("the field says that %q is selected", got)
	}
	tab.Press(kb.Enter)
	want(`go|"a b"|gopher go, "a b", gopher`)
	tab.Type("Go,typed")
	want(`go|"a b"|gopher go, "a b", gopher, typed`)
	tab.Press(kb.Enter)
	want(`go|"a b"|gopher|typed go, "a b", gopher, typed`)
	tab.Type("goo")
	tab.Until(`document.querySelectorAll("#tags-options [role=option]").length === 2`)
	tab.Click("#tags-options [role=option]")
	want(`go|"a b"|gopher|typed|<b>goose</b> go, "a b", gopher, typed, <b>goose</b>`)
	wantFocus(t, tab, "tags")
	tab.Press(kb.Backspace)
	wantFocus(t, tab, "Remove <b>goose</b>")
	tab.Press(kb.ArrowLeft + kb.ArrowLeft + kb.Delete)
	wantFocus(t, tab, "Remove typed")
	tab.Press(kb.ArrowRight + kb.ArrowRight)
	wantFocus(t, tab, "tags")
	want(`go|"a b"|typed|<b>goose</b> go, "a b", typed, <b>goose</b>`)
	tab.Press(kb.ArrowDown) // without a letter: the names that are used most
	tab.Until(`document.querySelector("#tags-options [role=option][aria-selected=true]")`)
	tab.Press(kb.Escape)
	tab.Type("x")
	tab.Until(`document.querySelector("#tags-options [role=option]")`)
	tab.Press(kb.Escape)
	if browsertest.Eval[bool](tab, `document.getElementById("tags-options").checkVisibility()`) {
		t.Error("Escape does not close the suggestions")
	}
	server.requests()
	tab.Click("main form:not(.listing) > button")
	tab.UntilText("#toasts", "Done.")
	wantRequests(t, server, "POST /tagged tags=go%2C+%22a+b%22%2C+typed%2C+%3Cb%3Egoose%3C%2Fb%3E%2C+x")
}

func jump(t *testing.T, _ *scriptServer, tab *browsertest.Tab) {
	tab.Press("j")
	tab.Press("k", kb.ModifierCtrl)
	wantFocus(t, tab, "Jump to")
	tab.Type("zz")
	tab.UntilText("#jump-list", "second zz")
	tab.Press(kb.Escape)
	tab.Until(`!document.getElementById("jump").open`)
	wantFocus(t, tab, "one")
	tab.Press("k", kb.ModifierCtrl)
	tab.Until(`document.querySelector("#jump-list [aria-selected=true]")?.textContent === "first "`)
	tab.Press(kb.ArrowDown + kb.Enter)
	tab.UntilPath("/lists/2")
}

func small(t *testing.T, _ *scriptServer, tab *browsertest.Tab) {
	tab.Press("j?")
	tab.UntilText("#keys", "Keyboard")
	tab.Press(kb.Escape)
	wantFocus(t, tab, "one")

	tab.Click("[data-copy]")
	tab.UntilText("#toasts", "Copied.")

	tab.Click("[data-reveal]")
	if got := browsertest.Eval[string](tab, `document.getElementById("password").type + document.querySelector("[data-reveal]").ariaPressed`); got != "texttrue" {
		t.Errorf("the password field is %q, want visible text", got)
	}
	tab.Until(`document.cookie.includes("tz=" + encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone))`)
	if got := browsertest.Eval[string](tab, `Object.keys(window).filter((name) => !["htmx"].includes(name) && !name.startsWith("cdp")).slice(-200).filter((name) => /find|toast|keys|enhance/i.test(name)).join()`); got != "" && got != "find" {
		t.Errorf("the script defines %s", got)
	}
}
