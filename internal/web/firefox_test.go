package web

import (
	"fmt"
	"testing"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// What Firefox does in its own way works in it, too: layout, keys, going back, and dragging.
func TestSiteInFirefox(t *testing.T) {
	firefox := browsertest.StartFirefox(t)
	for name, test := range map[string]func(*testing.T, *browsertest.Firefox){
		"keys and pages": pagesInFirefox, "back": backInFirefox, "dragging": dragInFirefox, "reading": readInFirefox, "pane": paneInFirefox,
		"tidying": tidyInFirefox, "away from the server": awayInFirefox,
	} {
		t.Run(name, func(t *testing.T) { test(t, firefox) })
	}
}

// loaded is true when Firefox has loaded the page at a path.
func loaded(path string) string {
	return fmt.Sprintf(`location.pathname === %q && document.readyState === "complete"`, path)
}

func signInFirefox(firefox *browsertest.Firefox, s *testSite) {
	firefox.Home = s.URL
	firefox.Resize(1440, 900)
	firefox.Go("/signin")
	firefox.Until(`document.activeElement.name === "name"`)
	firefox.Press("ada" + browsertest.FirefoxTab + password + browsertest.FirefoxEnter)
	firefox.Until(loaded("/links"))
}

func pagesInFirefox(t *testing.T, firefox *browsertest.Firefox) {
	s := newFullSite(t)
	signInFirefox(firefox, s.testSite)
	firefox.Press("jjx")
	firefox.Until(`document.querySelector(".here .pick input").checked`)
	firefox.Press(browsertest.FirefoxEscape + "?")
	firefox.Until(`document.getElementById("keys").open && document.querySelector("#keys h2")`)
	firefox.Press(browsertest.FirefoxEscape)
	firefox.Until(`!document.getElementById("keys").open && document.activeElement.closest(".link")`)
	for _, path := range s.examplePaths() {
		firefox.Go(path)
		for _, width := range []int64{320, 768, 1440} {
			firefox.Resize(width, 900)
			if wide := firefox.Eval(overflowing); wide != "" {
				t.Errorf("%s, %d pixels wide: too wide is %s", path, width, wide)
			}
		}
	}
}

// Back shows what was changed since in Firefox, too, which keeps a page in memory or loads it again. It
// selects no other row instead of one that was selected.
func backInFirefox(t *testing.T, firefox *browsertest.Firefox) {
	s := newSite(t)
	ada := s.user(t, "ada")
	links := ada.addLinks(20)
	signInFirefox(firefox, s)
	for i, before := range []string{"", `addEventListener("unload", () => {});`} {
		path := linkPath(links[17-i].ID)
		firefox.Go("/links")
		firefox.Until(loaded("/links"))
		firefox.Eval(before + `document.querySelectorAll(".pick input")[5].click(); location = document.querySelector("main [data-look][href^='` + path + `?']"); ""`)
		firefox.Until(loaded(path))
		firefox.Eval(`document.querySelector("form[action$='/trash'] button").click(); ""`)
		firefox.Until(loaded("/links") + ` && document.querySelector(".toast")`)
		firefox.Eval(`setTimeout(() => history.go(-2)); ""`)
		firefox.Until(loaded("/links") + ` && performance.getEntriesByType("navigation")[0].type === "reload"`)
		if got := firefox.Eval(`document.querySelector("main [data-look][href^='` + path + `?']") ? "the link is still there" : ""`); got != "" {
			t.Error(got)
		}
		if got := firefox.Eval(`[...document.querySelectorAll(".pick input:checked")].map((box) => box.value).join()`); got != "" {
			t.Errorf("the row of link %s is selected, want none", got)
		}
	}

	// The key undoes what was saved with the field at the top of this page.
	for i, before := range []string{"", `addEventListener("unload", () => {});`} {
		firefox.Go("/tags")
		firefox.Until(loaded("/tags"))
		firefox.Eval(before + `const find = document.querySelector("[data-save]"); find.elements.q.value = "https://example.com/` + fmt.Sprint(i) + `"; find.requestSubmit(); ""`)
		firefox.Until(loaded("/links") + ` && document.querySelector(".toast")`)
		firefox.Eval(`setTimeout(() => history.back()); ""`)
		firefox.Until(loaded("/tags") + ` && performance.getEntriesByType("navigation")[0].type === "reload"`)
		firefox.Press("z")
		firefox.Until(loaded("/tags") + ` && document.querySelector(".toast")`)
		ada.get("/links?q=example.com").wantText("main h1 .n", "0 links")
	}
}

// The pane is opened, edited and closed with the keyboard in Firefox, too.
func paneInFirefox(t *testing.T, firefox *browsertest.Firefox) {
	s := newSite(t)
	s.user(t, "ada").addLinks(3)
	signInFirefox(firefox, s)
	firefox.Press("j j")
	firefox.Until(`document.querySelector("#pane .look")?.dataset.link === "2" && document.activeElement.matches("#link-2 .title a")`)
	firefox.Press("t")
	firefox.Until(`document.activeElement.matches("#look-tags-2 [role=combobox]")`)
	firefox.Press("go" + browsertest.FirefoxEnter + browsertest.FirefoxEnter)
	firefox.Until(`document.querySelector("#link-2 .filed")?.textContent.includes("go") && document.activeElement.matches("#link-2 .title a")`)
	firefox.Press("e")
	firefox.Until(`document.activeElement.matches("#title")`)
	firefox.Press("New " + browsertest.FirefoxEscape)
	firefox.Until(`document.querySelector("#link-2 .title").textContent.includes("New")`)
	firefox.Press(browsertest.FirefoxEscape)
	firefox.Until(`!document.querySelector("#pane")`)
}

// A round is answered, and three pairs of links are merged, in Firefox, too.
func tidyInFirefox(t *testing.T, firefox *browsertest.Firefox) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addOld(6)
	signInFirefox(firefox, s)
	firefox.Go(longNotSeen)
	given := ""
	press := func(keys, letter string) {
		t.Helper()
		firefox.Press(keys)
		given += letter
		firefox.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given))
	}
	press("a", "a")
	press(browsertest.FirefoxEnter, "k")
	press("#", "t")
	press(" ", "l")
	firefox.Press("t")
	firefox.Until(`document.activeElement.closest("#file")`)
	firefox.Press("chosen,")
	firefox.Eval(`(document.querySelector("#file [value=file]").click(), "")`)
	given += "f"
	firefox.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given))
	firefox.Press("z")
	firefox.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given[:4]))

	for _, host := range []string{"a.example", "b.example", "c.example"} {
		ada.addLink(waymark.LinkInput{URL: "http://" + host})
		ada.addLink(waymark.LinkInput{URL: "https://www." + host + "/"})
	}
	firefox.Go(duplicatesPath)
	for left := 3; left > 0; left-- {
		firefox.Until(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("h1").textContent.includes("%d") && document.activeElement.matches("h1")`, left))
		firefox.Eval(`(document.querySelector("[value=merge]").click(), "")`) // the driver presses no buttons
	}
	firefox.Until(`document.readyState === "complete" && !document.querySelector("[value=merge]")`)
}

// The script's part of dragging works in Firefox. WebDriver sends dragstart and dragover there, but no drop.
func dragInFirefox(t *testing.T, firefox *browsertest.Firefox) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ids := addNested(ada, "A", "B")
	other := addNested(ada, "Other")[0]
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: new("Page"), Lists: &[]waymark.Ref{{ID: int64(other)}}})
	signInFirefox(firefox, s)
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

// Firefox has no background sync: what waits is sent when a page is opened.
func awayInFirefox(t *testing.T, firefox *browsertest.Firefox) {
	s := newSite(t)
	ada := s.user(t, "ada")
	h := startHome(t, s)
	s.URL = "http://" + h.address
	signInFirefox(firefox, s)
	firefox.Until(workerHolds("status.person && navigator.serviceWorker.controller"))
	h.stop()
	firefox.Go("/add?title=Bread&url=https://bread.example/")
	firefox.Until(`document.querySelector("[data-view=entry]:not([hidden])") && document.getElementById("title").value === "Bread"`)
	h.start()
	firefox.Go("/links")
	firefox.Until(workerHolds("!status.waiting"))
	if _, err := s.store.LinkByURL(t.Context(), ada.user.ID, "https://bread.example/"); err != nil {
		t.Error(err)
	}
}
