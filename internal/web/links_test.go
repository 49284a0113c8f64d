package web

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
)

func TestLinksPageShowsHostileTextsAsText(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		hostile := `"><script>alert(1)</script>`
		tags := []waymark.Ref{{Name: hostile}}
		for _, url := range []string{"file:///etc/passwd", "view-source:https://example.org/", "https://example.org/?" + hostile} {
			ada.addLink(waymark.LinkInput{URL: url, Title: &hostile, Description: &hostile, Tags: &tags, Lists: &tags})
		}
		for _, view := range []string{"comfortable", "compact", "cards"} {
			p := ada.get("/links?view=" + view).wantStatus(200)
			if n := p.Find("main script").Length(); n != 0 {
				t.Errorf("%s: the page has %d scripts in its content", view, n)
			}
			if n := p.Find("li.link, li.card").Length(); n != 3 {
				t.Errorf("%s: got %d links, want 3", view, n)
			}
			p.Find("a").Each(func(_ int, a *goquery.Selection) {
				href := a.AttrOr("href", "")
				if !strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "https://") && !strings.HasPrefix(href, "#") {
					t.Errorf("%s: the page links to %s", view, href)
				}
			})
		}
	})
}
