package web

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// addShared adds a private list with a public and two private links.
func (b *browser) addShared() waymark.List {
	b.t.Helper()
	list, err := b.site.service.AddList(b.t.Context(), b.user, waymark.ListInput{Name: "Recipes"})
	check(b.t, err)
	for i, v := range []waymark.Visibility{waymark.Public, waymark.Private, waymark.Private} {
		b.addLink(waymark.LinkInput{
			URL: fmt.Sprint("https://example.org/", i), VisibilityInput: waymark.VisibilityInput{Visibility: new(v)},
			Lists: &[]waymark.Ref{{ID: int64(list.ID)}},
		})
	}
	return list
}

func TestOwnerSharesAListAndItsLinks(t *testing.T) {
	s := newGuestSite(t)
	ada, guest := s.user(t, "ada"), s.guest(t)
	list := ada.addShared()
	share := ada.get(listPath(list.ID)).attr(".label-tools [data-place]", "href")
	p := ada.get(share).wantStatus(http.StatusOK) // as without a script
	p.wantAttr("[name=visibility]:checked", "value", "private")
	p.wantCount("#shared *", 0)
	guest.get("/guest" + listPath(list.ID)).wantStatus(http.StatusNotFound)
	p = ada.follow(ada.post(share, "visibility", "public"))
	p.wantText("#toasts .toast span", "“Recipes” is changed.")
	p.wantText("#shared code", s.URL+"/guest"+listPath(list.ID))
	p.wantAttr("#shared p a", "href", "/guest"+listPath(list.ID)+"/feed")
	p.wantText("#shared .muted", "2 links in it stay hidden.")
	guest.get("/guest"+listPath(list.ID)).wantCount(".link", 1)
	hidden := p.Find("#shared form")
	shown := ada.follow(ada.post(hidden.AttrOr("action", ""), "all", "1", "do", "public", "selection", hidden.Find("[name=selection]").AttrOr("value", "")))
	guest.get("/guest"+listPath(list.ID)).wantCount(".link", 3)
	ada.post(shown.attr("#toasts form", "action")).wantStatus(http.StatusSeeOther)
	guest.get("/guest"+listPath(list.ID)).wantCount(".link", 1)

	ada.post(share, "visibility", "internal").wantStatus(http.StatusSeeOther)
	p = ada.get(share)
	p.wantText("#shared code", s.URL+listPath(list.ID))
	s.user(t, "bob").get(share).wantStatus(http.StatusNotFound)
}

// A list is shared in two clicks: one opens the dialog, one makes it public, and its URL is copied.
func TestListIsSharedInTwoClicksInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	settings := config.Default().API
	settings.GuestPages = true
	s := newTestSite(t, storetest.Open(t), settings)
	ada := s.user(t, "ada")
	list := ada.addShared()
	addManyLists(t, s, ada, list.ID)
	tab := openTab(t, chromium, s.URL)
	c := newPageChecks(t, tab)
	c.fresh(listPath(list.ID))
	tab.Do(run(`document.execCommand = (command) => { window.copied = document.activeElement.value }; Object.defineProperty(navigator, "clipboard", { value: undefined }); 0`))
	tab.Click(".label-tools [data-place]")
	tab.Until(`document.querySelector("#place [name=visibility]")`)
	c.now("share a list", allRules)
	tab.Click("#place label:has([value=public])")
	want := s.URL + "/guest" + listPath(list.ID)
	tab.Until(`window.copied === "` + want + `" && document.querySelector("#place .key span").textContent.includes("Copied")`)
	c.now("a shared list", allRules)
	tab.Resize(320, 700)
	c.now("a shared list on a phone", allRules)
	tab.Press(kb.Escape)
	tab.UntilText("main .whose", "Public")
	tab.Resize(1440, 900)

	// The page with all lists: branches are opened, and the field finds a list. At the side, Escape brings the branch back.
	c.fresh("/lists")
	tab.Click(".all-lists summary")
	tab.Until(`document.querySelectorAll(".all-lists .entry").length === 41`)
	c.now("tree of lists", allRules)
	tab.Resize(320, 700)
	c.now("tree of lists on a phone", allRules)
	tab.Resize(1440, 900)
	tab.Click("#narrow [name=name]")
	tab.Type("sub 59")
	tab.Until(`document.querySelector("#found .listgrid")?.textContent.includes("Recipes")`)
	c.now("lists that were found", allRules)
	c.fresh("/links")
	tab.Until(`document.querySelector(".side .seek [name=name][data-htmx-powered]")`) // before, nothing notices what is typed
	tab.Click(".side .seek [name=name]")
	tab.Type("sub 59")
	tab.Until(`document.querySelector(".side details ul").children.length === 1`)
	tab.Press(kb.Escape)
	tab.Until(`document.querySelector(".side details ul").children.length === 40`)

	tab.Scripts(false)
	tab.Go(listPath(list.ID) + "/share")
	tab.Click("label:has([value=internal])")
	tab.Click(".share .btn.main-act")
	tab.UntilText("#shared code", s.URL+listPath(list.ID))
	for _, problem := range tab.Problems() {
		t.Error(problem)
	}
}
