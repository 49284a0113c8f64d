package web

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/waymark"
)

func TestSeveralURLsAreSavedInAList(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	list := addNested(ada, "Recipes")[0]
	ada.addLink(waymark.LinkInput{URL: "https://known.example/"})
	field := []string{"lists", "Recipes", "back", listPath(list)}
	urls := "https://a.example/\nhttps://known.example/ https://b.example/\njavascript:alert(1) https://a.example/"
	p := ada.follow(ada.post("/links/several", append(field, "urls", urls)...))
	p.wantText("#toasts .toast span", "2 links are saved. 1 was there before.")
	ada.get(listPath(list)).wantCount("li.link", 3)
	ada.post(p.attr("#toasts form", "action")).wantStatus(http.StatusSeeOther)
	ada.get(listPath(list)).wantCount("li.link", 0)
	ada.get("/links").wantCount("li.link", 1)
	ada.follow(ada.post("/links/several", append(field, "urls", "no")...)).wantText("#toasts .toast span", "None of these URLs can be saved.")
}

// A file that is dropped anywhere on the page is imported, and URLs that are pasted on the page of a list are saved in it.
func TestFilesAreDroppedAndURLsPastedInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	list := addNested(ada, "Recipes")[0]
	tab := openTab(t, chromium, s.URL)
	c := newPageChecks(t, tab)
	c.fresh("/import")
	tab.Click(".import summary")
	tab.Do(run(`(() => { const s = document.querySelector("[name=folders]"); s.value = "flat"; s.dispatchEvent(new Event("change", { bubbles: true })) })()`))
	tab.UntilText("[data-sum]", "Folders become flat lists · Flat lists")
	c.now("options of an import", allRules)
	tab.Resize(320, 700)
	c.now("options of an import on a phone", allRules)
	tab.Resize(1440, 900)
	tab.Do(run(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([` + "`" + bookmarkFile + "`" + `], "dropped.html"));
		document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	})()`))
	tab.UntilText("h1", "dropped.html")
	tab.UntilText(".made", "Links added")
	c.now("report of an import", allRules)

	c.fresh(listPath(list))
	tab.Do(run(`(() => {
		const data = new DataTransfer();
		data.setData("text", "https://pasted.example/1\nhttps://pasted.example/2");
		document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	})()`))
	tab.UntilText(".toast", "2 URLs → Recipes")
	c.now("an offer to save several URLs", allRules)
	tab.Press(kb.Enter)
	tab.UntilText(".toast", "2 links are saved")
	tab.Until(fmt.Sprintf(`location.pathname === %q && document.querySelectorAll("li.link").length === 2`, listPath(list)))

	tab.Scripts(false)
	tab.Go("/import")
	tab.Until(`document.querySelector(".import .btn.main-act").checkVisibility()`)
	for _, problem := range tab.Problems() {
		t.Error(problem)
	}
}
