package web

import (
	"testing"

	"waymark/internal/waymark"
)

const welcome = "Your links will be here"

func TestSecondPersonIsWelcomedBeforeTheLinksOfOthers(t *testing.T) {
	s := newSite(t)
	ada, ben := s.user(t, "ada"), s.user(t, "ben")
	public := waymark.VisibilityInput{Visibility: new(waymark.Public)}
	ada.addLink(waymark.LinkInput{URL: "https://example.org/ada", VisibilityInput: public})
	p := ben.get("/links").wantStatus(200)
	if got := p.text("h1"); got != welcome || p.text(".head > h2") != "Shared by others 1" || p.Find(".empty a[href='/import']").Length() != 1 {
		t.Errorf("got the headings %q and %q, want a welcome and then the links of others", got, p.text(".head > h2"))
	}
	for _, path := range []string{"/links?q=example", "/links?q=by:ada"} {
		if p := ben.get(path); p.text("h1") == welcome || p.Find(".link").Length() != 1 {
			t.Errorf("%s: got %q, want the link that was found", path, p.text("h1"))
		}
	}
	if p := ben.get("/links?q=is%3Amine"); p.text("h1") != welcome || p.Find(".link").Length() != 0 {
		t.Errorf("only own links: got %q with links", p.text("h1"))
	}
	ben.addLink(waymark.LinkInput{URL: "https://example.org/ben"})
	ben.get("/links").wantText("h1", "Links 2")
}

func TestLinksAndSearchCanBeginWithOwnLinks(t *testing.T) {
	s := newSite(t)
	ada, ben := s.user(t, "ada"), s.user(t, "ben")
	public := waymark.VisibilityInput{Visibility: new(waymark.Public)}
	ada.addLink(waymark.LinkInput{URL: "https://example.org/ada", VisibilityInput: public})
	ben.addLink(waymark.LinkInput{URL: "https://example.org/ben"})
	ben.post("/settings/appearance", "links-per-page", "24", "only-mine", "1").wantStatus(303)
	const own = "/links?q=is%3Amine"
	if got := ben.get("/").location; got != own {
		t.Errorf("the first page is %q, want %q", got, own)
	}
	p := ben.get(own).wantStatus(200)
	if got := p.text("h1"); got != "Links 1" || p.attr("#menu [aria-current]", "href") != own || p.text("#count-links") != "1" {
		t.Errorf("got the heading %q, and %s links in the sidebar, which marks %q", got, p.text("#count-links"), p.attr("#menu [aria-current]", "href"))
	}
	if all := p.attr(".chip a", "href"); all != "/links" || ben.get(all).text("h1") != "Links 2" {
		t.Errorf("without the filter at %q: got %q, want both links", all, ben.get(all).text("h1"))
	}
	for path, want := range map[string]string{"/lists": "is:mine", own: "is:mine", "/links": ""} {
		p := ben.get(path)
		p.wantAttr(".find [name=add]", "value", want)
		p.wantAttr(".find [name=q]", "value", "")
	}
	ben.get("/links?q=example+OR+x&add=is:mine").wantRedirect("/links?q=is%3Amine+%28example+OR+x%29")
	if got := ben.post("/links", "url", "https://example.org/2", "quick", "1").location; got != own {
		t.Errorf("a saved link leads to %q, want %q", got, own)
	}
	ada.get("/settings/appearance").wantCount("[name=only-mine]", 1) // otherwise ada cannot choose it
}
