package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/waymark"
)

// sharedSite has a list of ada that ben and carla may change. dora sees it.
type sharedSite struct {
	*testSite
	ada, ben, carla, dora *browser
	list                  waymark.List
	path                  string // of the list
	link                  waymark.Link
}

func newSharedSite(t *testing.T, s *testSite) sharedSite {
	t.Helper()
	all := sharedSite{testSite: s, ada: s.user(t, "ada"), ben: s.user(t, "ben"), carla: s.user(t, "carla"), dora: s.user(t, "dora")}
	var err error
	all.list, err = s.service.AddList(t.Context(), all.ada.user, waymark.ListInput{Name: "Recipes"})
	check(t, err)
	all.path = listPath(all.list.ID)
	all.ada.post(all.path+"/editors", "who", "named", "users", "ben, carla").wantStatus(http.StatusSeeOther)
	all.link = all.save(all.ada, "https://example.org/bread", "Bread")
	return all
}

// save saves a link into the list, as visible as that.
func (s sharedSite) save(b *browser, url, title string) waymark.Link {
	b.t.Helper()
	return b.addLink(waymark.LinkInput{URL: url, Title: &title, Lists: &[]waymark.Ref{{ID: int64(s.list.ID)}}})
}

func eachSharedSite(t *testing.T, test func(t *testing.T, s sharedSite)) {
	t.Helper()
	eachSite(t, func(t *testing.T, s *testSite) { test(t, newSharedSite(t, s)) })
}

func TestOwnerChoosesWhoChangesAList(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		s.user(t, "carla")
		ids := addNested(ada, "Recipes", "Soups")
		path, below := listPath(ids[0]), listPath(ids[1])
		p := ada.get(path + "/share")
		p.wantAttr("[name=who]:checked", "value", "owner")
		p.wantCount("[name=who][value=parent]", 0)
		if !strings.Contains(p.text("#who"), "First let them see it") {
			t.Errorf("a private list: got %q", p.text("#who"))
		}
		for users, want := range map[string]string{"": "Add a person", "ben, zoe": "“zoe”"} {
			p := ada.post(path+"/editors", "who", "named", "users", users).wantStatus(http.StatusUnprocessableEntity)
			if got := p.text("#users-wrong"); !strings.Contains(got, want) {
				t.Errorf("%q: got %q, want %q", users, got, want)
			}
		}
		ben.get(path).wantStatus(http.StatusNotFound)
		p = ada.follow(ada.post(path+"/editors", "who", "named", "users", "ben, carla"))
		p.wantText("#toasts .toast span", "“Recipes” is changed.")
		p.wantAttr("[name=visibility]:checked", "value", "internal")
		p.wantAttr("[name=users]", "value", "ben, carla")
		ada.get(path).wantText(".shared-with summary", "You, and two others")
		ben.get(path).wantText(".shared-with li", "ada, whose list it isbencarla")
		ada.get(below+"/share").wantText("label:has([value=parent])", "As Recipes You, and two others")

		undo := p.attr("#toasts form", "action")
		ada.post(undo).wantStatus(http.StatusSeeOther)
		ben.get(path).wantStatus(http.StatusNotFound)
		ada.post(path+"/editors", "who", "everyone").wantStatus(http.StatusSeeOther)
		ben.get(path).wantText(".whose", "Internal of ada You, and everyone with an account here")
		ada.post(path+"/share", "visibility", "private").wantStatus(http.StatusSeeOther)
		ada.get(path).wantCount(".shared-with", 0)
		ada.get("/complete/people?q=E").wantText("[role=option] b", "e")
		ada.get("/complete/people?q=ada").wantCount("[role=option]", 0)
	})
}

func TestOnlyWhatOneMayDoToASharedListIsOffered(t *testing.T) {
	eachSharedSite(t, func(t *testing.T, s sharedSite) {
		link, take := linkPath(s.link.ID), fmt.Sprintf("%s/links/%d/take", s.path, s.link.ID)
		for _, b := range []*browser{s.ben, s.dora} {
			p := b.get(s.path).wantStatus(http.StatusOK)
			for _, selector := range []string{"[href$='/share']", "[action$='/trash']", "[href$='/edit']", "[href*='/lists/move']", "[formaction$='/trash']", "[name=visibility]"} {
				p.wantCount(".main "+selector, 0)
			}
			for _, path := range []string{s.path, s.path + "/share", s.path + "/editors", s.path + "/trash", link + "/trash", link + "/mark/favorite", link + "/check"} {
				b.post(path, "name", "x", "visibility", "public", "who", "everyone").wantStatus(http.StatusForbidden)
			}
			b.post(link, "title", "Bread", "visibility", "private").wantStatus(http.StatusForbidden)
			b.get(s.path + "/share").wantStatus(http.StatusNotFound)
		}
		p := s.ben.get(s.path)
		p.wantCount(".link [name=models]", 1)
		p.wantAttr(".link [formaction$='/take']", "formaction", take)
		p.wantText(".filed .muted", "ada")
		if !strings.HasPrefix(p.attr("[data-key=n]", "href"), "/links/create?back=%2Flists%2F1&lists=Recipes") {
			t.Errorf("got the form for a new link at %s", p.attr("[data-key=n]", "href"))
		}
		p = s.ben.get(link)
		p.wantCount("form [name=title], form [name=description], form [name=url], form [name=lists], form [name=tags]", 5)
		p.wantCount("form [name=visibility], form [name=snapshots], [href$='/attachments']", 0)

		p = s.dora.get(s.path)
		p.wantCount(".shared-with, .link [name=models], [formaction$='/take']", 0)
		s.dora.get(link).wantCount("[name=title], [name=lists], [name=tags]", 0)
		p = s.ben.get(linkPath(s.dora.addLink(waymark.LinkInput{URL: "https://example.org/", VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Internal)}}).ID))
		p.wantCount("[name=title], [name=tags]", 0)
		s.ben.post(p.attr("form:has([name=lists])", "action"), "models", p.attr("[name=models]", "value"), "lists", "Recipes #1", "do", "lists").wantStatus(http.StatusSeeOther)
		s.ada.get(s.path).wantCount(".link [name=models]", 2)
		for _, path := range []string{take, s.path + "/sort", link} {
			s.dora.post(path, "title", "x").wantStatus(http.StatusForbidden)
		}
		s.dora.post("/lists", "name", "x", "visibility", "internal", "parent", fmt.Sprint(s.list.ID)).wantStatus(http.StatusForbidden)
		s.dora.post(link + "/fetch").wantStatus(http.StatusForbidden)
		s.dora.post(s.path + "/leave").wantStatus(http.StatusNotFound)
		s.ada.get(s.path).wantText(".filed .muted", "doraYou")
	})
}

func TestChangesOfOthersAreShownAndUndone(t *testing.T) {
	eachSharedSite(t, func(t *testing.T, s sharedSite) {
		link, take := linkPath(s.link.ID), fmt.Sprintf("%s/links/%d/take", s.path, s.link.ID)
		s.ben.post(link, "title", "Rye bread", "version", s.ben.get(link).attr("[name=version]", "value")).wantStatus(http.StatusSeeOther)
		s.ben.post(take).wantStatus(http.StatusSeeOther)
		s.ada.get(s.path).wantCount(".link", 0)
		s.ben.get(s.path).wantCount(".shared-changes", 0)
		s.carla.post("/changes/1/undo").wantStatus(http.StatusForbidden)
		s.dora.post("/changes/1/undo").wantStatus(http.StatusForbidden)
		s.dora.post("/changes/99/undo").wantStatus(http.StatusNotFound)

		p := s.ada.get(s.path)
		p.wantText("details:has(.shared-changes) summary", "2 changes by others since yesterday")
		p.wantText(".shared-changes li:first-child bdi", "ben took “Rye bread” out.")
		p = s.ada.follow(s.ada.post(p.attr(".shared-changes li:first-child form", "action"), "back", s.path))
		p.wantText("#toasts .toast span", "Undone.")
		p.wantCount(".link", 1)
		p = s.ada.get(link)
		p.wantText(".shared-changes bdi", "ben edited “Rye bread”.")
		s.ada.post(p.attr(".shared-changes li:first-child form", "action"), "back", link).wantRedirect(link)
		s.ada.get(link).wantText("h1", "Bread")

		s.ben.post(link, "title", "Rye bread")
		s.carla.get(link).wantCount(".shared-changes", 0)
		p = s.ben.get(link)
		s.ben.post(p.attr(".shared-changes form", "action")).wantStatus(http.StatusSeeOther)
		s.ada.get(link).wantText("h1", "Bread")

		p = s.ben.follow(s.ben.post(take)) // with the token of the message, as z does
		s.ben.post(p.attr("#toasts form", "action")).wantStatus(http.StatusSeeOther)
		s.ada.get(s.path).wantCount(".link", 1)
		p = s.ben.follow(s.ben.post(link, "title", "Cake"))
		s.ben.post(p.attr("#toasts form", "action")).wantStatus(http.StatusSeeOther)
		s.ada.get(link).wantText("h1", "Bread")
	})
}

func TestLinkSavedIntoASharedListIsAsVisibleAsTheList(t *testing.T) {
	eachSharedSite(t, func(t *testing.T, s sharedSite) {
		form := s.ben.get(s.ben.get(s.path).attr("[data-key=n]", "href"))
		form.wantAttr("[name=visibility]:checked", "value", "internal")
		if !strings.Contains(form.text("form"), "“Recipes” is at least as visible as the list") {
			t.Errorf("the form does not say so: %s", form.text("form"))
		}
		lists := form.attr("[name=lists]", "value")
		p := s.ben.post("/links", "url", s.link.URL, "lists", lists, "visibility", "internal").wantStatus(http.StatusUnprocessableEntity)
		p.wantText("#existing p", "It is here already, saved by ada.")
		s.ben.post("/links", "url", s.link.URL, "lists", lists, "visibility", "internal", "near", p.attr("[name=near]", "value")).wantStatus(http.StatusSeeOther)
		s.ben.post("/links", "url", "https://example.org/2", "lists", lists, "visibility", "private", "preset", "private").wantStatus(http.StatusSeeOther)
		s.ben.post("/links", "url", "https://example.org/3", "lists", lists, "quick", "1").wantStatus(http.StatusSeeOther)
		p = s.ben.post("/links", "window", "1", "url", "https://example.org/6", "lists", lists, "visibility", "private", "preset", "private").wantStatus(http.StatusOK)
		p.wantText("main > p:not(.muted)", "What is saved into “Recipes” is at least as visible as the list.")
		s.ben.post("/links/several", "urls", "https://example.org/4 https://example.org/5", "lists", lists).wantStatus(http.StatusSeeOther)
		s.ada.get(s.path).wantCount(".link", 7)
		s.ada.get(s.path).wantText(".whose", "Internal You, and two others ada, whose list it is ben carla")

		private := s.ben.addLink(waymark.LinkInput{URL: "https://example.org/private", VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Private)}})
		p = s.ben.follow(s.ben.post("/bulk", "models", fmt.Sprint(private.ID), "list", fmt.Sprint(s.list.ID)))
		if got := p.text("#toasts .toast span"); !strings.Contains(got, "1 of them is private: others do not see it in “Recipes”.") {
			t.Errorf("got the message %q", got)
		}
		s.ada.get(s.path).wantCount(".link", 7)
		if got := s.ada.get(s.path).text(".whose"); !strings.Contains(got, "1 link of another person is private to them.") {
			t.Errorf("the owner reads %q", got)
		}
		show := p.Find("#toasts form:has([name=models])")
		s.ben.post(show.AttrOr("action", ""), "models", show.Find("[name=models]").AttrOr("value", ""), "do", show.Find("[name=do]").AttrOr("value", "")).wantStatus(http.StatusSeeOther)
		s.ada.get(s.path).wantCount(".link", 8)
	})
}

func TestEditorTakesSeveralOutMakesSublistsAndLeaves(t *testing.T) {
	eachSharedSite(t, func(t *testing.T, s sharedSite) {
		s.save(s.ada, "https://example.org/soup", "Soup")
		p := s.ben.get(s.path)
		s.ben.post("/bulk", "all", "1", "selection", p.attr("[name=selection]", "value"), "do", "lists", "remove-lists-ids", fmt.Sprint(s.list.ID)).wantStatus(http.StatusSeeOther)
		s.ada.get(s.path).wantCount(".link", 0)
		s.ben.post(s.ada.get(s.path).attr(".shared-changes form", "action")).wantStatus(http.StatusSeeOther)
		s.ada.get(s.path).wantCount(".link", 2)

		create := p.attr("#label-menu [href*='/lists/create']", "href")
		s.ben.get(create).wantAttr("[name=parent]", "value", fmt.Sprint(s.list.ID))
		for _, name := range []string{"Soups", "Cakes"} {
			s.ben.post("/lists", "name", name, "parent", fmt.Sprint(s.list.ID), "visibility", "internal").wantStatus(http.StatusSeeOther)
		}
		s.ben.post(s.path + "/sort").wantStatus(http.StatusSeeOther)
		s.ada.get(s.path).wantText(".subs bdi", "CakesSoups")
		soups := s.ada.get(s.path).attr(".subs li:nth-child(2) a", "href")
		s.ben.get(soups).wantCount("#label-menu [name=step]", 2)
		s.dora.get(soups).wantCount("#label-menu [name=step]", 0)
		for b, status := range map[*browser]int{s.ben: http.StatusSeeOther, s.dora: http.StatusForbidden} {
			b.post("/lists/move", "models", strings.TrimPrefix(soups, "/lists/"), "step", "up").wantStatus(status)
		}
		s.ada.get(s.path).wantText(".subs bdi", "SoupsCakes")
		s.ben.post("/lists/move", "models", strings.TrimPrefix(soups, "/lists/"), "into", "0").wantStatus(http.StatusForbidden)
		s.ben.post("/lists/merge", "models", strings.TrimPrefix(soups, "/lists/"), "into", fmt.Sprint(s.list.ID)).wantStatus(http.StatusForbidden)

		left := s.ben.follow(s.ben.post(s.ben.get(s.path).attr(".shared-with form", "action")))
		left.wantText("#toasts .toast span", "You left “Recipes”. Your links stay in it.")
		left.wantCount(".shared-with, .link [name=models]", 0)
		s.ada.get(s.path).wantText(".shared-with summary", "You, and one other")
		s.ben.post(s.path + "/leave").wantStatus(http.StatusNotFound)
		s.ben.post(linkPath(s.link.ID), "title", "x").wantStatus(http.StatusForbidden)
	})
}

// Without a script, the form of a link sends all fields as they are.
func TestEditorSavesTheWholeFormOfAnothersLink(t *testing.T) {
	eachSharedSite(t, func(t *testing.T, s sharedSite) {
		link := linkPath(s.link.ID)
		other, err := s.service.AddList(t.Context(), s.ada.user, waymark.ListInput{Name: "Other", VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Internal)}})
		check(t, err)
		s.ada.post(link, "lists", "Recipes, Other", "tags", "bread").wantStatus(http.StatusSeeOther)
		tags, err := s.store.CompleteTags(t.Context(), s.ada.user.ID, "bread")
		check(t, err)
		s.ada.post(tagPath(tags[0].ID), "name", "bread", "visibility", "internal").wantStatus(http.StatusSeeOther)

		p := s.ben.get(link)
		s.ben.post(link, "title", "Rye bread", "description", "", "url", s.link.URL, "lists", p.attr("[name=lists]", "value"),
			"tags", p.attr("[name=tags]", "value")+", mine", "note", "", "version", p.attr("[name=version]", "value")).wantStatus(http.StatusSeeOther)
		s.ben.get(link).wantAttr("[name=tags]", "value", "bread, mine")
		s.ada.get(link).wantAttr("[name=lists]", "value", "Other, Recipes")
		s.ada.get(link).wantAttr("[name=tags]", "value", "bread")
		s.ben.post(link, "lists", "", "version", s.ben.get(link).attr("[name=version]", "value")).wantStatus(http.StatusSeeOther)
		s.ada.get(link).wantAttr("[name=lists]", "value", other.Name)
	})
}

// Two people: ada shares a list, ben finds it, edits a link and takes it out; ada undoes that, and ben leaves.
func TestTwoPeopleChangeAListInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	s.user(t, "ben")
	list := ada.addShared()
	path := listPath(list.ID)
	tab := openTab(t, chromium, s.URL)
	c := newPageChecks(t, tab)
	c.fresh(path)
	tab.Click(".label-tools [data-place]")
	tab.Until(`document.querySelector("#place form[action$='/editors'][data-htmx-powered]")`)
	tab.Click("#place label:has([value=named])")
	tab.Click("#place .named [role=combobox]")
	tab.Type("be")
	tab.UntilText("#place .named [role=option]", "ben")
	tab.Press(kb.Enter)
	tab.Until(`document.querySelector("#who-sees [value=internal]").checked && document.querySelector("#place [name=users]").value === "ben"`)
	c.look("who changes a list", "light", 1440, allRules)
	c.look("who changes a list", "dark", 320, allRules)
	tab.Resize(1440, 900)
	tab.Press(kb.Escape)
	tab.UntilText(".shared-with summary", "You, and one other")

	other := chromium.Open(t, s.URL)
	other.Media("prefers-reduced-motion", "reduce")
	signInTab(t, other, "ben")
	other.Resize(1440, 900)
	other.Go("/lists")
	other.Click(".tabs a[href$='shared=1']")
	other.Click(".listgrid a[href$='" + path + "']")
	other.UntilPath(path)
	other.Until(`document.querySelector(".link")`)
	other.Press("j")
	other.Until(`document.activeElement.matches(".link .title a")`)
	other.Press(" ")
	other.Until(`document.querySelector("#pane #title[data-htmx-powered], #pane form #title")`)
	other.Press("e")
	other.Until(`document.activeElement.matches("#pane #title")`)
	other.Do(run(`document.activeElement.select()`))
	other.Type("Rye bread")
	other.Press(kb.Enter)
	other.UntilText(".toast", "“Rye bread” is changed.")
	of := pageChecks{t, other, c.axe}
	of.look("another person's link", "light", 1440, allRules)
	other.Resize(1440, 900)
	other.Do(run(`document.querySelector(".link [formaction$='/take']").click()`))
	other.UntilText(".toast", "“Rye bread” is not in “Recipes” any more.")

	c.fresh(path)
	tab.Click("details:has(> .shared-changes) summary")
	tab.UntilText(".shared-changes li:first-child", "ben took “Rye bread” out.")
	c.look("changes of others", "light", 1440, allRules)
	c.look("changes of others", "dark", 320, allRules)
	tab.Resize(1440, 900)
	tab.Click(".shared-changes li:first-child button")
	tab.UntilText("#toasts", "Undone.")
	tab.UntilText(".links", "Rye bread")
	tab.Click("details:has(> .shared-changes) summary")
	tab.Click(".shared-changes li:first-child button")
	tab.Until(`!document.querySelector(".shared-changes") && !document.querySelector(".links").textContent.includes("Rye bread")`)

	other.Go(path)
	other.Click(".shared-with summary")
	of.look("leave a list", "dark", 320, allRules)
	other.Click(".shared-with button")
	other.UntilText("#toasts", "You left “Recipes”.")
	other.Until(`!document.querySelector(".shared-with")`)
}
