package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// reading is true when the reader shows the text of a link.
func reading(link waymark.Link) string {
	return fmt.Sprintf(`document.readyState === "complete" && location.pathname === "%s/read"`, linkPath(link.ID))
}

// Three texts are read with the keyboard alone, then on a phone, and without scripts.
func TestReadingInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	var links []waymark.Link
	for _, words := range []int{300, 600, 4000} {
		links = append(links, ada.addText(fmt.Sprint("text-", words), words))
	}
	tab := openTab(t, chromium, s.URL)
	const unread = "/links?q=is%3Aunread"
	tab.Go(unread)
	pressButton(tab, "[popovertarget=view]")
	tab.Do(run(`document.querySelector("#view [value=shortest]").focus()`))
	tab.Press(kb.Enter)
	tab.Until(titles + `[0] === "text-300"`)
	openLongest := func() {
		t.Helper()
		tab.Until(`document.readyState === "complete" && (document.querySelector("#link-3 .title a").focus(), document.querySelector("#link-3.here"))`)
		tab.Press("r")
		tab.Until(reading(links[2]))
	}

	// The position in the longest one is remembered.
	openLongest()
	tab.Press("   ")
	tab.Until(`scrollY > 1000`)
	tab.Until(`performance.getEntriesByType("resource").some((e) => e.initiatorType === "fetch" && e.name.endsWith("/read") && e.responseStatus === 204)`)
	left := browsertest.Eval[string](tab, `document.querySelector(".bar .left").textContent`)
	block := `[...document.querySelectorAll("[id^=p-]")].findLast((b) => b.getBoundingClientRect().top < 81).id`
	at := browsertest.Eval[string](tab, block)
	if !strings.HasSuffix(left, " min left") || at == "p-1" {
		t.Fatalf("after three pages: got %q left at %s", left, at)
	}
	tab.Press(kb.Escape)
	tab.UntilPath(unread)
	tab.UntilText(".left a[href*='/links/3/']", left)
	openLongest()
	if got := browsertest.Eval[string](tab, block); got != at {
		t.Errorf("opened again: got the block %s at the top, want %s", got, at)
	}

	// Size and theme change at once, and are there on the next page before the script is.
	tab.Press(",")
	tab.Until(`document.querySelector("#text-menu").matches(":popover-open")`)
	tabTo(t, tab, "[name=size]")
	tab.Press(kb.ArrowRight)
	tab.Until(`document.querySelector(".reader").classList.contains("large")`)
	tabTo(t, tab, "[name=theme]")
	tab.Press(kb.ArrowRight + kb.ArrowRight)
	tab.Until(`document.documentElement.dataset.theme === "sepia"`)
	tab.Press(kb.Escape)
	tab.Until(`!document.querySelector(":popover-open")`)
	tab.Until(`performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/reading") && e.responseStatus === 204).length === 3`)
	tab.Press("k")
	tab.Until(reading(links[1]) + ` && document.querySelector(".reader.large") && document.documentElement.dataset.theme === "sepia"`)
	tab.Press("k")
	tab.Until(reading(links[0]))
	for _, next := range links[1:] {
		tab.Press("a")
		tab.Until(reading(next) + ` && document.querySelector("#toasts .toast")`)
	}
	tab.Press("a")
	tab.UntilPath(unread)
	tab.UntilText("main .empty", "All read.")
	tab.UntilText("#toasts .toast", "“text-4000” is done.")
	tab.Press("z")
	tab.Until(`document.readyState === "complete" && ` + titles + `.join() === "text-4000"`)

	// In the list, the row of what is done leaves, and so does its count.
	tab.Press("ja")
	tab.Until(undoable + ` && ` + titles + `.length === 0`)
	tab.UntilText("main .empty", "All read.")

	// So does a row after another change if it does not fit the search any more.
	ada.post(linkPath(links[0].ID) + "/mark/favorite")
	ada.post(linkPath(links[1].ID) + "/mark/favorite")
	tab.Go("/links?q=is%3Afavorite+OR+is%3Aunread")
	tab.Until(titles + `.length === 2`)
	tab.Press("jf")
	tab.Until(undoable + ` && ` + titles + `.length === 1 && document.activeElement.closest("#link-1") && document.querySelector("main h1 .n").textContent === "1 link"`)
	tab.Press("f")
	tab.UntilText("main h1 .n", "0 links")
	for _, link := range links {
		ada.post(linkPath(link.ID) + "/mark/unarchive")
		ada.post(linkPath(link.ID) + "/mark/unread")
	}

	// On a phone.
	phone := chromium.OpenBeside(tab)
	phone.Media("prefers-reduced-motion", "reduce")
	phone.Touch(390, 844)
	phone.Go(unread)
	phone.Click("#link-1 .left a")
	phone.Until(reading(links[0]))
	phone.Do(run(`document.querySelector(".and-now").scrollIntoView()`))
	phone.UntilText(".bar .left", "Read")
	phone.Click(".and-now .main-act")
	phone.Until(reading(links[1]))
	phone.Click(".bar [data-key=Escape]")
	phone.UntilPath(unread)
	phone.Click("#link-2 .aside button")
	phone.Until(titles + `.join() === "text-4000"`)
	phone.UntilText(".toast", "text-600")

	// Without scripts.
	phone.Scripts(false)
	phone.Go(unread)
	phone.Click("#link-3 .left a")
	phone.Until(reading(links[2]))
	phone.Click("[popovertarget=text-menu]")
	phone.Click("label:has([name=width][value=slim])")
	phone.Click("#text-menu .without-script")
	phone.Until(reading(links[2]) + ` && document.querySelector(".reader.slim")`)
	phone.Click(".bar .main-act")
	phone.UntilPath(unread)
	phone.UntilText("main .empty", "All read.")
}

// TestReaderPassesChecksInBrowser checks the reader with axe in each theme and at each width, also with its menus.
func TestReaderPassesChecksInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	links := []waymark.Link{ada.addText("first", 100), ada.addText("second", 4000)}
	saveTextSnapshot(t, s, links[0])
	ada.post(linkPath(links[1].ID)+"/read", "paragraph", "9", "per-mille", "300")
	c := newPageChecks(t, openTab(t, chromium, s.URL))
	c.page("/links?q=is%3Aunread")
	rules := allRules
	for _, theme := range waymark.ReadingThemes {
		ada.post("/reading", "theme", theme, "size", "large", "width", "wide")
		path := ada.get("/links?q=is:unread").attr("#link-1 .left a", "href")
		c.page(path)
		for _, menu := range []string{"text-menu", "read-more"} {
			c.tab.Do(run(fmt.Sprintf(`document.querySelector("#%s").showPopover({source: document.querySelector("[popovertarget=%s]")})`, menu, menu)))
			c.now(theme+" "+menu, rules)
		}
		rules = contrastRules // only the colours differ
	}
	c.tab.Media("forced-colors", "active")
	if same := browsertest.Eval[bool](c.tab, `(() => {
		const line = (e) => getComputedStyle(e).outlineStyle;
		return line(document.querySelector(".pick-one label:has(:checked)")) === line(document.querySelector(".pick-one label:has(:not(:checked))"));
	})()`); same {
		t.Error("the chosen size looks like the others in forced colours")
	}
}

// readInFirefox reads two texts with the keyboard.
func readInFirefox(t *testing.T, firefox *browsertest.Firefox) {
	s := newSite(t)
	ada := s.user(t, "ada")
	long, short := ada.addText("long", 4000), ada.addText("short", 100)
	signInFirefox(firefox, s)
	ada.post("/view", "order", "shortest")
	ada.post(linkPath(long.ID)+"/read", "paragraph", "20", "per-mille", "400")
	firefox.Go("/links?q=is:unread")
	firefox.Until(loaded("/links"))
	firefox.Press("jr")
	firefox.Until(loaded(linkPath(short.ID) + "/read"))
	firefox.Press(",")
	firefox.Until(`document.querySelector("#text-menu").matches(":popover-open")`)
	firefox.Press(browsertest.FirefoxEscape)
	firefox.Until(`!document.querySelector(":popover-open")`)
	firefox.Press("a")
	firefox.Until(loaded(linkPath(long.ID)+"/read") + ` && scrollY > 500 && document.querySelector("#p-20").getBoundingClientRect().top < 100`)
	firefox.Press("a")
	firefox.Until(loaded("/links") + ` && document.querySelector("main .empty")`)
}
