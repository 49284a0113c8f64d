package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"waymark/internal/httpx/browsertest"
)

// subject is the title of the link that a round shows, "" at its end.
const subject = `document.readyState === "complete" ? document.querySelector("#subject")?.textContent.trim() ?? "" : "loading"`

// did are the answers of a round.
const did = `document.querySelector("#answer [name=did]")?.value`

func TestRoundsInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	for name, walk := range map[string]func(*testing.T, *browser, *browsertest.Tab){
		"with the keyboard alone": roundWithKeyboard, "on a phone": roundOnPhone, "without scripts": roundWithoutScripts,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			ada := s.user(t, "ada")
			ada.addOld(25)
			tab := chromium.Open(t, s.URL)
			tab.Media("prefers-reduced-motion", "reduce")
			signInTab(t, tab, "ada")
			walk(t, ada, tab)
		})
	}
}

// roundWithKeyboard answers twenty links. Another tab moves one to the trash meanwhile, and the page is loaded again in the
// middle.
func roundWithKeyboard(t *testing.T, ada *browser, tab *browsertest.Tab) {
	checks := newPageChecks(t, tab)
	tab.Press("gy")
	tab.UntilPath("/tidy")
	tabTo(t, tab, ".heap a[href*='seen']")
	tab.Press(kb.Enter)
	tab.Until(did + ` === ""`)
	checks.now("round", allRules)
	given := ""
	press := func(keys, letters string) {
		t.Helper()
		tab.Press(keys)
		given += letters
		tab.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given))
	}
	press("a", "a")
	press(kb.Enter, "k")
	press("#", "t")
	press(" ", "l")
	tab.Press("z")
	given = given[:3]
	tab.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given))
	tab.Press("t")
	tab.Until(`document.activeElement.closest("#file")`)
	checks.now("round-file", allRules)
	tab.Type("chosen, ")
	tabTo(t, tab, "#file button[value=file]")
	press(kb.Enter, "f")
	tab.Do(run("location.reload()"))
	tab.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given))
	next := browsertest.Eval[string](tab, `document.querySelector("#answer [name=links]").value.split(",")[5]`)
	ada.post("/links/" + next + "/trash").wantStatus(303)
	press(kb.Enter, "ks")
	tab.UntilText(".one-link [role=status]", "1 link was answered elsewhere")
	checks.now("round-skipped", allRules)
	for len(given) < 20 {
		press(kb.Enter, "k")
	}
	checks.now("round-done", allRules)
	tab.Click("button[value=undo-all]")
	tab.UntilPath("/tidy")
}

// roundOnPhone touches each of the five buttons.
func roundOnPhone(t *testing.T, _ *browser, tab *browsertest.Tab) {
	tab.Touch(390, 844)
	tab.Go(longNotSeen)
	tab.Until(did + ` === ""`)
	if n := browsertest.Eval[int](tab, `[...document.querySelectorAll(".answers .btn")].filter((b) => b.checkVisibility()).length`); n != 5 {
		t.Errorf("got %d buttons, want 5", n)
	}
	if small := browsertest.Eval[string](tab, `[...document.querySelectorAll("main a, .btn")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.outerHTML).join()`); small != "" {
		t.Errorf("too small for a finger: %s", small)
	}
	given := ""
	for value, letter := range map[string]string{"keep": "k", "archive": "a", "trash": "t", "later": "l"} {
		tab.Click(".answers [value=" + value + "]")
		given += letter
		tab.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given))
	}
	tab.Click(".answers [href='#tags']")
	tab.Click("#file [value=file]")
	tab.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given+"f"))
}

func roundWithoutScripts(t *testing.T, _ *browser, tab *browsertest.Tab) {
	tab.Scripts(false)
	tab.Go(longNotSeen)
	given := ""
	for _, answer := range []string{"keep", "archive", "trash", "later"} {
		tab.Click(".answers [value=" + answer + "]")
		given += string(answerLetters[answer])
		tab.Until(did + fmt.Sprintf(` === %q`, given))
	}
	tab.Click(".answers [href='#tags']")
	tab.Do(run(`document.querySelector("#tags").value = "chosen"`))
	tab.Click("#file [value=file]")
	tab.Until(did + fmt.Sprintf(` === %q`, given+"f"))
	tab.Click("[value=undo]")
	tab.Until(did + fmt.Sprintf(` === %q`, given))
	if browsertest.Eval[string](tab, subject) == "" {
		t.Error("the link is not shown again")
	}
}
