package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// dragScript defines drag, which drags an element, or a URL from elsewhere, to a part of the height of another one.
const dragScript = `window.drag = (from, to, part = 0.5) => {
	const dataTransfer = new DataTransfer();
	const target = document.querySelector(to);
	const { top, height } = target.getBoundingClientRect();
	const send = (element, type) => element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer, clientY: top + part * height }));
	if (/^https?:/.test(from)) dataTransfer.setData("text/uri-list", from);
	else send(document.querySelector(from), "dragstart");
	send(target, "dragover");
	const how = document.querySelector("[class*=drop-]")?.className.match(/drop-\w+/)[0] ?? "";
	const shown = [how, document.querySelector("body > .toast")?.textContent ?? ""].join(" ");
	send(target, "drop");
	return shown;
}`

func TestListsAreMovedByKeysDialogAndDraggingInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	ids := addNested(ada, "A", "B")
	other := addNested(ada, "Other")[0]
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: new("Page"), Lists: &[]waymark.Ref{{ID: int64(other)}}, Tags: &[]waymark.Ref{{Name: "go"}}})
	tab := openTab(t, chromium, s.URL)
	tree := func(want string) {
		t.Helper()
		tab.Until(fmt.Sprintf(`[...document.querySelectorAll(".tree bdi")].map((e) => e.textContent).join(" ") === %q`, want))
	}
	drag := func(from, to string, part float64, want string) {
		t.Helper()
		tab.Do(run(dragScript))
		if got := browsertest.Eval[string](tab, fmt.Sprintf("drag(%q, %q, %g)", from, to, part)); got != want {
			t.Errorf("from %s to %s: the page shows %q, want %q", from, to, got, want)
		}
	}
	tab.Go(listPath(other))
	tree("A Other")
	tab.Press(kb.ArrowUp, kb.ModifierAlt)
	tree("Other A")
	tab.Press("z")
	tab.UntilText(".toast span", "Undone")
	tree("A Other")
	tab.Press("m")
	tab.Until(`document.activeElement.name === "words"`)
	tab.Type("b")
	tab.UntilText("#place .main-act", "Move to B")
	tab.Press(kb.Enter)
	tab.UntilText(".toast span", "“Other” is moved.")
	tab.UntilText("nav.path", "B")

	inTree := func(id waymark.ListID) string { return fmt.Sprintf(".tree a[href$='%s']", listPath(id)) }
	drag(inTree(ids[0]), inTree(ids[1]), 0.5, "drop-no “B” stands in “A”")
	drag(inTree(other), inTree(ids[0]), 0.1, "drop-before Move “Other” before “A”")
	tree("Other A")
	tab.Go(listPath(other))
	drag("li.link .title a", inTree(ids[0]), 0.5, "drop-into Move “Page” from “Other” to “A”Ctrl keeps it in “Other” too")
	tab.UntilText(".toast span", "1 link is in “A”.")
	tab.UntilText("h1", "0")
	if got, err := s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil || len(got.Lists) != 1 || got.Lists[0].ID != ids[0] {
		t.Errorf("got %+v (error %v), want the link only in the other list", got.Lists, err)
	}
	drag("https://dropped.example/", "main", 0.5, "drop-into Save the link here")
	tab.UntilText(".toast span", "is saved")
	tab.UntilText("h1", "Other 1")
	for _, problem := range tab.Problems() {
		t.Error(problem)
	}
}

// Whatever is saved on the page of a list, or dragged or typed with its path, gets into that list and not into the
// other one of the same name.
func TestListsOfOneNameAreToldApartInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	first, second := addNested(ada, "A", "Security")[1], addNested(ada, "B", "Security")[1]
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: new("Page")})
	tab := openTab(t, chromium, s.URL)
	wantList := func(url string, want waymark.ListID) {
		t.Helper()
		saved, err := s.store.LinkByURL(t.Context(), ada.user.ID, url)
		if err == nil {
			saved, err = s.store.Link(t.Context(), ada.user.ID, saved.ID)
		}
		if err != nil || len(saved.Lists) != 1 || saved.Lists[0].ID != want {
			t.Errorf("%s: got the lists %v, %v, want list %d", url, saved.Lists, err, want)
		}
	}
	tab.Go(listPath(second))
	tab.Do(run(`(() => {
		const data = new DataTransfer();
		data.setData("text", "https://pasted.example/");
		document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	})()`))
	tab.Until(`document.activeElement.value === "https://pasted.example/"`)
	tab.Press(kb.Enter)
	tab.UntilText(".toast", "“pasted.example” is saved.")
	wantList("https://pasted.example/", second)

	tab.Press("n")
	tab.Until(`document.activeElement.name === "url"`)
	tab.Type("https://new.example/")
	tab.Press(kb.Enter)
	tab.UntilText(".toast", "“new.example” is saved.")
	wantList("https://new.example/", second)

	tab.Do(run(dragScript + "; drag('https://dropped.example/', 'main')"))
	tab.UntilText(".toast", "“dropped.example” is saved.")
	wantList("https://dropped.example/", second)

	tab.Go("/links?q=site:example.org")
	tab.Press("jl")
	tab.Until(`document.activeElement.matches("[data-tokens]")`)
	tab.Type("secur")
	tab.UntilText("[role=listbox] [role=option]:nth-of-type(2)", "Security A")
	tab.Press(kb.ArrowDown)
	tab.UntilText("[role=option][aria-selected=true]", "Security A")
	tab.Press(kb.Enter)
	tab.Press(kb.Enter)
	tab.UntilText(".toast", "is changed")
	wantList(link.URL, first)
	for _, problem := range tab.Problems() {
		t.Error(problem)
	}
}
