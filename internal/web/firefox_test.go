package web

import (
	"encoding/json"
	"fmt"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// The pages and the script work in Firefox, too.
func TestPagesInFirefox(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	s := newFullSite(t)
	axe := axeSource(t)
	firefox := browsertest.StartFirefox(t, s.URL)
	firefox.Resize(1440, 900)
	firefox.Go("/signin")
	firefox.Until(`document.activeElement.name === "name"`)
	firefox.Press("ada" + browsertest.FirefoxTab + password + browsertest.FirefoxEnter)
	firefox.Until(`location.pathname === "/links" && document.readyState === "complete"`)

	firefox.Press("jjx")
	firefox.Until(`document.querySelector(".here .pick input").checked`)
	firefox.Press(browsertest.FirefoxEscape + "?")
	firefox.Until(`document.getElementById("keys").open && document.querySelector("#keys h2")`)
	firefox.Press(browsertest.FirefoxEscape)
	firefox.Until(`!document.getElementById("keys").open && document.activeElement.closest(".link")`)

	for _, path := range s.pagePaths(t) {
		firefox.Go(path)
		for _, width := range widths {
			firefox.Resize(width, 900)
			if wide := firefox.Eval(overflowing); wide != "" {
				t.Errorf("%s, %d pixels wide: too wide is %s", path, width, wide)
			}
		}
		firefox.Resize(1440, 4000)
		firefox.Eval(axe + "; ''")
		var violations []string
		check(t, json.Unmarshal([]byte(firefox.Eval(axeViolations(allRules))), &violations))
		for _, violation := range violations {
			t.Error(fmt.Sprint(path, ": ", violation))
		}
	}
}

// Back shows what was changed since in Firefox, too, which keeps a page in memory or loads it again. It
// selects no other row instead of one that was selected.
func TestBackInFirefox(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	ada := s.user(t, "ada")
	links := ada.addLinks(20)
	firefox := browsertest.StartFirefox(t, s.URL)
	firefox.Go("/signin")
	firefox.Until(`document.activeElement.name === "name"`)
	firefox.Press("ada" + browsertest.FirefoxTab + password + browsertest.FirefoxEnter)
	open := func(path string) string {
		return fmt.Sprintf(`location.pathname === %q && document.readyState === "complete"`, path)
	}
	firefox.Until(open("/links"))
	for i, before := range []string{"", `addEventListener("unload", () => {});`} {
		path := linkPath(links[17-i].ID)
		firefox.Go("/links")
		firefox.Until(open("/links"))
		firefox.Eval(before + `document.querySelectorAll(".pick input")[5].click(); document.querySelector("main .aside a[href='` + path + `']").click(); ""`)
		firefox.Until(open(path))
		firefox.Eval(`document.querySelector("form[action$='/trash'] button").click(); ""`)
		firefox.Until(open("/links") + ` && document.querySelector(".toast")`)
		firefox.Eval(`setTimeout(() => history.go(-2)); ""`)
		firefox.Until(open("/links") + ` && performance.getEntriesByType("navigation")[0].type === "reload"`)
		if got := firefox.Eval(`document.querySelector("main .aside a[href='` + path + `']") ? "the link is still there" : ""`); got != "" {
			t.Error(got)
		}
		if got := firefox.Eval(`[...document.querySelectorAll(".pick input:checked")].map((box) => box.value).join()`); got != "" {
			t.Errorf("the row of link %s is selected, want none", got)
		}
	}

	// The key undoes what was saved with the field at the top of this page.
	for i, before := range []string{"", `addEventListener("unload", () => {});`} {
		firefox.Go("/tags")
		firefox.Until(open("/tags"))
		firefox.Eval(before + `const find = document.querySelector("[data-save]"); find.elements.query.value = "https://example.com/` + fmt.Sprint(i) + `"; find.requestSubmit(); ""`)
		firefox.Until(open("/links") + ` && document.querySelector(".toast")`)
		firefox.Eval(`setTimeout(() => history.back()); ""`)
		firefox.Until(open("/tags") + ` && performance.getEntriesByType("navigation")[0].type === "reload"`)
		firefox.Press("z")
		firefox.Until(open("/tags") + ` && document.querySelector(".toast")`)
		if got := ada.get("/links?query=example.com").text("main h1 .n"); got != "0 links" {
			t.Errorf("after undo: got %s links, want 0", got)
		}
	}
}

// The script's part of dragging works in Firefox. WebDriver sends dragstart and dragover there, but no drop.
func TestListsAndLinksAreDraggedInFirefox(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	ada := s.user(t, "ada")
	ids := addNested(ada, "A", "B")
	other := addNested(ada, "Other")[0]
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: new("Page"), Lists: &[]waymark.Ref{{ID: int64(other)}}})
	firefox := browsertest.StartFirefox(t, s.URL)
	firefox.Resize(1440, 900)
	firefox.Go("/signin")
	firefox.Until(`document.activeElement.name === "name"`)
	firefox.Press("ada" + browsertest.FirefoxTab + password + browsertest.FirefoxEnter)
	firefox.Until(`location.pathname === "/links" && document.readyState === "complete"`)
	firefox.Go(listPath(other))
	inTree := func(id waymark.ListID) string { return fmt.Sprintf(".tree a[href$='%s']", listPath(id)) }
	drag := func(from, to, want, then string) {
		t.Helper()
		if got := firefox.Eval(fmt.Sprintf("%s; drag(%q, %q)", dragScript, from, to)); got != want {
			t.Errorf("from %s to %s: the page shows %q, want %q", from, to, got, want)
		}
		firefox.Until(fmt.Sprintf(`document.querySelector("#toasts .toast span")?.textContent === %q`, then))
	}
	drag("li.link .title a", inTree(ids[0]), "drop-into Move “Page” from “Other” to “A”Ctrl keeps it in “Other” too", "1 link is in “A”.")
	drag(inTree(other), inTree(ids[0]), "drop-into Move “Other” into “A”", "“Other” is moved.")
	if got, err := s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil || len(got.Lists) != 1 || got.Lists[0].ID != ids[0] {
		t.Errorf("got %+v (error %v), want the link only in the other list", got.Lists, err)
	}
	if got, err := s.store.List(t.Context(), ada.user.ID, other); err != nil || got.Parent != ids[0] {
		t.Errorf("got %+v (error %v), want it in the other list", got, err)
	}
}
