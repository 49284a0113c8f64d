package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// siteInBrowser returns a site for a test in the browser, and its user ada.
func siteInBrowser(t *testing.T) (*browsertest.Browser, *testSite, *browser) {
	t.Helper()
	chromium := browsertest.Start(t)
	s := newSite(t)
	return chromium, s, s.user(t, "ada")
}

// openTab opens a tab with the page of links of ada.
func openTab(t *testing.T, chromium *browsertest.Browser, home string) *browsertest.Tab {
	t.Helper()
	tab := chromium.Open(t, home)
	tab.Media("prefers-reduced-motion", "reduce") // an animated change of pages takes clicks, and time
	signInTab(t, tab, "ada")
	return tab
}

// linksTab returns a tab with the page of links of ada, who has saved 30 of them.
func linksTab(t *testing.T) (*testSite, *browser, *browsertest.Tab) {
	t.Helper()
	chromium, s, ada := siteInBrowser(t)
	inputs := make([]waymark.LinkInput, 30)
	for i := range inputs {
		inputs[i] = waymark.LinkInput{URL: fmt.Sprintf("https://example.org/%d", i), Title: new(fmt.Sprintf("Page %d", i))}
	}
	if _, err := s.service.AddLinks(t.Context(), ada.user, inputs); err != nil {
		t.Fatal(err)
	}
	return s, ada, openTab(t, chromium, s.URL)
}

func TestFieldSearchesWhileTypingInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	tab.Press("/")
	tab.Type("page 2")
	tab.UntilText("h1 .n", "12 links")
	tab.Type("9 -zzz")
	tab.UntilText("h1", "Search 1 link")
	tab.UntilText("#status", "1 link found")
	tab.UntilText(".chip", "without “zzz”")
	if got, want := tab.Path(), "/links?q=page+29+-zzz"; got != want {
		t.Errorf("the URL is %s, want %s", got, want)
	}
	if n := browsertest.Eval[int](tab, `document.querySelectorAll(".side, #results, h1").length`); n != 3 {
		t.Errorf("the page has %d sidebars, results and headings, want one each", n)
	}
	if got := browsertest.Eval[string](tab, "document.activeElement.name"); got != "q" {
		t.Errorf("the focus is on %s, want the field", tab.Focused())
	}
	tab.Do(chromedp.NavigateBack())
	tab.UntilText("h1", "Links 30")
	tab.Until("window.htmx && document.readyState === 'complete'")
	tab.Press("j#")
	tab.UntilText(".toast", "in the trash")
	tab.Press("z")
	tab.UntilText(".toast", "Undone")
	tab.UntilText("h1", "Links 30")
	tab.Go("/links?order=title") // the order is a hidden field of the form
	tab.Press("/")
	tab.Type("page 29")
	tab.UntilText("h1", "Search 1 link")
}

func TestChangesOfSelectedLinksKeepThePlaceInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	tab.Resize(1280, 500)
	// The server writes the second URL in another form: sorted, and with %2A.
	for _, path := range []string{"/links", "/links?q=Page+-*zzz&order=oldest"} {
		t.Run(path, func(t *testing.T) {
			tab.Go(path)
			changeSelectedLinks(t, tab)
		})
	}
}

func changeSelectedLinks(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	const focused = `document.activeElement.closest(".link")?.id`
	tab.Press("jjjjjjjjjjjj")
	tab.Until(`scrollY > 0`)
	third := browsertest.Eval[string](tab, `document.activeElement.closest(".link").nextElementSibling.nextElementSibling.id`)
	tab.Press("xjx")
	tab.UntilText(".bulk .count", "2")
	tab.Do(run("window.sentinel = true"))
	tab.Press("#")
	tab.Until(`document.readyState === "complete" && !window.sentinel && document.querySelector(".toast form")`)
	if got := browsertest.Eval[string](tab, focused); got != third {
		t.Errorf("the focus is on %q, want it on the next row, %q", got, third)
	}
	if browsertest.Eval[float64](tab, "scrollY") == 0 {
		t.Error("the page has moved to its top")
	}
	tab.Do(run("window.sentinel = true"))
	tab.Press("z")
	tab.Until(`document.readyState === "complete" && !window.sentinel`)
	tab.UntilText(".toast span", "Undone.")
	if got := browsertest.Eval[string](tab, focused); got != third {
		t.Errorf("after the undo: the focus is on %q, want %q", got, third)
	}
	for _, problem := range tab.Problems() {
		t.Error(problem)
	}
}

func TestBulkBarAndMessageAreAboveTheTabsInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	// reachable is true if a click on the middle of each of the buttons reaches it.
	reachable := func(buttons string) string {
		return `[...document.querySelectorAll("` + buttons + `")].every((button) => {
			const box = button.getBoundingClientRect();
			return button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
		})`
	}
	tab.Click(".pick input")
	tab.UntilText(".bulk .count", "1")
	for _, width := range []int64{320, 390, 660, 768, 890, 1024, 1440} {
		tab.Resize(width, 800)
		if !browsertest.Eval[bool](tab, reachable(".bulk :is(.sum, .does) > .btn")) {
			t.Errorf("with a width of %d pixels, something covers buttons of the bar", width)
		}
	}
	for _, width := range []int64{320, 768, 1440} {
		tab.Resize(width, 800)
		tab.Go("/links")
		tab.Press("j#")
		tab.Until(`document.querySelector(".toast form button")`)
		tab.Until(reachable(".toast button")) // the message moves when it appears
	}
}

func TestBulkBarHasAllItsButtonsInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newFullSite(t)
	tab := openTab(t, chromium, s.URL)
	tab.Resize(1440, 900)
	tab.Go("/links")
	tab.Press("j")
	tab.Press(" ")
	tab.Until(`document.querySelector(".pane .look")`) // it is beside the list from 1,024 pixels on
	for _, locale := range s.site.Locales() {
		language := locale.Name
		check(t, s.accounts.SaveSettings(t.Context(), s.ada.user.ID, waymark.Settings{Language: language}))
		tab.Resize(1440, 900)
		tab.Go("/links")
		tab.Click(".pick input")
		for _, width := range []int64{768, 890, 896, 950, 1000, 1024, 1280, 1440, 1920} {
			tab.Resize(width, 900)
			if beyond := browsertest.Eval[float64](tab, `Math.max(...[...document.querySelectorAll(".bulk :is(.sum, .does) > .btn")].map((b) => b.getBoundingClientRect().right)) - document.querySelector(".bulk").getBoundingClientRect().right`); beyond > 0 {
				t.Errorf("in the language %s, with a width of %d pixels, a button ends %.0f pixels after the bar", language, width, beyond)
			}
		}
		tab.Resize(320, 256) // a zoom of 400 %
		if got := browsertest.Eval[int](tab, `[...document.querySelectorAll("body *:not(.skip)")].filter((e) => /fixed|sticky/.test(getComputedStyle(e).position)).reduce((sum, e) => sum + e.offsetHeight, 0)`); got == 0 || got > 60 {
			t.Errorf("in the language %s, with a zoom of 400 %%, %d pixels are covered, want the bar in one line and nothing else", language, got)
		}
	}
}

func TestBulkChangesAreUndoneInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	tab.Resize(1280, 900)
	tab.Press("j")
	tab.Press("x")
	tab.Until(`document.querySelector("[name=all]").focus(), document.activeElement.name === "all"`)
	tab.Press(" ")
	tab.Until(`document.querySelector("[name=all]").checked`)
	if got := browsertest.Eval[string](tab, `document.querySelector(".bulk .sum").innerText.trim() + ", " + document.querySelector("#status").textContent`); got != "All 30 selected, All 30 selected" {
		t.Errorf("with all links selected the bar says %q", got)
	}
	tab.Click(".bulk [value=trash]")
	tab.Until(`document.querySelectorAll("li.link").length === 0`)
	tab.UntilText(".toast span", "30 links are in the trash.")
	tab.Until(`sessionStorage.getItem("undo")`) // the key works from now on
	tab.Press("z")
	tab.UntilText("h1", "Links 30")
	tab.Until(`document.querySelectorAll("li.link").length === 24`)
	for _, problem := range tab.Problems() {
		t.Error(problem)
	}
}

// A title and the names beside it have one line if they fit, whichever of them is longer, and whatever
// the description is.
func TestTitleAndNamesShareALineInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for i, link := range []struct{ title, lists, description int }{{14, 1, 60}, {14, 1, 1}, {1, 4, 60}, {8, 2, 0}} {
		lists := make([]waymark.Ref, link.lists)
		for n := range lists {
			lists[n].Name = fmt.Sprint("A list of links ", n)
		}
		ada.addLink(waymark.LinkInput{
			URL: fmt.Sprintf("https://example.org/%d", i), Title: new(words(link.title)), Description: new(words(link.description)),
			Lists: &lists,
		})
	}
	tab := openTab(t, chromium, s.URL)
	tab.Resize(1280, 900)
	tab.Go("/links?view=comfortable")
	if got := browsertest.Eval[string](tab, `[...document.querySelectorAll(".link")].filter((row) => row.querySelector(".title").offsetHeight > 32 || row.querySelector(".filed bdi").offsetWidth < row.querySelector(".filed bdi").scrollWidth).map((row) => row.innerText).join()`); got != "" {
		t.Errorf("more than one line or cut off: %s", got)
	}
}

// Names must not lie outside of their row, where the focus cannot be seen, or be cut to two letters.
// A row that does not have all names says how many more there are.
func TestNamesOfARowAreVisibleInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob-with-a-name-of-many-words")
	bob.user.DefaultVisibility = waymark.DefaultsTo(waymark.Public)
	names := func(format string, n int) *[]waymark.Ref {
		refs := make([]waymark.Ref, n)
		for i := range refs {
			refs[i].Name = fmt.Sprintf(format, i)
		}
		return &refs
	}
	const list, tag = "%d list with a name of many words", "%d-tag-with-a-long-name"
	for i, link := range []struct {
		owner       *browser
		lists, tags *[]waymark.Ref
	}{
		{ada, names(list, 20), names(tag, 20)},
		{ada, names(list, 2), names(tag, 3)},
		{ada, names("l%d", 5), names("t%d", 5)},
		{bob, names(list, 20), names(tag, 20)},
	} {
		link.owner.addLink(waymark.LinkInput{
			URL: fmt.Sprintf("https://example.org/%d", i), Title: new("A title that has as many words as fit into two lines, beside the names of the lists and tags"),
			Lists: link.lists, Tags: link.tags,
		})
	}
	tab := openTab(t, chromium, s.URL)
	want := func(what, selector, condition string) {
		t.Helper()
		if wrong := browsertest.Eval[string](tab, `[...document.querySelectorAll("`+selector+`")].filter((a) => a.checkVisibility() && !(`+condition+`)).map((a) => a.textContent).join(", ")`); wrong != "" {
			t.Errorf("%s: got %s", what, wrong)
		}
	}
	for _, view := range []string{"comfortable", "compact"} {
		tab.Go("/links?view=" + view)
		for _, width := range []int64{1440, 1280, 1200, 1100, 1072, 1024, 900, 768, 640, 600, 390, 360} {
			tab.Resize(width, 900)
			page := fmt.Sprintf("%s, %d pixels: ", view, width)
			want(page+"a name has one line", ".filed a", "a.offsetHeight < 32")
			want(page+"names are longer than their first letters", ".filed a:not(.more)", "a.offsetWidth >= 48 || a.lastElementChild.scrollWidth <= a.lastElementChild.clientWidth")
			want(page+"names are no wider than their text", ".filed a:not(.more)", "a.offsetWidth - a.lastElementChild.offsetWidth < 20")
			want(page+"how many more names there are is visible", ".more", "a.getBoundingClientRect().right <= a.closest('.filed').getBoundingClientRect().right + 1")
			if hidden := browsertest.Eval[string](tab, `[...document.querySelectorAll(".filed a")].filter((a) => {
				a.focus();
				if (document.activeElement !== a) return false;
				const [box, within] = [a.getBoundingClientRect(), a.closest(".filed").getBoundingClientRect()];
				return Math.min(box.right, within.right) - Math.max(box.left, within.left) < 12;
			}).map((a) => a.textContent).join(", ")`); hidden != "" {
				t.Errorf("%sthe focus is not visible on %s", page, hidden)
			}
		}
	}
}
