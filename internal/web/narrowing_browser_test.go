package web

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

func TestQueriesAreCompletedAndNarrowedInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	names := []string{"golang", "docker", "free book"}
	for i, url := range []string{"https://go.dev/doc", "https://pkg.go.dev/modernc.org/sqlite", "https://docs.docker.com/compose"} {
		lists, tags := []waymark.Ref{{Name: []string{"Go", "Reading"}[i%2]}}, []waymark.Ref{{Name: names[i]}, {Name: "database"}}
		ada.addLink(waymark.LinkInput{URL: url, Lists: &lists, Tags: &tags})
	}
	check(t, s.store.RefreshSearchIndex(t.Context()))
	tab := openTab(t, chromium, s.URL)
	c := newPageChecks(t, tab)
	c.fresh("/links")
	tab.Press("/")
	tab.Type("#free")
	tab.UntilText("#find-list [role=option]", "free book")
	c.now("completion of a query", allRules)
	tab.Press(kb.Enter)
	tab.Until(`document.querySelector(".find input").value === '#"free book" ' && document.querySelectorAll("li.link").length === 1 && document.querySelector("#find-list").hidden`)
	tab.Press(kb.Backspace)
	tab.Press(kb.Enter)
	tab.Until(`document.readyState === "complete" && new URLSearchParams(location.search).get("q") === '#"free book"'`)

	c.fresh("/links?q=o+-%28%23nothing+OR+site:example.org%29+%28list:Go+OR+list:Reading%29")
	c.now("narrowed view", allRules)
	tab.Click("[popovertarget=filter]")
	tab.Until(`document.querySelector("#facets li a")`)
	c.now("facets", allRules)
	tab.Resize(390, 844)
	c.now("facets on a phone", allRules)
	c.fresh(browsertest.Eval[string](tab, `document.querySelector("#facets li a").getAttribute("href")`))
	tab.Until(`document.querySelectorAll("li.link").length === 1`)
	tab.Click(".link .tag[data-alone]")
	tab.Until(`/tag%3A/.test(location.search)`)

	// The menu stays open while several hosts are ticked and unticked, and the focus stays on the choice.
	c.fresh("/links?q=o")
	tab.Click("[popovertarget=filter]")
	focus := func(host string) {
		tab.Until(`[...document.querySelectorAll("#facets li a")].some((a) => a.dataset.condition === "site:` + host + `" && (a.focus(), true))`)
	}
	ticked := func(hosts, heading string) {
		tab.UntilText("main h1", heading)
		tab.Until(`document.querySelector("#filter").matches(":popover-open")`)
		tab.Until(`[...document.querySelectorAll("#facets li [aria-current]")].map((a) => a.querySelector("bdi").textContent).join() === "` + hosts + `"`)
	}
	focus("go.dev")
	tab.Press(kb.Enter)
	ticked("go.dev", "Search 2 links")
	tab.Until(`document.activeElement.dataset.condition === "site:go.dev"`)
	focus("docs.docker.com")
	tab.Press(kb.Enter)
	ticked("go.dev,docs.docker.com", "Search 3 links")
	c.now("ticked facets", allRules)
	tab.Press(kb.Enter)
	ticked("go.dev", "Search 2 links")
	tab.Press(kb.Escape)
	tab.Until(`!document.querySelector("#filter").matches(":popover-open") && document.activeElement.matches("[popovertarget=filter]")`)

	// The heading counts on when links are removed.
	c.fresh("/links?q=o")
	tab.Press("j#")
	tab.UntilText("main h1", "Search 2 links")
	tab.Press("#")
	tab.UntilText("main h1", "Search 1 link")
}
