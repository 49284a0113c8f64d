package web

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// linksTab returns a tab with the page of links of ada, who has saved 30 of them.
func linksTab(t *testing.T) *browsertest.Tab {
	t.Helper()
	chromium := browsertest.Start(t)
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	ada := s.user(t, "ada")
	inputs := make([]waymark.LinkInput, 30)
	for i := range inputs {
		inputs[i] = waymark.LinkInput{URL: fmt.Sprintf("https://example.org/%d", i), Title: new(fmt.Sprintf("Page %d", i))}
	}
	if _, err := s.service.AddLinks(t.Context(), ada.user, inputs); err != nil {
		t.Fatal(err)
	}
	tab := chromium.Open(t, s.URL)
	signInTab(t, tab, "ada")
	return tab
}

func TestFieldSearchesWhileTypingInBrowser(t *testing.T) {
	tab := linksTab(t)
	tab.Press("/")
	tab.Type("page 2")
	tab.UntilText("h1 .n", "12")
	tab.Type("9 -zzz")
	tab.UntilText("h1", "Search 1")
	tab.UntilText("#status", "1 link found")
	tab.UntilText(".chip", "without “zzz”")
	if got, want := tab.Path(), "/links?query=page+29+-zzz"; got != want {
		t.Errorf("the address is %s, want %s", got, want)
	}
	if n := browsertest.Eval[int](tab, `document.querySelectorAll(".side, #results, h1").length`); n != 3 {
		t.Errorf("the page has %d sidebars, results and headings, want one each", n)
	}
	if got := browsertest.Eval[string](tab, "document.activeElement.name"); got != "query" {
		t.Errorf("the focus is on %s, want the field", tab.Focused())
	}
	tab.Do(chromedp.NavigateBack())
	tab.UntilText("h1", "Links 30")
	tab.Until("window.htmx && document.readyState === 'complete'")
	tab.Press("j#")
	tab.UntilText(".toast", "in the trash")
	tab.Press("z")
	tab.UntilText(".toast", "Undone")
	tab.UntilText("h1", "Links 30")
	tab.Go("/links?order=title") // the order is a hidden field of the form
	tab.Press("/")
	tab.Type("page 29")
	tab.UntilText("h1", "Search 1")
}

func TestChangesOfSelectedLinksKeepThePlaceInBrowser(t *testing.T) {
	tab := linksTab(t)
	tab.Resize(1280, 500)
	// The server writes the second address in another form: sorted, and with %2A.
	for _, path := range []string{"/links", "/links?query=Page+-*zzz&order=oldest"} {
		t.Run(path, func(t *testing.T) {
			tab.Go(path)
			changeSelectedLinks(t, tab)
		})
	}
}

func changeSelectedLinks(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	const focused = `document.activeElement.closest(".link")?.id`
	tab.Press("jjjjjjjjjjjj")
	tab.Until(`scrollY > 0`)
	third := browsertest.Eval[string](tab, `document.activeElement.closest(".link").nextElementSibling.nextElementSibling.id`)
	tab.Press("xjx")
	tab.UntilText(".bulk .count", "2")
	tab.Do(chromedp.Evaluate[chromedp.Void]("window.sentinel = true"))
	tab.Press("#")
	tab.Until(`document.readyState === "complete" && !window.sentinel && document.querySelector(".toast form")`)
	if got := browsertest.Eval[string](tab, focused); got != third {
		t.Errorf("the focus is on %q, want it on the next row, %q", got, third)
	}
	if browsertest.Eval[float64](tab, "scrollY") == 0 {
		t.Error("the page has moved to its top")
	}
	tab.Do(chromedp.Evaluate[chromedp.Void]("window.sentinel = true"))
	tab.Press("z")
	tab.Until(`document.readyState === "complete" && !window.sentinel`)
	tab.UntilText(".toast span", "Undone.")
	if got := browsertest.Eval[string](tab, focused); got != third {
		t.Errorf("after the undo: the focus is on %q, want %q", got, third)
	}
	for _, problem := range tab.Problems() {
		t.Error(problem)
	}
}

func TestBulkBarAndMessageAreAboveTheTabsInBrowser(t *testing.T) {
	tab := linksTab(t)
	// reachable is true if a click on the middle of each of the buttons reaches it.
	reachable := func(buttons string) string {
		return `[...document.querySelectorAll("` + buttons + `")].every((button) => {
			const box = button.getBoundingClientRect();
			return button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
		})`
	}
	for _, width := range []int64{320, 390, 660, 768, 890, 1024, 1440} {
		tab.Resize(width, 800)
		tab.Go("/links")
		tab.Click(".pick input")
		tab.UntilText(".bulk .count", "1")
		if !browsertest.Eval[bool](tab, reachable(".bulk > .btn")) {
			t.Errorf("with a width of %d pixels, something covers buttons of the bar", width)
		}
		tab.Click(".bulk [value=trash]")
		tab.Until(`document.querySelector(".toast form button")`)
		tab.Until(reachable(".toast button")) // the message moves when it appears
	}
}

func TestBulkBarHasOneLineInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newFullSite(t)
	tab := chromium.Open(t, s.URL)
	signInTab(t, tab, "ada")
	for _, language := range []string{"de", "en"} {
		if err := s.service.SaveSettings(t.Context(), s.ada.user.ID, waymark.Settings{Language: language}); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{768, 890, 896, 950, 1000, 1024, 1440} {
			tab.Resize(width, 900)
			tab.Go("/links")
			tab.Click(".pick input")
			if height := browsertest.Eval[int](tab, `document.querySelector(".bulk").offsetHeight`); height == 0 || height > 60 {
				t.Errorf("in the language %s, with a width of %d pixels, the bar is %d pixels high, want one line", language, width, height)
			}
		}
	}
}

func TestBulkChangesAreUndoneInBrowser(t *testing.T) {
	tab := linksTab(t)
	tab.Resize(1280, 900)
	tab.Press("j")
	tab.Press("x")
	tab.Until(`document.querySelector("[name=all]").focus(), document.activeElement.name === "all"`)
	tab.Press(" ")
	tab.Until(`document.querySelector("[name=all]").checked`)
	if got := browsertest.Eval[string](tab, `document.querySelector(".bulk .count").innerText.trim()`); got != "30 selected" {
		t.Errorf("with all links selected the bar says %q", got)
	}
	tab.Click(".bulk [value=trash]")
	tab.Until(`document.querySelectorAll("li.link").length === 0`)
	tab.UntilText(".toast span", "30 links are in the trash.")
	tab.Until(`sessionStorage.getItem("undo")`) // the key works from now on
	tab.Press("z")
	tab.UntilText("h1", "Links 30")
	tab.Until(`document.querySelectorAll("li.link").length === 24`)
	for _, problem := range tab.Problems() {
		t.Error(problem)
	}
}

func TestRowFormHasTheFocusInBrowser(t *testing.T) {
	tab := linksTab(t)
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

// A form of a row can be edited and sent again while the response is on its way. The second edit must
// not be lost: neither if the response comes late, nor if there is none, nor if the change is refused.
func TestEditDuringASlowSaveIsKeptInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	ada := s.user(t, "ada")
	link := ada.addLinks(1)[0]
	arrived, respond := make(chan bool), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != linkPath(link.ID) {
			s.site.ServeHTTP(w, r)
			return
		}
		arrived <- true
		response := httptest.NewRecorder()
		s.site.ServeHTTP(response, r.WithContext(context.WithoutCancel(r.Context()))) // saves also if the browser has given up
		if !<-respond {
			<-r.Context().Done()
			return
		}
		maps.Copy(w.Header(), response.Header())
		w.WriteHeader(response.Code)
		w.Write(response.Body.Bytes()) //nolint:errcheck // the test would fail
	}))
	t.Cleanup(server.Close)
	tab := chromium.Open(t, server.URL)
	signInTab(t, tab, "ada")
	const form, title, idle = ".link form", ".link form [name=title]", `!document.querySelector(".htmx-request")`
	edit := func(text string) {
		t.Helper()
		tab.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const title = document.querySelector("%s"); title.focus(); title.value = %q }`, title, text)))
	}
	awaitRequest := func() {
		t.Helper()
		select {
		case <-arrived:
		case <-time.After(time.Minute):
			t.Fatalf("the form was not sent; %s has the focus", tab.Focused())
		}
	}
	save := func(answered bool) {
		t.Helper()
		tab.Until(idle + ` && document.activeElement.closest("` + form + `[data-htmx-powered]")`)
		tab.Press(kb.Enter)
		awaitRequest()
		respond <- answered
	}
	tab.Press("je")
	tab.Until(`document.activeElement.matches("` + title + `")`)
	if got := browsertest.Eval[int](tab, "htmx.config.defaultTimeout"); got != 35000 {
		t.Errorf("the script waits %d ms for a response, want 35000", got)
	}

	edit("first")
	tab.Press(kb.Enter)
	awaitRequest()
	edit("second")
	tab.Press(kb.Enter) // is not sent
	respond <- true
	tab.UntilText(".toast", "first")
	if got := browsertest.Eval[string](tab, `document.querySelector("`+title+`")?.value`); got != "second" {
		t.Fatalf("the form has the title %q, want the second edit", got)
	}
	save(true)
	tab.Until(`!document.querySelector("` + form + `")`)
	tab.UntilText(".link .title", "second")
	tab.Until(`!!document.activeElement.closest(".link")`)

	tab.Allow("htmx:error")
	tab.Press("e")
	tab.Until(`document.activeElement.matches("` + title + `")`)
	tab.Do(chromedp.Evaluate[chromedp.Void]("htmx.config.defaultTimeout = 5000; 0"))
	edit("third")
	save(false)
	edit("fourth")
	tab.UntilText(".toast", "No answer from the server.")
	tab.Do(chromedp.Evaluate[chromedp.Void]("htmx.config.defaultTimeout = 35000; 0"))
	tab.Allow("status of 422")
	save(true)
	tab.UntilText(form+" .wrong", "Saving again replaces that change.") // the server has saved the third title
	save(true)
	tab.UntilText(".link .title", "fourth")

	tab.Press("e")
	tab.Until(`document.activeElement.matches("` + title + `")`)
	edit("fifth")
	tab.Press(kb.Enter)
	awaitRequest()
	edit("sixth")
	respond <- true
	tab.UntilText(".toast", "fifth")
	tab.Until(idle)
	tab.Press(kb.Escape)
	tab.UntilText(".link .title", "fifth")
	tab.Until(`!document.querySelector("` + form + `") && document.activeElement.closest(".link")`)

	tab.Press("e")
	tab.Until(`document.activeElement.matches("` + title + `")`)
	ada.post(linkPath(link.ID), "title", "elsewhere")
	tab.Press(kb.Enter)
	awaitRequest()
	edit("seventh")
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".link [data-for=tags]").focus()`))
	tab.Type("new, ")
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("` + form + ` [name=visibility]").value = "public"`))
	respond <- true
	tab.UntilText(form+" .wrong", "Saving again replaces that change.")
	tab.Until(`document.activeElement.dataset.for === "tags"`)
	if got := browsertest.Eval[string](tab, `String(new URLSearchParams([...new FormData(document.querySelector("`+form+`"))].slice(1)))`); got != "title=seventh&lists=&tags=new&visibility=public" {
		t.Errorf("the form has %q, want the edit", got)
	}
	save(true)
	tab.UntilText(".link .title", "seventh")
}

// A tag that was added on the page must not be offered as a new one.
func TestFieldSuggestsTagsAddedSinceInBrowser(t *testing.T) {
	tab := linksTab(t)
	for i, want := range []string{"New tag “rust”↵", "rust1"} { // with the key to add it; with the number of links
		tab.Press("jt")
		tab.Until(`document.activeElement.dataset.for === "tags"`)
		tab.Type("rust")
		tab.UntilText(".link form [role=option]", "rust")
		if got := browsertest.Eval[string](tab, `document.querySelector(".link form [role=option]").textContent`); got != want {
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
	tab.Until(`document.activeElement.dataset.for === "tags"`)
	tab.Type("systems")
	tab.UntilText("#bulk-tags [role=option] .n", "1,000")
	if got := browsertest.Eval[int](tab, `document.querySelector("#bulk-tags [role=option] .n").clientHeight`); got > 20 {
		t.Errorf("the number of links of a tag is %d pixels high, want one line", got)
	}
}

// Names must not lie outside of their row, where the focus cannot be seen, or be cut to two letters.
// A row that does not have all names says how many more there are.
func TestNamesOfARowAreVisibleInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	ada, bob := s.user(t, "ada"), s.user(t, "bob-with-a-name-of-many-words")
	bob.user.DefaultVisibility = waymark.DefaultsTo(waymark.Public)
	names := func(format string, n int) *[]waymark.Ref {
		refs := make([]waymark.Ref, n)
		for i := range refs {
			refs[i].Name = fmt.Sprintf(format, i)
		}
		return &refs
	}
	const list, tag = "%d list with a name of many words", "%d-tag-with-a-long-name"
	for i, link := range []struct {
		owner       *browser
		lists, tags *[]waymark.Ref
	}{
		{ada, names(list, 20), names(tag, 20)},
		{ada, names(list, 2), names(tag, 3)},
		{ada, names("l%d", 5), names("t%d", 5)},
		{bob, names(list, 20), names(tag, 20)},
	} {
		link.owner.addLink(waymark.LinkInput{
			URL: fmt.Sprintf("https://example.org/%d", i), Title: new("A title that has as many words as fit into two lines, beside the names of the lists and tags"),
			Lists: link.lists, Tags: link.tags,
		})
	}
	tab := chromium.Open(t, s.URL)
	signInTab(t, tab, "ada")
	want := func(what, selector, condition string) {
		t.Helper()
		if wrong := browsertest.Eval[string](tab, `[...document.querySelectorAll("`+selector+`")].filter((a) => a.checkVisibility() && !(`+condition+`)).map((a) => a.textContent).join(", ")`); wrong != "" {
			t.Errorf("%s: got %s", what, wrong)
		}
	}
	for _, view := range []string{"comfortable", "compact"} {
		for _, width := range []int64{1440, 1280, 1200, 1100, 1072, 1024, 900, 768, 640, 600, 390, 360} {
			tab.Resize(width, 900)
			tab.Go("/links?view=" + view)
			page := fmt.Sprintf("%s, %d pixels: ", view, width)
			want(page+"a name has one line", ".filed a", "a.offsetHeight < 32")
			want(page+"names are longer than their first letters", ".filed a:not(.more)", "a.offsetWidth >= 48")
			want(page+"how many more names there are is visible", ".more", "a.getBoundingClientRect().right <= a.closest('.filed').getBoundingClientRect().right + 1")
			if hidden := browsertest.Eval[string](tab, `[...document.querySelectorAll(".filed a")].filter((a) => {
				a.focus();
				if (document.activeElement !== a) return false;
				const [box, within] = [a.getBoundingClientRect(), a.closest(".filed").getBoundingClientRect()];
				return Math.min(box.right, within.right) - Math.max(box.left, within.left) < 12;
			}).map((a) => a.textContent).join(", ")`); hidden != "" {
				t.Errorf("%sthe focus is not visible on %s", page, hidden)
			}
		}
	}
}
