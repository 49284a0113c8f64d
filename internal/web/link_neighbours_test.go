package web

import (
	"fmt"
	"testing"

	"waymark/internal/waymark"
)

func TestPageOfALinkLeadsToTheLinksBeforeAndAfterIt(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i := range 4 {
		ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), Title: new(fmt.Sprint("Page ", i)), Tags: &[]waymark.Ref{{Name: fmt.Sprint("tag ", i%2)}}})
	}
	follow := func(p response, selector string) response { return ada.get(p.attr(selector, "href")).wantStatus(200) }
	for path, want := range map[string][]string{
		"/links": {"Page 3", "Page 2", "Page 1", "Page 0"}, "/links?order=oldest": {"Page 0", "Page 1", "Page 2", "Page 3"},
		"/tags/1": {"Page 2", "Page 0"}, "/links?order=newest&q=%22page+1%22+OR+%22page+3%22": {"Page 3", "Page 1"},
	} {
		p := follow(ada.get(path), ".link [data-look]")
		for i, title := range want {
			p.wantText("h1", title)
			p.wantText("main .head .n", fmt.Sprintf("%d of %d", i+1, len(want)))
			if i+1 < len(want) {
				p = follow(p, "main [rel=next]")
			}
		}
		p.wantCount("main [rel=next]", 0)
		follow(p, "main [rel=prev]").wantText("h1", want[len(want)-2])
	}
	// After a change the page still knows where it is. A place that the list has not is not shown.
	p := ada.follow(ada.post("/links/2", "title", "New", "in", "/nothing", "n", "3"))
	p.wantCount("main [rel=prev], main [rel=next]", 0)
	p = ada.follow(ada.post("/links/2", "title", "Page 1", "in", "/links", "n", "3"))
	p.wantText("main .head .n", "3 of 4")
	for _, n := range []string{"0", "-1", "99999999999", "x"} {
		ada.get("/links/4?in=%2Flinks&n=" + n).wantStatus(200)
	}
}
