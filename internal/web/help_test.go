package web

import (
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestLinksOfTheHelpLeadToHeadings(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	index := ada.get("/help").wantStatus(200)
	followed := 0
	index.Find(".reading h2 a").Each(func(_ int, link *goquery.Selection) {
		path := link.AttrOr("href", "")
		p := ada.get(path).wantStatus(200)
		p.wantText("h1", link.Text())
		p.Find(".prose a").Each(func(_ int, link *goquery.Selection) {
			href := link.AttrOr("href", "")
			if strings.Contains(href, "://") {
				return
			}
			name, heading, _ := strings.Cut(href, "#")
			target := p
			if name != "" {
				target = ada.get("/help/" + name).wantStatus(200)
			}
			if heading != "" && target.Find(`[id="`+heading+`"]`).Length() != 1 {
				t.Errorf("%s: the link to %s leads to no heading", path, href)
			}
			followed++
		})
	})
	if followed < 5 {
		t.Errorf("only %d links were followed", followed)
	}
	ada.get("/help/install").wantStatus(404)
	if got := s.guest(t).get("/help/search").status; got == 200 {
		t.Error("a guest reads the help")
	}
	german := ada.get("/help", "Accept-Language", "de").wantStatus(200)
	if got := german.text(".reading > p.muted"); !strings.Contains(got, "Englisch") {
		t.Errorf("the German page does not say that the help is in English: %q", got)
	}
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
