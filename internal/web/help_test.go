package web

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestLinksOfTheHelpLeadToHeadings(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for _, locale := range s.site.Locales() {
		language := locale.Name
		get := func(path string) response {
			return ada.get(path, "Accept-Language", language).wantStatus(200)
		}
		followed := 0
		get("/help").Find(".reading h2 a").Each(func(_ int, link *goquery.Selection) {
			path := link.AttrOr("href", "")
			p := get(path)
			p.wantText("h1", link.Text())
			p.Find(".prose a").Each(func(_ int, link *goquery.Selection) {
				href := link.AttrOr("href", "")
				if strings.Contains(href, "://") {
					return
				}
				name, heading, _ := strings.Cut(href, "#")
				target := p
				if name != "" {
					target = get("/help/" + name)
				}
				if heading, err := url.PathUnescape(heading); err != nil || heading != "" && target.Find(`[id="`+heading+`"]`).Length() != 1 {
					t.Errorf("%s in %s: the link to %s leads to no heading", path, language, href)
				}
				followed++
			})
		})
		if followed < 5 {
			t.Errorf("only %d links were followed in %s", followed, language)
		}
	}
	ada.get("/help/install").wantStatus(404)
	if got := s.guest(t).get("/help/search").status; got == 200 {
		t.Error("a guest reads the help")
	}
	ada.get("/help/sharing", "Accept-Language", "de").wantText("article[lang=de] h1", "Links teilen")
	ada.get("/help/files", "Accept-Language", "de").wantText("article[lang=en] h1", "Files of other programs")
}

func TestDocumentedKeysAreThoseOfThePages(t *testing.T) {
	s := newSite(t)
	document, err := os.ReadFile("../../docs/keyboard.md")
	check(t, err)
	var want strings.Builder
	s.user(t, "ada").get("/shortcuts").Find(".keys section").Slice(1, goquery.ToEnd).Each(func(_ int, section *goquery.Selection) {
		want.WriteString("\n## " + section.Find("h3").Text() + "\n\n| Action | Key |\n|---|---|\n")
		section.Find("dl > div").Each(func(_ int, row *goquery.Selection) {
			keys := row.Find("kbd").Map(func(_ int, key *goquery.Selection) string { return "`" + key.Text() + "`" })
			want.WriteString("| " + row.Find("dt").Text() + " | " + strings.Join(keys, " ") + " |\n")
		})
	})
	if !strings.Contains(string(document), want.String()) {
		t.Errorf("docs/keyboard.md must contain%s", want.String())
	}
}
