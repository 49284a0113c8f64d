package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// snapshotSearch is a search whose only link has the word in the snapshot of its page.
const snapshotSearch = "/links?q=in:snapshot+sourdough"

// addFindings adds what the server has found about pages: links that are gone or have moved, pictures,
// a snapshot, and jobs that wait.
func (s *fullSite) addFindings(t *testing.T) {
	t.Helper()
	saveTextSnapshot(t, s.testSite, s.link)
	saveWholePage(t, s.testSite, s.link, strings.Repeat("<p>A full snapshot", 9999))
	s.setPicture(t, s.link, waymark.Thumbnail, 640, 380)
	s.setPicture(t, s.link, waymark.SiteIcon, 32, 32)
	add := func(url, title string, results ...waymark.LastCheck) waymark.Link {
		link := s.ada.addLink(waymark.LinkInput{URL: url, Title: &title})
		s.checked(t, link.ID, time.Now().UTC().AddDate(0, 0, -len(results)), results...)
		return link
	}
	dead := result(waymark.CheckDead)
	for i := range 2 {
		add(fmt.Sprintf("https://gone.example/%d", i), fmt.Sprint("Gone ", i), result(waymark.CheckOK), dead, dead, dead)
	}
	results := make([]waymark.LastCheck, 0, 30)
	for i := range 27 {
		results = append(results, result([]waymark.CheckResult{waymark.CheckOK, waymark.CheckUnsure, waymark.CheckBlocked}[i%3]))
	}
	s.gone = add("https://gone.example/"+strings.Repeat("long/", 60), hostile, append(results, dead, dead, dead)...)
	for i := range 2 {
		to := result(waymark.CheckMoved)
		to.NewURL = fmt.Sprintf("https://new.example/%d/%s", i, strings.Repeat("x", 300*i))
		s.moved = add(fmt.Sprintf("http://moved.example/%d", i), fmt.Sprint("Moved ", i), result(waymark.CheckOK), to)
	}
	to := result(waymark.CheckMoved)
	to.NewURL = "https://" + strings.Repeat("new.", 20) + "example/"
	s.long = add("https://"+strings.Repeat("old.", 20)+"example/", "Moved from a long host", to)
	s.ada.post("/bulk", "do", "check", "models", fmt.Sprint(s.link.ID), "models", fmt.Sprint(s.gone.ID)).wantStatus(303)
	s.ada.post("/bulk", "do", "fetch", "models", fmt.Sprint(s.link.ID)).wantStatus(303)
}

// setPicture gives a link a picture of a size.
func (s *fullSite) setPicture(t *testing.T, link waymark.Link, kind waymark.PictureKind, width, height int) {
	t.Helper()
	drawn := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			drawn.Set(x, y, color.RGBA{uint8(x * 255 / width), uint8(y * 255 / height), 128, 255}) //nolint:gosec // at most 255
		}
	}
	var data bytes.Buffer
	check(t, png.Encode(&data, drawn))
	picture := waymark.Picture{Hash: waymark.PictureHash(data.Bytes()), Type: "image/png", Width: width, Height: height, Data: data.Bytes()}
	check(t, s.store.Snapshots.SetLinkPicture(t.Context(), queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}, kind, picture))
}

// undoable is true on a page that offers to undo the last change.
const undoable = `document.readyState === "complete" && document.querySelector("#toasts .toast form")`

// tabTo presses the Tab key until an element that matches a CSS selector has the focus. It fails
// the test if the focus cannot be seen on the way.
func tabTo(t *testing.T, tab *browsertest.Tab, selector string) {
	t.Helper()
	for range 80 {
		tab.Press(kb.Tab)
		if browsertest.Eval[bool](tab, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			return
		}
		if browsertest.Eval[string](tab, `getComputedStyle(document.activeElement).outlineStyle`) == "none" && !browsertest.Eval[bool](tab, `document.activeElement.matches("input, textarea, body, .pick *, main")`) {
			t.Errorf("the focus on %s cannot be seen", tab.Focused())
		}
	}
	t.Fatalf("the Tab key does not reach %s on %s", selector, tab.Path())
}

// importFile returns the path of a file with two bookmarks. One of them cannot be imported.
func importFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my bookmarks.html")
	check(t, os.WriteFile(path, []byte(bookmarkFile), 0o600))
	return path
}

// journeyThroughMaintenanceWithKeyboard is about links that are gone or have moved, snapshots and
// imports, in a window that is 1280 pixels wide at 400 %.
func journeyThroughMaintenanceWithKeyboard(t *testing.T, _ *browsertest.Browser, s *fullSite, tab *browsertest.Tab) {
	tab.Resize(320, 256)
	signInTab(t, tab, "ada")

	tab.Go("/links/broken")
	before := browsertest.Eval[[]string](tab, titles)
	tabTo(t, tab, ".link .pick input")
	tab.Press("x#")
	tab.Until(undoable + ` && ` + titles + `.length === ` + fmt.Sprint(len(before)-1))
	tab.Press("z")
	tab.Until(`document.readyState === "complete" && ` + titles + `.length === ` + fmt.Sprint(len(before)))

	tab.Go("/links/moved")
	tabTo(t, tab, "tbody tr button")
	tab.Press(kb.Enter)
	tab.Until(undoable + ` && document.querySelectorAll("tbody tr").length === 1`)
	tab.Press("z")
	tab.UntilText("#toasts", "Undone.")

	tab.Go(linkPath(s.long.ID))
	tabTo(t, tab, ".facts [formaction$='/moved']")
	tab.Press(kb.Enter)
	tab.Until(undoable + ` && document.querySelector("#url").value.startsWith("https://new.")`)
	tab.Press("z")
	tab.Until(`document.querySelector("#url").value.startsWith("https://old.")`)

	tab.Go(snapshotSearch)
	tab.UntilText(".link mark", "sourdough")
	tab.Press("ji")
	tab.Until(fmt.Sprintf(`location.pathname === %q && document.readyState === "complete"`, linkPath(s.link.ID)))
	tabTo(t, tab, ".for-link a[href*='/read']")
	tab.Press(kb.Enter)
	const cameFrom = ` && document.readyState === "complete" && new URLSearchParams(location.search).get("in")?.startsWith("/links?q=")`
	tab.Until(fmt.Sprintf(`location.pathname === %q`, linkPath(s.link.ID)+"/read") + cameFrom)
	tabTo(t, tab, "[popovertarget=read-more]")
	tab.Press(kb.Enter)
	tabTo(t, tab, "form[action$='/snapshot/remove'] button")
	tab.Press(kb.Enter)
	tab.UntilPath(linkPath(s.link.ID))
	tab.UntilText("#toasts", "snapshot")

	tab.Go("/settings/data")
	tabTo(t, tab, "a[href$='/import']")
	tab.Press(kb.Enter)
	tab.UntilPath("/import")
	tabTo(t, tab, "#file")
	tab.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{importFile(t)}))              // the dialog is the browser's
	tab.Until(`document.readyState === "complete" && location.pathname.startsWith("/imports/")`) // it starts at once
	tab.UntilText("#import header", "Finished")
	tab.UntilText("#import .recipes", "javascript:alert(1)")
	tabTo(t, tab, "form[action$='/undo'] button")
	tab.Press(kb.Enter)
	tab.UntilText("#import header", "Undone")
}

// importWithoutScripts is the end of the journey without scripts.
func importWithoutScripts(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	tab.Resize(1440, 900)
	tab.Go("/links/moved")
	tab.Click("tbody tr button")
	tab.UntilText("#toasts", "new URL")
	tab.Go("/import")
	tab.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{importFile(t)}))
	tab.Click(".import > .main-act")
	tab.Until(`document.readyState === "complete" && location.pathname.startsWith("/imports/")`)
	// The link shows the page again, until the import is finished.
	tab.Until(`(() => {
		if (document.querySelector("#import header")?.textContent.includes("Finished")) return true;
		if (document.readyState === "complete") document.querySelector("#import .without-script a")?.click();
		return false;
	})()`)
	tab.Click("form[action$='/undo'] button")
	tab.UntilText("#import header", "Undone")
}
