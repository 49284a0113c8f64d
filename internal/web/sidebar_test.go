package web

import (
	"fmt"
	"net/http"
	"testing"

	"waymark/internal/waymark"
)

// sent are the headers of a form that a script sends from the page at path, to replace the element with an id.
func (s *testSite) sent(path, id string) []string {
	return []string{"HX-Request", "true", "HX-Target", "div#" + id, "HX-Current-URL", s.URL + path, "Content-Type", "application/x-www-form-urlencoded"}
}

func TestSidebarFollowsAChangeByTheScript(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	look := fmt.Sprintf("look-%d", link.ID)
	wantCounts := func(p response, links, tags, trash string) {
		t.Helper()
		side := `#menu[hx-swap-oob=innerHTML] `
		got := [...]string{p.text(side + `[href="/links"] .n`), p.text(side + `[href="/tags"] .n`), p.text(side + `[href="/trash/links"] .n`)}
		if want := [...]string{links, tags, trash}; got != want {
			t.Errorf("got %q links, tags and in the trash, want %q", got, want)
		}
	}
	p := ada.do(http.MethodPost, linkPath(link.ID), "title=New", s.sent("/links", look)...)
	wantCounts(p.wantStatus(200), "1", "0", "")
	p = ada.do(http.MethodPost, linkPath(link.ID), "title=New&tags=go", s.sent("/links", look)...)
	wantCounts(p.wantStatus(200), "1", "1", "")
	p.wantText(`#menu [href="/tags/1"] .n`, "1")
	p.wantAttr("#menu [aria-current]", "href", "/links")
	p = ada.do(http.MethodPost, linkPath(link.ID)+"/trash", "", s.sent("/tags/1?order=title", "toasts")...)
	wantCounts(p.wantStatus(200), "0", "1", "1")
	p.wantAttr("#menu [aria-current]", "href", "/tags/1")
}

func TestSidebarFollowsTheEndOfAnImport(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	p := ada.upload("a.html", bookmarkFile).wantStatus(http.StatusSeeOther)
	var id waymark.ImportID
	if _, err := fmt.Sscanf(p.location, "/imports/%d", &id); err != nil {
		t.Fatalf("got %q, want the page of the import", p.location)
	}
	added := ada.importEnded(id).Counts.Added
	p = ada.get(p.location, s.sent(p.location, "import")...)
	if got, want := p.text(`#menu[hx-swap-oob] [href="/links"] .n`), fmt.Sprint(added); got != want || added == 0 {
		t.Errorf("got %q links in the sidebar, want %s", got, want)
	}
	p.wantAttr("#menu [aria-current]", "href", "/settings")
}
