package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// Back shows a page as it is now if something was changed since, whether the browser has kept the page
// itself or only its HTML.
func TestBackShowsChangesInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	links := ada.addLinks(20)
	tab := chromium.Open(t, s.URL)
	tab.Resize(1000, 400)
	signInTab(t, tab, "ada")
	for i, kept := range []bool{true, false} {
		link := links[10+i]
		row := fmt.Sprintf("#link-%d", link.ID)
		tab.Go("/links")
		tab.Do(run(`scrollTo(0, 300)`))
		if !kept {
			tab.Do(run(`addEventListener("unload", () => {})`))
		}
		tab.Do(run(`document.querySelector("` + row + ` [data-look]").click()`))
		tab.Until(fmt.Sprintf(`location.pathname === %q && document.readyState === "complete"`, linkPath(link.ID))) // the key needs the script
		title := fmt.Sprint("Changed ", i)
		tab.Press("e")
		tab.Until(`document.activeElement.id === "title"`)
		tab.Do(run(fmt.Sprintf(`document.activeElement.value = %q; document.activeElement.blur()`, title)))
		tab.UntilText("main h1", title)
		tab.Do(run(`setTimeout(() => history.back())`))
		tab.UntilPath("/links")
		tab.UntilText(row+" .title", title)
		if !kept { // Chromium loses the place in one of ten pages that it has kept itself
			tab.Until(`scrollY === 300`)
		}
		if got := browsertest.Eval[string](tab, `performance.getEntriesByType("navigation")[0].type`); got != "reload" {
			t.Errorf("the page comes from a navigation of type %s", got)
		}
	}
}

// Back keeps what was typed into a form or chosen in it, also after a change. The field of a search is
// no such form.
func TestBackKeepsEditsInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	ada.post("/lists", "name", "New", "visibility", "private").wantStatus(http.StatusSeeOther)
	tab := openTab(t, chromium, s.URL)
	tab.Go("/lists")
	for _, test := range []struct{ path, field, edit, edited string }{
		{"/links/create", "#description", `value = "A long text"`, `value === "A long text"`},
		{"/links/create", "#visibility [value=public]", "checked = true", "checked"},
		{"/lists", "main [name=name]", `value = "New"`, ""},
	} {
		tab.Go(test.path)
		field := fmt.Sprintf("document.querySelector(%q).", test.field)
		tab.Do(run(field + test.edit))
		tab.Do(run(`document.querySelector(".side [href='/tags']").click()`))
		tab.UntilPath("/tags")
		tab.Go("/lists/1/edit")
		tab.Until(`document.readyState === "complete"`)
		tab.Do(run(`document.querySelector("main .main-act").click()`))
		tab.UntilPath("/lists/1")
		tab.Do(run(`setTimeout(() => history.go(-3))`))
		tab.UntilPath(test.path)
		if test.edited == "" {
			tab.Until(`performance.getEntriesByType("navigation")[0].type === "reload"`)
			continue
		}
		// A request later, the page is still the same.
		tab.Until(field + test.edited)
		tab.Do(run(`fetch("/lists").then(() => document.body.dataset.asked = "")`))
		tab.Until(`"asked" in document.body.dataset && ` + field + test.edited)
	}
}

// Back shows a page as it is now if the text in its form was saved, and keeps the text if it was not.
func TestBackToSentFormInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	ada.post("/lists", "name", "A", "visibility", "private").wantStatus(http.StatusSeeOther)
	server, down := unreliable(t, s.site)
	tab := openTab(t, chromium, server.URL)
	tab.Allow("ERR_EMPTY_RESPONSE")
	do := func(script string) { tab.Do(run(script)) }
	length := func() int { return browsertest.Eval[int](tab, "history.length") }
	back := func(to int, path string) {
		do(fmt.Sprintf("setTimeout(() => history.go(%d))", to-length()))
		tab.UntilPath(path)
	}

	for _, test := range []struct{ path, send, saved, shown string }{
		{"/links", `const find = document.querySelector("[data-save]"); find.elements.q.value = "https://example.com/"; find.requestSubmit()`, `.toast`, `document.querySelectorAll(".link").length === 2`},
		{
			"/links", `document.querySelector(".pick input").click(); const field = document.querySelector("#bulk-tags-add"); field.value = "new"; field.dispatchEvent(new Event("input", { bubbles: true })); document.querySelector("#bulk-tags .main-act").click()`,
			`.toast`, `document.querySelector(".link .tag")?.textContent.includes("new")`,
		},
		{linkPath(link.ID), `document.querySelector("#text").value = "A note"; document.querySelector("#text").form.requestSubmit()`, `#note-1`, `document.querySelector("#note-1")`},
		{linkPath(link.ID), `document.querySelector("#text").value = "Another"; document.querySelector("#text").form.requestSubmit()`, `#note-2`, `document.querySelector("#note-2")`},
	} {
		tab.Go("/tags") // without pages to go forward to, which would count
		tab.Go(test.path)
		tab.Until(`document.readyState === "complete"`)
		page := length()
		do("{" + test.send + "}")
		tab.Until(fmt.Sprintf(`document.querySelector(%q) && document.readyState === "complete"`, test.saved))
		// Another form is accepted in between.
		tab.Go("/lists/1/edit")
		tab.Until(`document.readyState === "complete"`)
		do(`document.querySelector("main .main-act").click()`)
		tab.UntilPath("/lists/1")
		tab.UntilText(".toast", "A")
		back(page, test.path)
		tab.Until(`performance.getEntriesByType("navigation")[0].type === "reload" && ` + test.shown)
	}

	tab.Go("/tags")
	tab.Go("/notes/1/edit")
	tab.Until(`document.readyState === "complete"`)
	page := length()
	down.Store(true)
	do(`document.querySelector("#text").value = "Not saved"; document.querySelector("#text").form.requestSubmit()`)
	tab.Until(`!document.querySelector("#text")`)
	down.Store(false)
	// The next message is about a change that another tab has made.
	tab.Go("/tags")
	tab.Until(`document.readyState === "complete"`)
	do(`fetch("/lists", { method: "POST", body: new URLSearchParams("name=B&visibility=private"), redirect: "manual" }).then(() => location.href = "/lists")`)
	tab.UntilPath("/lists")
	tab.UntilText(".toast", "B")
	do(`localStorage.changed = Date.now()`)
	back(page, "/notes/1/edit")
	tab.Until(`document.querySelector("#text").value === "Not saved"`)
	do(`fetch("/lists").then(() => document.body.dataset.asked = "")`)
	tab.Until(`"asked" in document.body.dataset && document.querySelector("#text").value === "Not saved"`)
}

// After Back, the key undoes the last change that was made in this tab, and no change of another tab.
func TestUndoAfterBackInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	tab := openTab(t, chromium, s.URL)
	save := func(tab *browsertest.Tab, url string) {
		tab.Go("/tags")
		tab.Until(`document.readyState === "complete"`)
		tab.Do(run(fmt.Sprintf(`{ const find = document.querySelector("[data-save]"); find.elements.q.value = %q; find.requestSubmit() }`, url)))
		tab.UntilPath("/links")
		tab.Until(`document.querySelector(".toast")`)
	}
	backAndUndo := func() {
		tab.Do(run(`setTimeout(() => history.back())`))
		tab.UntilPath("/tags")
		tab.Until(`document.readyState === "complete" && performance.getEntriesByType("navigation")[0].type === "reload"`)
		tab.Press("z")
		tab.Until(`document.querySelector(".toast")`)
	}
	links := func() string { return ada.get("/links?q=example.com").text("main h1 .n") }

	save(tab, "https://example.com/1")
	backAndUndo()
	if got := links(); got != "0 links" {
		t.Errorf("after undo: %s links, want 0", got)
	}
	save(tab, "https://example.com/2")
	save(chromium.OpenBeside(tab), "https://example.com/3")
	backAndUndo()
	tab.UntilText(".toast", "There is nothing to undo.")
	if got := links(); got != "2 links" {
		t.Errorf("after a change in another tab: %s links, want 2", got)
	}
}

// Back to the response to a form does not send the form again.
func TestBackRepeatsNoChangeInBrowser(t *testing.T) {
	chromium, s, _ := siteInBrowser(t)
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
	tab.Do(run(`setTimeout(() => history.go(-2))`))
	tab.UntilText("#name-wrong", "comma")
	tab.Until(`performance.getEntriesByType("navigation")[0].loadEventEnd`)
	tab.Go("/tags")
	if n := sent.Load(); n != 2 {
		t.Errorf("the forms were sent %d times, want 2", n)
	}
}
