package web

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestJumpHasFewResultsAndAlwaysSomethingToDo(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		for i := range 9 {
			name := fmt.Sprint("bread ", i)
			ada.addLink(waymark.LinkInput{
				URL: fmt.Sprint("http://nas:", 8000+i), Title: new("Baking"), Description: new(strings.Repeat("Long **ago** ", 9) + "of Bread"),
				Lists: &[]waymark.Ref{{Name: name}}, Tags: &[]waymark.Ref{{Name: name}},
			})
		}
		p := ada.get("/jump?q=bread", "HX-Request", "true").wantStatus(200)
		for path, want := range map[string]int{`a[href^="/lists/"]:not([href^="/lists/create"])`: 3, `a[href^="/tags/"]`: 2, `a[href^="/links/"]`: 4, `.do a`: 2} {
			p.wantCount(path, want)
		}
		p.wantText("[data-announce]", "9 results")
		// The description has its first words and those near the word, and is no Markdown.
		if got, want := p.Find(`a[href^="/links/"] .sub`).First().Text(), "…ago of Bread"; got != want {
			t.Errorf("got the description %q, want %q", got, want)
		}
		p = ada.get("/jump?q=%23bread", "HX-Request", "true")
		if tags, all := p.Find(`a[href^="/tags/"]`).Length(), p.Find("a:not(.do a)").Length(); tags < 8 || tags != all {
			t.Errorf("#bread: got %d tags of %d results", tags, all)
		}
		p = ada.get("/jump?q=%3Etr", "HX-Request", "true")
		p.wantAttr("a", "href", "/trash")
		p.wantCount("a:not(.do a)", 1)
		p = ada.get("/jump?q=nothing", "HX-Request", "true")
		if got := p.text("h2"); !strings.Contains(got, "Nothing is called “nothing”.") || p.attr(".do a + a", "href") != "/lists/create?name=nothing" {
			t.Errorf("without results: got %q", got)
		}
	})
}
