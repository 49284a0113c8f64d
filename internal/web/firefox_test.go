package web

import (
	"encoding/json"
	"fmt"
	"testing"

	"waymark/internal/httpx/browsertest"
)

// The pages and the script work in Firefox, too.
func TestPagesInFirefox(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	s := newFullSite(t)
	axe := axeSource(t)
	firefox := browsertest.StartFirefox(t, s.URL)
	firefox.Resize(1440, 900)
	firefox.Go("/signin")
	firefox.Until(`document.activeElement.name === "name"`)
	firefox.Press("ada" + browsertest.FirefoxTab + password + browsertest.FirefoxEnter)
	firefox.Until(`location.pathname === "/links" && document.readyState === "complete"`)

	firefox.Press("jjx")
	firefox.Until(`document.querySelector(".here .pick input").checked`)
	firefox.Press(browsertest.FirefoxEscape + "?")
	firefox.Until(`document.getElementById("keys").open && document.querySelector("#keys h2")`)
	firefox.Press(browsertest.FirefoxEscape)
	firefox.Until(`!document.getElementById("keys").open && document.activeElement.closest(".link")`)

	for _, path := range s.pagePaths(t) {
		firefox.Go(path)
		for _, width := range widths {
			firefox.Resize(width, 900)
			if wide := firefox.Eval(overflowing); wide != "" {
				t.Errorf("%s, %d pixels wide: too wide is %s", path, width, wide)
			}
		}
		firefox.Resize(1440, 4000)
		firefox.Eval(axe + "; ''")
		var violations []string
		if err := json.Unmarshal([]byte(firefox.Eval(axeViolations(allRules))), &violations); err != nil {
			t.Fatal(err)
		}
		for _, violation := range violations {
			t.Error(fmt.Sprint(path, ": ", violation))
		}
	}
}
