package web

import (
	"net/http"
	"strings"
	"testing"

	"waymark/internal/crawl"
	"waymark/internal/fetch/article"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// saveTextSnapshot saves a snapshot with hostile texts of the page of a link.
func saveTextSnapshot(t testing.TB, s *testSite, link waymark.Link) {
	t.Helper()
	html, _ := article.Sanitize(`<h1>Bread</h1><p>A <a href="https://example.org/rye" onclick=alert(1)>loaf</a> of sourdough. ` + hostileText +
		`<img src="https://evil.example/x.png" alt="A loaf"><table><tr><th>Flour<td>500 g</table><pre>` + strings.Repeat("wide ", 60) + `</pre>`)
	claimed := queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
	check(t, s.store.Snapshots.SaveText(t.Context(), claimed, waymark.TextSnapshot{
		FetchedAt: s.store.Now(), URL: link.URL, Title: "Bread " + hostileText, Byline: "Ada " + hostileText, Language: "en", Direction: "ltr",
	}, html, 1<<20))
}

func TestSnapshotOfAPageIsReadAndRemoved(t *testing.T) {
	s := newSite(t)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	public := waymark.Public
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", VisibilityInput: waymark.VisibilityInput{Visibility: &public}})
	path := linkPath(link.ID) + "/read"
	ada.get(path + "?in=%2Flinks&n=1").wantRedirect(linkPath(link.ID) + "?in=%2Flinks&n=1") // it has no text yet
	ada.get(linkPath(link.ID)).wantCount(`[href$="/read"]`, 0)
	saveTextSnapshot(t, s, link)
	for _, reader := range []*browser{ada, bob} {
		reader.get(linkPath(link.ID)).wantAttr(`[href$="/read"]`, "href", path)
		p := reader.get(path).wantStatus(200)
		p.wantText(".reading h2", "Bread")
		if got := p.attr(".reading", "lang") + " " + p.attr(".reading", "dir") + " " + p.attr(".reading .prose a", "rel"); got != "en ltr nofollow noreferrer" {
			t.Errorf("got language, direction and rel %q", got)
		}
		p.wantCount("main img, main script, main style, main [onclick]", 0)
	}
	bob.post(linkPath(link.ID) + "/snapshot/remove").wantStatus(403)
	ada.post(linkPath(link.ID) + "/snapshot/remove").wantStatus(303)
	ada.get(path).wantRedirect(linkPath(link.ID))
}

// TestAnOwnerChoosesWhetherAPageHasSnapshots turns off the snapshots of one link, removes the snapshot that
// there is, and lets the link follow the settings again.
func TestAnOwnerChoosesWhetherAPageHasSnapshots(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLinks(1)[0]
	ada.get("/links/1").wantCount("[name=snapshots]", 0)
	s.crawl(crawl.Options{Parts: waymark.TextSnapshotPart})
	saveTextSnapshot(t, s, link)
	const remove = "[formaction='/links/1/snapshot/remove']"
	ada.get("/links/1").wantCount(remove, 0) // otherwise the page of the link offers to remove a snapshot of a page that gets another one
	ada.get("/links/1").wantAttr("[name=snapshots] [selected]", "value", "")
	page := ada.follow(ada.post("/links/1", "snapshots", "off"))
	if page.Find(remove).Length() != 1 || page.Find("a[href='/links/1/read']").Length() == 0 {
		t.Error("the page of the link does not offer to remove the snapshot, or has removed it")
	}
	ada.get("/links/1").wantAttr("[name=snapshots] [selected]", "value", "off")
	s.crawl(crawl.Options{Parts: waymark.TextSnapshotPart | waymark.FullSnapshotPart})
	ada.post("/links/1", "snapshots", "text")
	if choices := ada.get("/links/1").Find("[name=snapshots] option"); choices.Length() != 4 || choices.Filter("[selected]").AttrOr("value", "") != "text" {
		t.Errorf("a server that keeps full snapshots: got %d choices, want 4 with the text chosen", choices.Length())
	}
	page = ada.follow(ada.post("/links/1/snapshot/remove"))
	page.wantCount(remove, 0) // otherwise the page of the link offers to remove a snapshot that there is not
	ada.post("/links/1", "snapshots", "some").wantStatus(http.StatusUnprocessableEntity)
	ada.post("/links/1", "title", "Bread")
	ada.post("/links/1", "snapshots", "")
	if found, err := s.store.Link(t.Context(), ada.user.ID, link.ID); err != nil || found.Snapshots != waymark.DefaultSnapshots || found.Title != "Bread" {
		t.Errorf("got %+v, %v, want the snapshots of the settings", found, err)
	}
}
