package web

import (
	"fmt"
	"testing"

	"waymark/internal/httpx/browsertest"
)

// subject is the title of the link that a round shows, "" at its end.
const subject = `document.readyState === "complete" ? document.querySelector("#subject")?.textContent.trim() ?? "" : "loading"`

// did are the answers of a round.
const did = `document.querySelector("#answer [name=did]")?.value`

func TestRoundsInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	for name, walk := range map[string]func(*testing.T, *browsertest.Tab){
		"on a phone": roundOnPhone, "without scripts": roundWithoutScripts,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.user(t, "ada").addOld(25)
			tab := chromium.Open(t, s.URL)
			tab.Media("prefers-reduced-motion", "reduce")
			signInTab(t, tab, "ada")
			walk(t, tab)
		})
	}
}

// roundOnPhone touches each of the five buttons.
func roundOnPhone(t *testing.T, tab *browsertest.Tab) {
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
	tab.Click(".answers [href='#file']")
	tab.Click("#file [value=file]")
	tab.Until(fmt.Sprintf(`document.readyState === "complete" && %s === %q`, did, given+"f"))
}

func roundWithoutScripts(t *testing.T, tab *browsertest.Tab) {
	tab.Scripts(false)
	tab.Go(longNotSeen)
	given := ""
	for _, answer := range []string{"keep", "archive", "trash", "later"} {
		tab.Click(".answers [value=" + answer + "]")
		given += string(answerLetters[answer])
		tab.Until(did + fmt.Sprintf(` === %q`, given))
	}
	tab.Click(".answers [href='#file']")
	tab.Do(run(`document.querySelector("#tags").value = "chosen"`))
	tab.Click("#file [value=file]")
	tab.Until(did + fmt.Sprintf(` === %q`, given+"f"))
	tab.Click("[value=undo]")
	tab.Until(did + fmt.Sprintf(` === %q`, given))
	if browsertest.Eval[string](tab, subject) == "" {
		t.Error("the link is not shown again")
	}
}
