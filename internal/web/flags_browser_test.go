package web

import (
	"testing"

	"waymark/internal/httpx/browsertest"
)

func TestKeysSetFlagsInBrowser(t *testing.T) {
	_, _, tab := linksTab(t)
	rows := func(selector string) int {
		return browsertest.Eval[int](tab, `document.querySelectorAll("`+selector+`").length`)
	}
	all := rows(".link:not([hidden])")
	tab.Press("ju")
	tab.Until(`document.querySelector(".link.unread.here, .link.unread:focus-within") && document.querySelector(".side [href='/links?q=is%3Aunread'] .n")?.textContent === "1"`)
	tab.UntilText(".toast", "is marked as unread.")
	tab.Press("f")
	tab.Until(`document.querySelector(".link.unread .aside .set")`)
	tab.Press("j")
	tab.Press("a")
	tab.Until(`document.querySelector(".side [href='/links?q=is%3Aarchived'] .n")?.textContent === "1"`)
	if got := rows(".link:not([hidden])"); got != all-1 {
		t.Errorf("after a link was archived, got %d rows, want %d", got, all-1)
	}
	tab.Screenshot("flags")
	tab.Press("z")
	tab.Until(`!document.querySelector(".side [href='/links?q=is%3Aarchived']")`)
	tab.Go("/links")
	tab.Press("*")
	tab.Until(`document.querySelectorAll(".link [type=checkbox]:checked").length > 1`)
	tab.Press("u") // all selected ones are read
	tab.Until(`!document.querySelector(".link.unread") && !document.querySelector(".side [href='/links?q=is%3Aunread']")`)
	tab.Go("/links?q=is%3Afavorite")
	tab.UntilText("main h1", "Favourites 1")
	tab.Media("prefers-color-scheme", "dark")
	tab.Screenshot("flags-favorites-dark")
}
