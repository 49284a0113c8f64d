package web

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestRowFormHasTheFocusInBrowser(t *testing.T) {
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
}

// The browser sends the form of a row itself, as Enter does before htmx has seen the form.
func TestRowFormIsSavedWithoutHTMXInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	tab.Press("je")
	tab.Until(`document.activeElement.matches(".link form [name=title]")`)
	tab.Type("Changed")
	tab.Do(run(`document.querySelector(".link form").submit()`))
	tab.UntilText("main h1", "Changed")
	tab.UntilText(".toast", "“ChangedPage 29” is changed.")
}

const rowForm, rowTitle, rowIdle = ".link form", ".link form [name=title]", `!document.querySelector(".htmx-request")`

// slowForm is the form of a row whose server answers when it is told.
type slowForm struct {
	t       *testing.T
	ada     *browser
	link    waymark.LinkID
	tab     *browsertest.Tab
	arrived chan bool // a request of the form
	respond chan bool // true to answer it
}

func newSlowForm(t *testing.T) *slowForm {
	chromium, s, ada := siteInBrowser(t)
	f := &slowForm{t: t, ada: ada, link: ada.addLinks(1)[0].ID, arrived: make(chan bool), respond: make(chan bool)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != linkPath(f.link) {
			s.site.ServeHTTP(w, r)
			return
		}
		f.arrived <- true
		response := httptest.NewRecorder()
		s.site.ServeHTTP(response, r.WithContext(context.WithoutCancel(r.Context()))) // saves also if the browser has given up
		if !<-f.respond {
			<-r.Context().Done()
			return
		}
		maps.Copy(w.Header(), response.Header())
		w.WriteHeader(response.Code)
		w.Write(response.Body.Bytes()) //nolint:errcheck // the test would fail
	}))
	t.Cleanup(server.Close)
	f.tab = chromium.Open(t, server.URL)
	signInTab(t, f.tab, "ada")
	return f
}

func (f *slowForm) edit(text string) {
	f.t.Helper()
	f.tab.Do(run(fmt.Sprintf(`{ const title = document.querySelector("%s"); title.focus(); title.value = %q }`, rowTitle, text)))
}

func (f *slowForm) awaitRequest() {
	f.t.Helper()
	select {
	case <-f.arrived:
	case <-time.After(time.Minute):
		f.t.Fatalf("the form was not sent; %s has the focus", f.tab.Focused())
	}
}

func (f *slowForm) save(answered bool) {
	f.t.Helper()
	f.tab.Until(rowIdle + ` && document.activeElement.closest("` + rowForm + `[data-htmx-powered]")`)
	f.tab.Press(kb.Enter)
	f.awaitRequest()
	f.respond <- answered
}

// A form of a row can be edited and sent again while the response is on its way. The second edit must
// not be lost: neither if the response comes late, nor if there is none, nor if the change is refused.
func TestEditDuringASlowSaveIsKeptInBrowser(t *testing.T) {
	f := newSlowForm(t)
	f.tab.Press("je")
	f.tab.Until(`document.activeElement.matches("` + rowTitle + `")`)
	if got := browsertest.Eval[int](f.tab, "htmx.config.defaultTimeout"); got != 35000 {
		t.Errorf("the script waits %d ms for a response, want 35000", got)
	}

	f.edit("first")
	f.tab.Press(kb.Enter)
	f.awaitRequest()
	f.edit("second")
	f.tab.Press(kb.Enter) // is not sent
	f.respond <- true
	f.tab.UntilText(".toast", "first")
	if got := browsertest.Eval[string](f.tab, `document.querySelector("`+rowTitle+`")?.value`); got != "second" {
		t.Fatalf("the form has the title %q, want the second edit", got)
	}
	f.save(true)
	f.tab.Until(`!document.querySelector("` + rowForm + `")`)
	f.tab.UntilText(".link .title", "second")
	f.tab.Until(`!!document.activeElement.closest(".link")`)

	f.tab.Allow("htmx:error")
	f.tab.Press("e")
	f.tab.Until(`document.activeElement.matches("` + rowTitle + `")`)
	f.tab.Do(run("htmx.config.defaultTimeout = 5000; 0"))
	f.edit("third")
	f.save(false)
	f.edit("fourth")
	f.tab.UntilText(".toast", "No answer from the server.")
	f.tab.Do(run("htmx.config.defaultTimeout = 35000; 0"))
	f.tab.Allow("status of 422")
	f.save(true)
	f.tab.UntilText(rowForm+" .wrong", "Saving again replaces that change.") // the server has saved the third title
	f.save(true)
	f.tab.UntilText(".link .title", "fourth")
}

func TestEditDuringASlowSaveCanBeCanceledInBrowser(t *testing.T) {
	f := newSlowForm(t)
	f.tab.Allow("status of 422")
	f.tab.Press("je")
	f.tab.Until(`document.activeElement.matches("` + rowTitle + `")`)
	f.edit("fifth")
	f.tab.Press(kb.Enter)
	f.awaitRequest()
	f.edit("sixth")
	f.respond <- true
	f.tab.UntilText(".toast", "fifth")
	f.tab.Until(rowIdle)
	f.tab.Press(kb.Escape)
	f.tab.UntilText(".link .title", "fifth")
	f.tab.Until(`!document.querySelector("` + rowForm + `") && document.activeElement.closest(".link")`)

	f.tab.Press("e")
	f.tab.Until(`document.activeElement.matches("` + rowTitle + `")`)
	f.ada.post(linkPath(f.link), "title", "elsewhere")
	f.tab.Press(kb.Enter)
	f.awaitRequest()
	f.edit("seventh")
	f.tab.Do(run(`document.querySelector(".link [role=combobox][data-tokens$=tags]").focus()`))
	f.tab.Type("new, ")
	f.tab.Do(run(`document.querySelector("` + rowForm + ` [name=visibility]").value = "public"`))
	f.respond <- true
	f.tab.UntilText(rowForm+" .wrong", "Saving again replaces that change.")
	f.tab.Until(`document.activeElement.matches("[role=combobox][data-tokens$=tags]")`)
	if got := browsertest.Eval[string](f.tab, `String(new URLSearchParams([...new FormData(document.querySelector("`+rowForm+`"))].slice(1)))`); got != "title=seventh&lists=&tags=new&visibility=public" {
		t.Errorf("the form has %q, want the edit", got)
	}
	f.save(true)
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
	s := newTestSite(t, storetest.Open(t), config.Default().API)
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
