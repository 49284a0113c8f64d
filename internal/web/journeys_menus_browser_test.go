package web

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
)

func journeyThroughMenus(t *testing.T, _ *browsertest.Browser, s *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	c := newPageChecks(t, tab)
	c.fresh("/links")
	tab.Click("[popovertarget=filter]")
	tab.Until(`document.querySelector("#filter").matches(":popover-open")`)
	c.now("filter", allRules)

	c.fresh(s.paths["/tags/{id}"])
	tab.Press("jx")
	c.now("selected", allRules)
	tab.Press("t")
	tab.Until(`document.querySelector("#bulk-tags").matches(":popover-open") && document.activeElement.matches("[role=combobox][data-tokens$=tags]")`)
	tab.Until(`document.querySelector("#bulk-tags [data-used] .take")`)
	c.now("tags that can be removed", allRules)
	tab.Type("a")
	tab.Until(`document.querySelector("#bulk-tags [role=option]")?.checkVisibility()`)
	c.now("tags of selected", allRules)
	// The names can be read, and the choices do not cover the buttons.
	tab.Type("b,a")
	tab.Until(`document.querySelector("#bulk-tags .token") && document.querySelector("#bulk-tags [role=option]")?.checkVisibility()`)
	if wrong := browsertest.Eval[string](tab, `(() => {
		const box = (selector) => document.querySelector("#bulk-tags " + selector).getBoundingClientRect();
		const token = box(".token"), choices = box("[role=listbox]"), actions = box(".actions"), menu = document.querySelector("#bulk-tags").getBoundingClientRect();
		if (token.height > 40 || box(".token button").width > 40) return "the token is " + token.width + " by " + token.height;
		if (choices.bottom > actions.top || actions.bottom > menu.bottom) return "the choices end at " + choices.bottom + ", the buttons at " + actions.bottom + ", the menu at " + menu.bottom;
		return "";
	})()`); wrong != "" {
		t.Error(wrong)
	}

	c.fresh("/links")
	tab.Press("k", kb.ModifierCtrl)
	tab.Type("a")
	tab.Until(`document.querySelector("#jump-list [role=option]")`)
	c.now("palette", allRules)

	c.fresh("/links")
	tab.Press("?")
	tab.Until(`document.querySelector("#keys h2")`)
	c.now("keys", allRules)
	c.fresh("/links")
	tab.Click(".find .help")
	tab.Until(`document.querySelector("#keys").open && document.querySelector("#keys h2")`)
	tab.Click("#keys a[href*='is%3Aprivate']")
	tab.Until(`location.search === "?q=is%3Aprivate" && document.querySelector(".chip")`)
}

func journeyThroughForms(t *testing.T, _ *browsertest.Browser, _ *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	c := newPageChecks(t, tab)
	c.fresh("/links")
	tab.Press("jj#")
	tab.Until(`document.querySelector(".toast form")`)
	c.now("toast", allRules)

	c.fresh("/links")
	tab.Press("jjl")
	tab.Until(`document.activeElement.matches("[role=combobox][data-tokens$=lists]")`)
	tab.Type("a")
	tab.Until(`document.querySelector(".look [role=option]")`)
	c.now("edit in place", allRules)

	c.fresh("/links/create")
	tab.Allow("status of 422")
	tab.Until(`document.activeElement.matches("#url")`)
	tab.Type("no URL")
	tab.Press(kb.Enter)
	tab.Until(`document.querySelector("[aria-invalid=true]")`)
	c.now("errors", allRules)

	tab.Resize(390, 800)
	tab.Go("/links")
	tab.Click(".tabs-foot [popovertarget=menu]")
	tab.Until(`document.querySelector("#menu").matches(":popover-open")`)
	c.now("drawer", allRules)
	tab.Do(run(`document.querySelector("#account").showPopover()`))
	c.now("account", allRules)

	tab.Touch(390, 800)
	tab.Go("/links")
	tab.Click(".row-more")
	tab.Until(`document.querySelector(".row-actions:popover-open [data-copy]").dataset.copy === document.querySelector(".link .title a").href`)
	c.now("menu of a row", allRules)
	tab.Media("prefers-color-scheme", "dark", "prefers-reduced-motion", "reduce")
	c.now("menu of a row in the dark", allRules)
	tab.Click(".row-actions:popover-open [data-look]")
	tab.Until(`document.querySelector("main > .look")`)
}

func journeyThroughMenusOfTheBar(t *testing.T, _ *browsertest.Browser, _ *fullSite, tab *browsertest.Tab) {
	signInTab(t, tab, "ada")
	// Menus of the bar open inside the window.
	for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
		tab.Resize(size[0], size[1])
		tab.Go("/links")
		tab.Press("jx")
		for _, menu := range []string{"bulk-tags", "bulk-lists", "bulk-visibility"} {
			tab.Click(".bulk [popovertarget=" + menu + "]")
			tab.Until(`document.querySelector("#` + menu + `").matches(":popover-open")`)
			if place := browsertest.Eval[string](tab, `(() => {
				const r = document.querySelector("#`+menu+`").getBoundingClientRect();
				return r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight ? "" : JSON.stringify(r);
			})()`); place != "" {
				t.Errorf("%s is not inside the window of %d pixels: %s", menu, size[0], place)
			}
			tab.Press(kb.Escape)
			tab.Until(`!document.querySelector("#` + menu + `").matches(":popover-open")`)
		}
	}
}
