package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// Back shows a page as it is now if something was changed since, whether the browser has kept the page
// itself or only its HTML.
func TestBackShowsChangesInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	ada := s.user(t, "ada")
	links := ada.addLinks(20)
	tab := chromium.Open(t, s.URL)
	tab.Resize(1280, 400)
	signInTab(t, tab, "ada")
	for i, kept := range []bool{true, false} {
		link := links[10+i]
		row := fmt.Sprintf("#link-%d", link.ID)
		tab.Go("/links")
		tab.Do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, 300)`))
		if !kept {
			tab.Do(chromedp.Evaluate[chromedp.Void](`addEventListener("unload", () => {})`))
		}
		tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("` + row + ` .aside a").click()`))
		tab.UntilPath(linkPath(link.ID))
		tab.Press("e")
		tab.UntilPath(linkPath(link.ID) + "/edit")
		title := fmt.Sprint("Changed ", i)
		tab.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("#title").value = %q; document.querySelector("#link .main-act").click()`, title)))
		tab.UntilText("main h1", title)
		tab.Do(chromedp.Evaluate[chromedp.Void](`history.go(-3)`))
		tab.UntilPath("/links")
		tab.UntilText(row+" .title", title)
		tab.Until(`scrollY === 300`)
		if got := browsertest.Eval[string](tab, `performance.getEntriesByType("navigation")[0].type`); got != "reload" {
			t.Errorf("the page comes from a navigation of type %s", got)
		}
	}
}

// Without a change, Back shows the page at once, and a text that was typed stays in any case.
func TestBackKeepsTextsInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	tab := chromium.Open(t, s.URL)
	signInTab(t, tab, "ada")
	tab.Go(linkPath(link.ID))
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#text").focus()`))
	tab.Type("A long note")
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".side [href='/lists']").click()`))
	tab.UntilPath("/lists")
	tab.Go("/lists/create")
	tab.Until(`document.activeElement.name === "name"`)
	tab.Type("New")
	tab.Press(kb.Enter)
	tab.UntilPath("/lists/1")
	tab.Do(chromedp.Evaluate[chromedp.Void](`history.go(-3)`))
	tab.UntilPath(linkPath(link.ID))
	tab.Until(`document.querySelector("#text").value === "A long note"`)
	if n := browsertest.Eval[int](tab, `performance.getEntriesByType("navigation").filter((e) => e.type === "reload").length`); n != 0 {
		t.Error("the page was loaded again")
	}
}

// Back to the response to a form does not send the form again.
func TestBackRepeatsNoChangeInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	s.user(t, "ada")
	var sent atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/lists" {
			sent.Add(1)
		}
		s.site.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	tab := chromium.Open(t, server.URL)
	tab.Allow("status of 422")
	signInTab(t, tab, "ada")
	for _, name := range []string{"with, comma", "without"} {
		tab.Go("/lists/create")
		tab.Until(`document.activeElement.name === "name"`)
		tab.Type(name)
		tab.Press(kb.Enter)
		tab.Until(`location.pathname === "/lists/1" || document.querySelector("#name-wrong")`)
	}
	tab.Do(chromedp.Evaluate[chromedp.Void](`history.go(-2)`))
	tab.UntilText("#name-wrong", "comma")
	tab.Until(`performance.getEntriesByType("navigation")[0].loadEventEnd`)
	tab.Go("/tags")
	if n := sent.Load(); n != 2 {
		t.Errorf("the forms were sent %d times, want 2", n)
	}
}
