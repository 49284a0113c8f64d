package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// paneTab returns a tab of linksTab with a window that is wide enough for the pane.
func paneTab(t *testing.T) (*testSite, *browser, *browsertest.Tab) {
	t.Helper()
	s, ada, tab := linksTab(t)
	tab.Resize(1440, 900)
	return s, ada, tab
}

const untilShown = `document.querySelector("#pane .look h2")?.textContent === %q && document.activeElement.textContent === %[1]q`

// rowTops are where the rows of a page stand.
const rowTops = `[...document.querySelectorAll(".link")].map((row) => row.getBoundingClientRect().top).join()`

func TestPaneIsReadAndEditedWithTheKeyboardInBrowser(t *testing.T) {
	_, ada, tab := paneTab(t)
	tab.Press("j")
	before := browsertest.Eval[string](tab, rowTops)
	tab.Press(" ")
	tab.Until(fmt.Sprintf(untilShown, "Page 29"))
	if after := browsertest.Eval[string](tab, rowTops); after != before {
		t.Errorf("opening the pane has moved rows: %s, before %s", after, before)
	}
	places := browsertest.Eval[[]float64](tab, `[".side", ".main", "#pane"].flatMap((part) => { const { left, right, top } = document.querySelector(part).getBoundingClientRect(); return [left, right, top].map(Math.round); })`)
	if places[1] > places[3] || places[4] > places[6] || places[7] > 1440 || places[8] != 0 {
		t.Errorf("the pane is not beside the list: got the sides of sidebar, list and pane %v", places)
	}
	tab.UntilText("#status", "Page 29")
	pageChecks{t, tab, axeSource(t)}.now("pane", allRules)
	tab.Press("jj")
	tab.Until(fmt.Sprintf(untilShown, "Page 27"))

	// Fields are saved when they are left, and the row follows.
	tab.Press("t")
	tab.Until(`document.activeElement.matches("#pane #tags[role=combobox]")`)
	tab.Type("go, rust")
	tab.Press(kb.Escape)
	tab.UntilText(".toast", "“Page 27” is changed.")
	tab.Until(`document.activeElement.matches("#link-28 .title a")`)
	tab.UntilText("#link-28 .filed", "rust")
	tab.Press("l")
	tab.Until(`document.activeElement.matches("#pane #lists[role=combobox]")`)
	tab.Type("Reading")
	tab.Press(kb.Enter)
	tab.Press(kb.Enter)
	tab.UntilText("#link-28 .filed", "Reading")
	tab.Press("e")
	tab.Until(`document.activeElement.matches("#pane #title")`)
	tab.Do(run(`document.activeElement.select()`))
	tab.Type("New")
	tab.Press("n")
	tab.Press(kb.Enter)
	tab.UntilText("#link-28 .title", "Newn")
	tab.Press("n")
	tab.Until(`document.activeElement.matches("#pane #text")`)
	tab.Type("Why")
	tab.Press(kb.Tab)
	tab.UntilText("#pane .notes article .prose", "Why")
	if got := ada.get("/links/28"); got.attr("#tags", "value") != "go, rust" || got.attr("#lists", "value") != "Reading" || got.text("#title") != "Newn" {
		t.Errorf("got the tags %q, the lists %q and the title %q", got.attr("#tags", "value"), got.attr("#lists", "value"), got.text("#title"))
	}

	// A value that is refused stays, with the reason, until the person goes on a second time.
	tab.Allow("status of 422")
	tab.Press("e")
	tab.Do(run(fmt.Sprintf(`document.querySelector("#title").value = %q`, strings.Repeat("x", waymark.MaxTitle+1))))
	tab.Press(kb.Escape)
	tab.UntilText("#pane .wrong", "at most")
	tab.Until(`document.activeElement.matches("#pane #title")`)
	tab.Press(kb.Escape)
	tab.Press("j")
	tab.Until(`document.activeElement.matches("#pane #title")`)
	tab.Press(kb.Escape)
	tab.Press("j")
	tab.Until(fmt.Sprintf(untilShown, "Page 26"))

	// What was changed elsewhere is not replaced unseen.
	tab.Press("e")
	ada.post("/links/27", "title", "Elsewhere").wantStatus(303)
	tab.Type("Mine ")
	tab.Press(kb.Enter)
	tab.UntilText("#pane .wrong", "It now has “Elsewhere”.")
	tab.Until(`document.activeElement.matches("#pane #title")`)
	tab.Press(kb.Enter)
	tab.UntilText("#link-27 .title", "Mine")

	// The next row takes the place of one that leaves. The pane closes, and opens again on its row.
	tab.Press("#")
	tab.Until(fmt.Sprintf(untilShown, "Page 25"))
	tab.Do(run(`window.sentinel = true; location.reload()`))
	tab.Until(`!window.sentinel && document.readyState === "complete" && document.querySelector("#pane h2")?.textContent === "Page 25"`)
	tab.Press(kb.Escape)
	tab.Until(`!document.querySelector("#pane") && !location.hash`)
	tab.Do(run(`document.querySelector("#link-25 .about").click()`))
	tab.Until(fmt.Sprintf(untilShown, "Page 24"))

	// The next page opens with it, and with its heading in sight.
	tab.Go("/links?q=page")
	tab.Until(`document.readyState === "complete" && document.querySelector("#pane h2")`)
	if got := browsertest.Eval[string](tab, "scrollY + location.hash"); got != "0" {
		t.Errorf("the page is scrolled to %s", got)
	}
}

func TestEditsInThePaneAreNotLostInBrowser(t *testing.T) {
	_, ada, tab := paneTab(t)
	tab.Press("je")
	tab.Until(`document.activeElement.matches("#pane #title")`)
	tab.Do(run(`document.activeElement.value = "Left"; location = "/tags"`))
	tab.UntilPath("/tags")
	for ada.get("/links/30").text("#title") != "Left" {
		if t.Context().Err() != nil {
			t.Fatal("the edit is lost")
		}
	}
}

func TestEditDuringASlowSaveIsKeptInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	ada.addLinks(1)
	server := newSlowForms(t, s.site)
	tab := openTab(t, chromium, server.URL)
	tab.Resize(1440, 900)
	tab.Press("je")
	tab.Until(`document.activeElement.matches("#pane #title")`)
	server.hold()
	tab.Do(run(`{ const title = document.activeElement; title.value = "first"; title.blur(); title.focus(); setTimeout(() => (title.value = "second")); }`))
	tab.Until(`document.querySelector("#title").value === "second"`)
	server.wantSent(t, "/links/1")
	server.release()
	tab.UntilText(".toast", "first")
	if got := browsertest.Eval[string](tab, `document.querySelector("#title").value`); got != "second" {
		t.Errorf("the field has %q, want the second edit", got)
	}
	tab.Press(kb.Enter)
	tab.UntilText(".link .title", "second")
}

// A key is for the marked link, also while the pane shows the one before.
func TestKeyWaitsForThePaneInBrowser(t *testing.T) {
	_, _, tab := paneTab(t)
	tab.Press("j ")
	tab.Until(`document.querySelector("#pane #look-30")`)
	tab.Do(run(`{ const send = fetch; window.fetch = (...args) => new Promise((resolve) => (window.release = () => resolve(send(...args)))); }`))
	tab.Press("jj")
	tab.Until(`window.release && document.querySelector("#link-28.shown") && !document.querySelector("#look-28")`)
	tab.Press("t")
	if !browsertest.Eval[bool](tab, `!document.activeElement.closest("#pane")`) {
		t.Errorf("the focus is in the fields of another link: %s", tab.Focused())
	}
	tab.Do(run(`release()`))
	tab.Until(`document.activeElement.closest("#look-28 #tags, #look-28 .chips, #look-tags-28")`)
}

// A tag that was added on the page must not be offered as a new one.
func TestFieldSuggestsTagsAddedSinceInBrowser(t *testing.T) {
	_, _, tab := paneTab(t)
	for i, want := range []string{"New tag “rust” ↵", "rust 1"} { // with the key to add it; with the number of links
		tab.Press("jt")
		tab.Until(fmt.Sprintf(`document.activeElement.matches("#look-tags-%d [role=combobox]")`, 30-i))
		tab.Type("rust")
		tab.UntilText(".look [role=option]", "rust")
		if got := browsertest.Eval[string](tab, `document.querySelector(".look [role=option]").textContent.trim().replace(/\s+/g, " ")`); got != want {
			t.Errorf("link %d: got the suggestion %q, want %q", i+1, got, want)
		}
		tab.Press(kb.Enter + kb.Enter)
		tab.UntilText(fmt.Sprintf("#link-%d .filed", 30-i), "rust")
		tab.Until(fmt.Sprintf(`document.activeElement.matches("#link-%d .title a")`, 30-i))
	}
}

// Where there is no space for a pane, the page of the link is shown, with the focus in the same field.
func TestDetailsAreAPageOnAPhoneInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	tab.Resize(390, 800)
	tab.Press("jt")
	tab.Until(`location.pathname === "/links/30" && document.activeElement.matches("#tags[role=combobox]")`)
	tab.Type("go")
	tab.Press(kb.Escape)
	tab.UntilText(".toast", "is changed.")
	tab.Click(".for-link a:last-child")
	tab.Until(`location.pathname === "/links/29" && document.readyState === "complete"`)
	tab.Press("k")
	tab.Until(`location.pathname === "/links/30" && document.readyState === "complete"`)
	tab.Until(`document.querySelector("#look-tags-30 .token").textContent === "go"`)
}
