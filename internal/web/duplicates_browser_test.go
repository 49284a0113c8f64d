package web

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/waymark"
)

// The keyboard is all that a person needs for three groups and an undo, with and without scripts.
func TestDuplicatesAreMergedWithTheKeyboardInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	for _, url := range []string{"a.example", "b.example", "c.example", "d.example"} {
		ada.addLink(waymark.LinkInput{URL: "http://" + url, Title: new("The page of " + url), Description: new("The simplest way to share data inside a company"), Tags: &[]waymark.Ref{{Name: "data"}}})
		ada.addLink(waymark.LinkInput{URL: "https://www." + url + "/", Title: new("The page of " + url), Description: new("Business intelligence"), Lists: &[]waymark.Ref{{Name: "Analytics"}}, Tags: &[]waymark.Ref{{Name: "analytics"}}})
	}
	tab := openTab(t, chromium, s.URL)
	checks := newPageChecks(t, tab)
	checks.page(duplicatesPath)
	tab.Screenshot("duplicates")
	checks.page(duplicatesPath + "/exact")
	ada.addLink(waymark.LinkInput{URL: "https://tagged.example", Tags: &[]waymark.Ref{{Name: "Analytic"}}})
	checks.page(tagsAlikePath)
	tab.Resize(1440, 900)
	tab.Go("/tidy")
	tab.UntilText(".heap h2", "Saved twice 4")
	tab.Go(duplicatesPath)
	// The heading has the focus at first, so that the keys of the answers work and nothing is scrolled.
	untilFocus := func() {
		tab.Until(`document.readyState === "complete" && (document.activeElement.matches("h1") || document.querySelector("h1").focus())`)
	}
	for _, scripts := range []bool{true, false, true} {
		tab.Scripts(scripts)
		tab.Go(duplicatesPath)
		untilFocus()
		if scripts {
			tab.Press(kb.Enter)
		} else {
			tab.Press(kb.Tab + kb.Tab + kb.Tab + kb.Enter) // the first choice of the form
		}
		tab.UntilText(".toast", "2 links are one now.")
	}
	tab.UntilText("h1", "Saved twice 1")
	tab.Press("z")
	tab.UntilText("h1", "Saved twice 2")
	untilFocus()
	tab.Press("b") // Keep both
	tab.UntilText(".toast", "They stay apart.")
	tab.UntilText("h1", "Saved twice 1")
	untilFocus()
	tab.Press(" ") // Later
	tab.UntilText("h2", "That was the last one.")
	tab.Until(`document.readyState === "complete"`)
	tab.Press(kb.Escape)
	tab.UntilPath("/tidy")
}
