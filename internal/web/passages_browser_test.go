package web

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/fetch/article"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// saveHTML saves the text snapshot of a link.
func (b *browser) saveHTML(link waymark.Link, html string) {
	b.t.Helper()
	cleaned, _ := article.Sanitize(html)
	claimed := queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
	check(b.t, b.site.store.Snapshots.SaveText(b.t.Context(), claimed, waymark.TextSnapshot{FetchedAt: b.site.store.Now(), URL: link.URL, Language: "en"}, cleaned, 1<<20))
}

// Passages are selected, marked, noted, removed and brought back, with the keyboard, the mouse, and without scripts.
func TestPassagesAreMarkedInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	link := ada.addText("text", 0)
	paragraph := "<p>Readers do <b>not wait</b> for the writer, <i>never</i>.</p>"
	ada.saveHTML(link, strings.Repeat(paragraph, 40))
	tab := openTab(t, chromium, s.URL)
	ready := reading(link) + ` && document.querySelector("[data-htmx-powered], #mark-menu")`
	tab.Go(linkPath(link.ID) + "/read")
	tab.Until(ready)
	// selects selects from a word of a paragraph to the first word of the next one.
	selects := func(paragraph int) {
		t.Helper()
		tab.Do(run(fmt.Sprintf(`(() => {
			const [a, b] = [document.querySelector("#p-%d b").firstChild, document.querySelector("#p-%d").firstChild];
			a.parentNode.scrollIntoView({ block: "center" });
			getSelection().setBaseAndExtent(a, 4, b, 7);
		})()`, paragraph, paragraph+1)))
		tab.Until(`!document.querySelector("#mark-menu").hidden`)
	}
	const marked = `[...document.querySelectorAll(".prose mark")].map((m) => m.textContent).join("|")`
	const want = `"wait|for the writer, |never|.|Readers"`
	selects(20)
	at := browsertest.Eval[float64](tab, `scrollY`)
	tab.Press("m")
	tab.Until(undoable + ` && ` + marked + ` === ` + want)
	if got := browsertest.Eval[float64](tab, `scrollY`); got != at {
		t.Errorf("after a passage was marked, the page is at %v, want %v", got, at)
	}
	if got := browsertest.Eval[string](tab, `document.querySelector(".prose mark").closest("p").id`); got != "p-20" {
		t.Errorf("the passage is marked in %s, want the paragraph in which it was selected", got)
	}
	tab.Press("z")
	tab.Until(reading(link) + ` && !document.querySelector(".prose mark")`)

	// Another one gets a note, which is beside the text after the page is loaded again.
	selects(10)
	tab.Click("#mark-menu [value=note]")
	const field = `document.querySelector(".passage details[open] textarea")`
	tab.Until(`document.readyState === "complete" && ` + field + ` && (` + field + `.focus(), document.activeElement === ` + field + `)`)
	tab.Type("Measure <b>this</b>.")
	tab.Click(".passage details .btn")
	tab.Until(undoable + ` && document.querySelector(".margin p")?.textContent === "Measure <b>this</b>."`)
	tab.Go(linkPath(link.ID) + "/read")
	tab.Until(ready + ` && ` + marked + ` === ` + want + ` && document.querySelector("#p-11 + .margin")`)
	tab.Click("#p-10 mark")
	tab.Until(`document.querySelector(".passage:target")`)
	tab.Click(".passage .icon-button")
	tab.Until(undoable + ` && !document.querySelector(".prose mark, .passage")`)
	tab.Press("z")
	tab.Until(reading(link) + ` && ` + marked + ` === ` + want + ` && document.querySelector(".margin p")?.textContent === "Measure <b>this</b>."`)
	c := newPageChecks(t, tab)
	selects(30)
	c.state("a passage is selected")

	// The page is fetched again, and has only a part of the text. A passage is pasted without scripts.
	ada.saveHTML(link, "<p>Readers are faster, and writers, too.</p>")
	tab.Scripts(false)
	tab.Go(linkPath(link.ID) + "/read")
	tab.UntilText(".passage .muted", "No longer on the page")
	tab.Click(".passages .fold summary")
	tab.Do(run(`document.querySelector("#exact").value = "faster, and\nwriters"`))
	tab.Click(".passages .fold .btn")
	tab.Until(reading(link) + ` && ` + marked + ` === "faster, and writers"`)
}
