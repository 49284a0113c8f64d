package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
)

func TestJourneysInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	for name, journey := range map[string]func(*testing.T, *browsertest.Browser, *fullSite, *browsertest.Tab){
		"with the keyboard alone":              journeyWithKeyboard,
		"without scripts":                      journeyWithoutScripts,
		"maintenance with the keyboard alone":  journeyThroughMaintenanceWithKeyboard,
		"menus":                                journeyThroughMenus,
		"forms":                                journeyThroughForms,
		"menus of the bar":                     journeyThroughMenusOfTheBar,
		"a session that ended in another tab":  journeyAfterSignOut,
		"search, back and save a search":       journeyThroughSearch,
		"the last link of a search":            journeyToLastResult,
		"wide text, forced colours and paper":  journeyOfReaders,
		"changes in two tabs":                  journeyInTwoTabs,
		"a link that is saved in a small page": journeyInSmallWindow,
	} {
		t.Run(name, func(t *testing.T) {
			s := newFullSite(t)
			tab := chromium.Open(t, s.URL)
			tab.Media("prefers-reduced-motion", "reduce") // an animated change of pages takes clicks
			journey(t, chromium, s, tab)
		})
	}
}

// somethingHasFocus is true unless the page has lost the focus. While htmx replaces a part of the
// page, it is false for a moment.
const somethingHasFocus = `document.activeElement !== document.body`

// titles are the titles of the links on the page that are visible.
const titles = `[...document.querySelectorAll(".link:not([hidden]) .title")].map((e) => e.textContent.trim())`

func journeyWithKeyboard(t *testing.T, _ *browsertest.Browser, _ *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	tab.Press("/")
	tab.Type("https://saved.example/by/keyboard")
	tab.UntilText("#results", "https://saved.example/by/keyboard")
	tab.Press(kb.Enter)
	tab.Until(`document.readyState === "complete" && document.querySelector("#toasts .toast")`)

	tab.Press("/")
	tab.Type("keyboard")
	tab.Until(`document.querySelectorAll(".link").length === 1`)
	tab.Do(run("window.sentinel = true"))
	tab.Press(kb.Enter)
	tab.Until(`document.readyState === "complete" && !window.sentinel`)
	tab.Press("jt")
	tab.Until(`document.activeElement.matches("[role=combobox][data-tokens$=tags]")`)
	tab.Type("typed")
	tab.Press(kb.Enter)
	tab.Press(kb.Enter)
	tab.UntilText(".link .filed", "typed")
	tab.Until(`document.activeElement.matches(".title a")`)
	tab.Press(kb.Escape) // closes the pane
	tab.Do(run(`location = document.querySelector(".link [data-look]")`))
	tab.Until(`document.readyState === "complete" && /^\/links\/\d+$/.test(location.pathname)`)
	tab.Until(`document.querySelector(".look .token").textContent === "typed"`)
	tab.Press("y")
	tab.UntilText("#toasts", "Copied.")

	tab.Press("gl")
	tab.UntilPath("/links")
	before := browsertest.Eval[[]string](tab, titles)
	tab.Press("jxjxjx")
	tab.UntilText(".bulk .count", "3")
	tab.Press("#")
	tab.Until(`document.readyState === "complete" && document.querySelector("#toasts .toast form") && !document.querySelector(".pick input:checked")`)
	after := browsertest.Eval[[]string](tab, titles)
	if len(before) < 4 || after[0] != before[3] {
		t.Errorf("after the trash the first link is %q, want %q", after[0], before[3])
	}
	tab.Press("z")
	tab.Until(`document.readyState === "complete" && ` + titles + `[0] === ` + fmt.Sprintf("%q", before[0]))
	trashed := browsertest.Eval[string](tab, `document.querySelector("#count-trash").textContent`)
	tab.Press("j#")
	tab.Until(`document.querySelector("#toasts .toast form")`)
	tab.Until(somethingHasFocus)
	if after := browsertest.Eval[string](tab, `document.querySelector("#count-trash").textContent`); after == trashed {
		t.Errorf("the trash in the sidebar has %s links, as before", after)
	}

	tab.Press("k", kb.ModifierCtrl)
	tab.Until(`document.querySelector("#jump").open`)
	tab.Press(kb.Escape)
	tab.Until(`!document.querySelector("#jump").open`)
	tab.Until(somethingHasFocus)
	for range 60 {
		if browsertest.Eval[bool](tab, `document.activeElement.matches("[popovertarget=account]")`) {
			break
		}
		tab.Press(kb.Tab, kb.ModifierShift)
		if browsertest.Eval[string](tab, `getComputedStyle(document.activeElement).outlineStyle`) == "none" && !browsertest.Eval[bool](tab, `document.activeElement.matches("input, body, .pick *, main")`) {
			t.Errorf("the focus on %s cannot be seen", tab.Focused())
		}
	}
	tab.Press(kb.Enter)
	tab.Until(`document.querySelector("#account").matches(":popover-open")`)
	for range 5 {
		if browsertest.Eval[bool](tab, `document.activeElement.matches("form[action$='/signout'] button")`) {
			break
		}
		tab.Press(kb.Tab)
	}
	tab.Press(kb.Enter)
	tab.Until(`location.pathname === "/signin"`)
}

func journeyWithoutScripts(t *testing.T, _ *browsertest.Browser, _ *fullSite, tab *browsertest.Tab) {
	tab.Scripts(false)
	signInTab(t, tab, "ada")
	tab.Go("/links/create")
	tab.Do(chromedp.SendKeys(chromedp.CSS("#url"), "https://saved.example/without/script"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#tags"), "plain, text\r"))
	tab.UntilText("main, #toasts", "saved.example")
	tab.Go("/links")
	if browsertest.Eval[bool](tab, `document.querySelector(".bulk").checkVisibility()`) {
		t.Error("the bulk actions are visible although nothing is selected")
	}
	if browsertest.Eval[bool](tab, `document.querySelector(".find kbd").checkVisibility()`) {
		t.Error("the field for searches shows a key")
	}
	before := browsertest.Eval[[]string](tab, titles)
	tab.Click(".link:nth-of-type(1) .pick input")
	tab.Click(".link:nth-of-type(2) .pick input")
	tab.Until(`document.querySelector(".bulk").checkVisibility()`)
	tab.Screenshot("journey-no-script-bulk")
	tab.Click(".bulk [value=trash]")
	tab.Until(`document.querySelector("#toasts form")`)
	if after := browsertest.Eval[[]string](tab, titles); after[0] != before[2] {
		t.Errorf("the first link is %q, want %q", after[0], before[2])
	}
	tab.Click("#toasts form button")
	tab.Until(titles + `[0] === ` + fmt.Sprintf("%q", before[0]))

	tab.Click("[popovertarget=filter]")
	tab.Until(`document.querySelector("#filter").matches(":popover-open")`)
	tab.Press(kb.Escape)
	tab.Resize(390, 800)
	tab.Click(".tabs-foot [popovertarget=menu]")
	tab.Until(`document.querySelector("#menu").matches(":popover-open")`)
	tab.Go("/links/create")
	if options := browsertest.Eval[int](tab, `document.querySelector("#tags").list.options.length`); options == 0 {
		t.Error("the field for tags offers no tags")
	}
	if browsertest.Eval[bool](tab, `[...document.querySelectorAll(".needs-script")].some((e) => e.checkVisibility())`) {
		t.Error("what needs a script is visible")
	}
	importWithoutScripts(t, tab)
}

func journeyAfterSignOut(t *testing.T, chromium *browsertest.Browser, _ *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	other := chromium.OpenBeside(tab)
	other.Go("/links")
	other.Click("[popovertarget=account]")
	other.Click("form[action$='/signout'] button")
	other.Until(`location.pathname === "/signin"`)
	tab.Allow("status of 401")
	tab.Press("/")
	tab.Type("lantern")
	tab.Until(`location.pathname === "/signin" && document.readyState === "complete"`)
	tab.Until(`document.activeElement.name === "name"`)
	tab.Type("ada")
	tab.Press(kb.Tab)
	tab.Type(password)
	tab.Press(kb.Enter)
	tab.Until(`location.pathname === "/links" && location.search.includes("lantern")`)
}

func journeyThroughSearch(t *testing.T, _ *browsertest.Browser, _ *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	tab.Press("/")
	tab.Type("lantern")
	tab.Until(`location.search === "?q=lantern"`)
	tab.Until(`document.querySelector("h1").textContent.includes("Search")`)
	tab.UntilText("#status", "found")
	tab.Until(`document.title === "Search: lantern · Waymark"`)
	tab.Do(chromedp.NavigateBack())
	tab.Until(`location.search === "" && document.querySelector("h1").textContent.includes("Links")`)
	tab.Until(`document.title === "Links · Waymark"`)
	tab.Go("/links?q=lantern")
	tab.Click("[popovertarget=saved-search]")
	tab.Until(`document.querySelector("#saved-search").matches(":popover-open")`)
	tab.Do(chromedp.Focus(chromedp.CSS("#search-name")))
	tab.Press(kb.Enter)
	tab.UntilText(".side", "lantern")
}

func journeyToLastResult(t *testing.T, _ *browsertest.Browser, _ *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	tab.Go("/links?q=magnet")
	tab.Press("j#")
	tab.UntilText("main .empty", "Nothing matches “magnet”.")
	tab.UntilText("main .empty", "in the trash 1")
	tab.Until(somethingHasFocus)
	tab.Until(`document.querySelector("#toasts .toast form")`)
	tab.Press("z")
	tab.Until(titles + `.length === 1`)

	// Of several pages, the next links follow.
	tab.Go("/links?q=example&order=title")
	first := browsertest.Eval[[]string](tab, titles)
	tab.Press("j" + strings.Repeat("#", len(first)))
	tab.Until(titles + `.length > 0 && ` + titles + `[0] !== ` + fmt.Sprintf("%q", first[0]))
}

func journeyOfReaders(t *testing.T, _ *browsertest.Browser, s *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	for _, path := range s.examplePaths() {
		tab.Go(path)
		// https://www.w3.org/WAI/WCAG22/Understanding/text-spacing.html
		tab.Do(run(`(() => {
			const sheet = new CSSStyleSheet();
			sheet.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }");
			document.adoptedStyleSheets.push(sheet);
		})()`))
		// 320 pixels are 1280 at 400 %, 640 are 1280 at 200 %.
		for _, size := range [][2]int64{{320, 256}, {640, 512}, {1440, 900}} {
			tab.Resize(size[0], size[1])
			if wide := browsertest.Eval[string](tab, overflowing); wide != "" {
				t.Errorf("%s with wide text, %d pixels: too wide is %s", path, size[0], wide)
			}
		}
		tab.Screenshot("spacing-" + strings.ReplaceAll(strings.Trim(path, "/"), "/", "-"))
	}
	tab.Go("/links")
	tab.Media("forced-colors", "active")
	tab.Press("jx")
	tab.Screenshot("forced-colors")
	if browsertest.Eval[string](tab, `getComputedStyle(document.querySelector(".pick input:checked")).backgroundColor`) == browsertest.Eval[string](tab, `getComputedStyle(document.querySelector(".pick input:not(:checked)")).backgroundColor`) {
		t.Error("a selected link looks like the others in forced colours")
	}
	tab.Go("/links/create")
	if same := browsertest.Eval[bool](tab, `(() => {
		const line = (e) => getComputedStyle(e).outlineStyle;
		return line(document.querySelector("label:has([name=visibility]:checked)")) === line(document.querySelector("label:has([name=visibility]:not(:checked))"));
	})()`); same {
		t.Error("the chosen visibility looks like the others in forced colours")
	}
	if flat := browsertest.Eval[bool](tab, `getComputedStyle(document.querySelector(".main-act")).borderStyle === "none"`); flat {
		t.Error("a button looks like text in forced colours")
	}
	tab.Go("/links")
	tab.Print()
	for _, width := range []int64{794, 1440} { // A4, and a window
		tab.Resize(width, 900)
		for _, path := range []string{"/links?q=example", s.paths["/links/{id}"], s.paths["/links/{id}/read"], "/lists"} {
			tab.Go(path)
			if shown := browsertest.Eval[string](tab, `[...document.querySelectorAll(".skip, .side, .top, .tools, .tabs-foot, .bulk, .row-actions, .pick, button:not(.visually-hidden), textarea, input")].filter((e) => e.checkVisibility()).map((e) => e.className || e.name).join(" ")`); shown != "" {
				t.Errorf("%s on paper, %d pixels wide: controls are shown: %s", path, width, shown)
			}
		}
	}
}

func journeyInTwoTabs(t *testing.T, chromium *browsertest.Browser, s *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	other := chromium.OpenBeside(tab)
	other.Go("/links")
	tab.Press("jj#")
	tab.Until(`document.querySelector("#toasts .toast form")`)
	// The other tab still shows the link, and can only say that it is in the trash.
	other.Press("jj#")
	other.UntilText("#toasts .toast", "is in the trash")
	if browsertest.Eval[bool](other, `document.querySelectorAll(".link")[1].checkVisibility() || document.querySelector("#toasts .toast form") !== null`) {
		t.Error("the other tab still shows the link, or offers to undo a change that it has not made")
	}

	// Another user cannot undo it.
	eve := s.user(t, "eve")
	token := browsertest.Eval[string](tab, `new URL(document.querySelector("#toasts form").action).pathname`)
	eve.post(token).wantStatus(404)
	tab.Click("#toasts form button")
	tab.Until(`document.readyState === "complete" && document.querySelectorAll(".link").length === 24`)
}

func journeyInSmallWindow(t *testing.T, _ *browsertest.Browser, _ *fullSite, tab *browsertest.Tab) {
	tab.Resize(480, 640)
	tab.Go("/bookmarklet/add?u=https%3A%2F%2Fsmall.example%2F&t=Small+%26+fine&d=Described")
	tab.Until(`location.pathname === "/signin" && document.activeElement.name === "name"`)
	tab.Type("ada")
	tab.Press(kb.Tab)
	tab.Type(password)
	tab.Press(kb.Enter)
	tab.Until(`document.readyState === "complete" && document.querySelector("#url")?.value === "https://small.example/"`)
	if title := browsertest.Eval[string](tab, `document.querySelector("#title").value + "|" + document.querySelector("#description").value`); title != "Small & fine|Described" {
		t.Errorf("the form has %q", title)
	}
	tab.Screenshot("small-window")
	tab.Click(".win .main-act")
	tab.Until(`document.querySelector("[data-close]")`)
}
