package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
	"waymark/internal/waymark"
)

// The browser sends the form of a row itself, as Enter does before htmx has seen the form.
func TestRowFormHasTheFocusAndIsSavedWithoutHTMXInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	tab.Press("j")
	title := tab.Focused()
	tab.Press("e")
	tab.Until(`document.activeElement.matches(".link form [name=title]")`)
	tab.Press(kb.Escape)
	tab.Until(`!document.querySelector(".link form")`)
	if got := tab.Focused(); got != title {
		t.Errorf("after Escape: the focus is on %s, want %s", got, title)
	}
	tab.Press("e")
	tab.Until(`document.activeElement.matches(".link form [name=title]")`)
	tab.Type("Changed")
	tab.Do(run(`document.querySelector(".link form").submit()`))
	tab.UntilText("main h1", "Changed")
	tab.UntilText(".toast", "“ChangedPage 29” is changed.")
}

const rowForm, rowTitle, rowIdle = ".link form", ".link form [name=title]", `!document.querySelector(".htmx-request")`

// slowForm is the form of a row whose server answers when it is told.
type slowForm struct {
	*slowForms
	t    *testing.T
	ada  *browser
	link waymark.LinkID
	tab  *browsertest.Tab
}

func newSlowForm(t *testing.T) *slowForm {
	chromium, s, ada := siteInBrowser(t)
	f := &slowForm{newSlowForms(t, s.site), t, ada, ada.addLinks(1)[0].ID, nil}
	f.tab = openTab(t, chromium, f.URL)
	return f
}

// open opens the form.
func (f *slowForm) open(key string) {
	f.t.Helper()
	f.tab.Press(key)
	f.tab.Until(`document.activeElement.matches("` + rowTitle + `")`)
}

func (f *slowForm) edit(text string) {
	f.t.Helper()
	f.tab.Do(run(fmt.Sprintf(`{ const title = document.querySelector("%s"); title.focus(); title.value = %q }`, rowTitle, text)))
}

// send sends the form, and holds the response.
func (f *slowForm) send() {
	f.t.Helper()
	f.tab.Until(rowIdle + ` && document.activeElement.closest("` + rowForm + `[data-htmx-powered]")`)
	f.hold()
	f.tab.Press(kb.Enter)
	f.tab.Until(`document.querySelector(".htmx-request")`)
}

// A form of a row can be edited and sent again while the response is on its way. The second edit must
// not be lost: neither if the response comes late, nor if there is none, nor if the change is refused.
func TestEditDuringASlowSaveIsKeptInBrowser(t *testing.T) {
	f := newSlowForm(t)
	f.open("je")
	if got := browsertest.Eval[int](f.tab, "htmx.config.defaultTimeout"); got != 35000 {
		t.Errorf("the script waits %d ms for a response, want 35000", got)
	}
	f.edit("first")
	f.send()
	f.edit("second")
	f.tab.Press(kb.Enter)
	f.wantSent(t, linkPath(f.link)) // once
	f.release()
	f.tab.UntilText(".toast", "first")
	if got := browsertest.Eval[string](f.tab, `document.querySelector("`+rowTitle+`")?.value`); got != "second" {
		t.Fatalf("the form has the title %q, want the second edit", got)
	}
	f.send()
	f.release()
	f.tab.Until(`!document.querySelector("` + rowForm + `")`)
	f.tab.UntilText(".link .title", "second")
	f.tab.Until(`!!document.activeElement.closest(".link")`)

	f.tab.Allow("htmx:error|status of 422")
	f.open("e")
	f.tab.Do(run("htmx.config.defaultTimeout = 1000; 0"))
	f.edit("third")
	f.send()
	f.edit("fourth")
	f.tab.UntilText(".toast", "No answer from the server.")
	f.release()
	f.tab.Do(run("htmx.config.defaultTimeout = 35000; 0"))
	f.send()
	f.release()
	f.tab.UntilText(rowForm+" .wrong", "Saving again replaces that change.") // the server has saved the third title
	f.send()
	f.release()
	f.tab.UntilText(".link .title", "fourth")
}

func TestEditDuringASlowSaveCanBeCanceledInBrowser(t *testing.T) {
	f := newSlowForm(t)
	f.tab.Allow("status of 422")
	f.open("je")
	f.edit("fifth")
	f.send()
	f.edit("sixth")
	f.release()
	f.tab.UntilText(".toast", "fifth")
	f.tab.Until(rowIdle)
	f.tab.Press(kb.Escape)
	f.tab.UntilText(".link .title", "fifth")
	f.tab.Until(`!document.querySelector("` + rowForm + `") && document.activeElement.closest(".link")`)

	f.open("e")
	f.ada.post(linkPath(f.link), "title", "elsewhere")
	f.send()
	f.edit("seventh")
	f.tab.Do(run(`document.querySelector(".link [role=combobox][data-tokens$=tags]").focus()`))
	f.tab.Type("new, ")
	f.tab.Do(run(`document.querySelector("` + rowForm + ` [name=visibility]").value = "public"`))
	f.release()
	f.tab.UntilText(rowForm+" .wrong", "Saving again replaces that change.")
	f.tab.Until(`document.activeElement.matches("[role=combobox][data-tokens$=tags]")`)
	if got := browsertest.Eval[string](f.tab, `String(new URLSearchParams([...new FormData(document.querySelector("`+rowForm+`"))].slice(1)))`); got != "title=seventh&lists=&tags=new&visibility=public" {
		t.Errorf("the form has %q, want the edit", got)
	}
	f.send()
	f.release()
	f.tab.UntilText(".link .title", "seventh")
}

// A tag that was added on the page must not be offered as a new one.
func TestFieldSuggestsTagsAddedSinceInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	for i, want := range []string{"New tag “rust” ↵", "rust 1"} { // with the key to add it; with the number of links
		tab.Press("jt")
		tab.Until(`document.activeElement.matches("[role=combobox][data-tokens$=tags]")`)
		tab.Type("rust")
		tab.UntilText(".link form [role=option]", "rust")
		if got := browsertest.Eval[string](tab, `document.querySelector(".link form [role=option]").textContent.trim().replace(/\s+/g, " ")`); got != want {
			t.Errorf("link %d: got the suggestion %q, want %q", i+1, got, want)
		}
		tab.Press(kb.Enter + kb.Enter)
		tab.Until(`!document.querySelector(".link form") && document.activeElement.closest(".link")`)
	}
}

func TestFormsFitOnAPhoneInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newSite(t)
	inputs := make([]waymark.LinkInput, 1000)
	for i := range inputs {
		inputs[i] = waymark.LinkInput{URL: fmt.Sprintf("https://example.org/%d", i), Tags: &[]waymark.Ref{{Name: "distributed-systems-and-databases"}}}
	}
	if _, err := s.service.AddLinks(t.Context(), s.user(t, "ada").user, inputs); err != nil {
		t.Fatal(err)
	}
	tab := chromium.Open(t, s.URL)
	tab.Resize(360, 740)
	signInTab(t, tab, "ada")
	tab.Go("/links?view=cards")
	tab.Press("je")
	tab.Until(`document.querySelector(".editing form")`)
	if got := browsertest.Eval[int](tab, `document.querySelector(".editing .input").clientWidth`); got < 280 {
		t.Errorf("the fields of a card have %d pixels, want the width of the page", got)
	}
	tab.Go("/links")
	tab.Click(".link .pick")
	tab.Click(".bulk [popovertarget=bulk-tags]")
	tab.Until(`document.activeElement.matches("[role=combobox][data-tokens$=tags]")`)
	tab.Type("systems")
	tab.UntilText("#bulk-tags [role=option] .n", "1,000")
	if got := browsertest.Eval[int](tab, `document.querySelector("#bulk-tags [role=option] .n").clientHeight`); got > 20 {
		t.Errorf("the number of links of a tag is %d pixels high, want one line", got)
	}
}
