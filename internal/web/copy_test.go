package web

import (
	"strings"
	"testing"

	"waymark/internal/fetch/article"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// savePageCopy saves a copy with hostile texts of the page of a link.
func savePageCopy(t testing.TB, s *testSite, link waymark.Link) {
	t.Helper()
	html, _ := article.Sanitize(`<h1>Bread</h1><p>A <a href="https://example.org/rye" onclick=alert(1)>loaf</a> of sourdough. ` + hostileText +
		`<img src="https://evil.example/x.png" alt="A loaf"><table><tr><th>Flour<td>500 g</table><pre>` + strings.Repeat("wide ", 60) + `</pre>`)
	claimed := store.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
	if err := s.store.SavePageCopy(t.Context(), claimed, waymark.PageCopy{
		FetchedAt: s.service.Now(), URL: link.URL, Title: "Bread " + hostileText, Byline: "Ada " + hostileText, Language: "en", Direction: "ltr",
	}, html, 1<<20); err != nil {
		t.Fatal(err)
	}
}

func TestCopyOfAPageIsReadAndRemoved(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		public := waymark.Public
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", VisibilityInput: waymark.VisibilityInput{Visibility: &public}})
		path := linkPath(link.ID) + "/copy"
		ada.get(path).wantStatus(404)
		if n := ada.get(linkPath(link.ID)).Find(`[href$="/copy"]`).Length(); n != 0 {
			t.Errorf("a link without a copy offers %d", n)
		}
		savePageCopy(t, s, link)
		for _, reader := range []*browser{ada, bob} {
			if got := reader.get(linkPath(link.ID)).attr(`.facts [href$="/copy"]`, "href"); got != path {
				t.Errorf("got the address %q, want %q", got, path)
			}
			p := reader.get(path).wantStatus(200)
			if got := p.text(".reading h2"); got != "Bread" {
				t.Errorf("got the heading %q", got)
			}
			if got := p.attr(".reading", "lang") + " " + p.attr(".reading", "dir") + " " + p.attr(".reading .prose a", "rel"); got != "en ltr noreferrer nofollow" {
				t.Errorf("got language, direction and rel %q", got)
			}
			if n := p.Find("main img, main script, main style, main [onclick]").Length(); n != 0 {
				t.Errorf("got %d elements that run or request something", n)
			}
		}
		bob.post(path + "/remove").wantStatus(404)
		ada.post(path + "/remove").wantStatus(303)
		ada.get(path).wantStatus(404)
	})
}
