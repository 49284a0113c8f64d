package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/waymark"
)

func TestHelpForTheSearchHasExamplesThatAreUnderstood(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	examples := func(p response) map[string]string {
		all := map[string]string{}
		p.Find(".keys section").First().Find("kbd").Each(func(_ int, word *goquery.Selection) {
			all[word.Text()] = word.Parent().AttrOr("href", "")
		})
		return all
	}
	if got := examples(ada.get("/shortcuts")); got["#recipe"] != "" || got["list:reading"] != "" || len(got) != 29 {
		t.Errorf("without lists and tags: got %q", got)
	}
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "To read"}}, Tags: &[]waymark.Ref{{Name: "go"}}})
	got := examples(ada.get("/shortcuts", "HX-Request", "true", "HX-Target", "dialog#keys"))
	for _, state := range waymark.States {
		if got["is:"+string(state)] == "" {
			t.Errorf("is:%s is not explained", state)
		}
	}
	if got["#go"] == "" || got[`list:"To read"`] == "" {
		t.Errorf("the examples have not the user's list and tag: %q", got)
	}
	for word, path := range got {
		want := 1
		if strings.HasPrefix(word, `"`) || flagHeadings[waymark.Is(strings.TrimPrefix(word, "is:"))] != "" {
			want = 0 // plain words, and what has a page of its own
		}
		ada.get(path).wantStatus(200).wantCount(".chip", want)
	}
	for _, path := range []string{"/links", "/links?q=nothing"} {
		if ada.get(path).Find("a[data-keys][href='/shortcuts']").Length() == 0 {
			t.Errorf("%s does not lead to the help", path)
		}
	}
}

func TestOwnLinksAreSelectedAmongThoseOfOthers(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	public := waymark.VisibilityInput{Visibility: new(waymark.Public)}
	mine := ada.addLink(waymark.LinkInput{URL: "https://mine.example/", VisibilityInput: public})
	const choice = "#filter a[href*='is%3Amine']"
	ada.get("/links").wantCount(choice, 0) // otherwise the filter offers only mine, although there is nobody else
	bob := s.user(t, "bob")
	for _, path := range []string{"/links", "/links?q=mine", "/links?q=nothing"} {
		ada.get(path).wantCount(choice, 1)
	}
	bob.addLink(waymark.LinkInput{URL: "https://theirs.example/", VisibilityInput: public})
	wantMine := func(path string) response {
		p := ada.get(path).wantStatus(200)
		if p.Find("li.link").Length() != 1 || p.attr("li.link", "id") != fmt.Sprint("link-", mine.ID) || p.text(".chip") != "Only mine" {
			t.Errorf("%s: got %q with the chip %q", path, p.text("li.link"), p.text(".chip"))
		}
		return p
	}
	wantMine("/links?q=is:mine")
	p := wantMine(ada.get("/links").attr(choice, "href"))
	ada.get(p.attr("#filter a[aria-current]", "href")).wantCount("li.link", 2)
	ada.get("/links?q=is:mine+by:bob").wantCount(".empty", 1)
}
