package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/fetch/article"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// addText adds a link of the user that is unread, with a text of some words, none if that is 0.
func (b *browser) addText(title string, words int) waymark.Link {
	b.t.Helper()
	link := b.addLink(waymark.LinkInput{URL: "https://example.org/" + title, Title: &title, FlagsInput: waymark.FlagsInput{Unread: new(true)}})
	if words == 0 {
		return link
	}
	html, _ := article.Sanitize(strings.Repeat("<p>"+strings.Repeat("word ", 50)+"</p>", words/50))
	claimed := queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
	check(b.t, b.site.store.Snapshots.SaveText(b.t.Context(), claimed, waymark.TextSnapshot{FetchedAt: b.site.store.Now(), URL: link.URL, Language: "en"}, html, 1<<20))
	return link
}

const unreadShortest = "/links?order=shortest&q=is%3Aunread"

// titlesOf returns the titles of the rows of a page.
func titlesOf(p response) string {
	return strings.Join(p.Find(".link .title a").Map(func(_ int, title *goquery.Selection) string { return title.Text() }), " ")
}

func TestUnreadLinksShowHowLongTheirTextsTake(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	long, short, none := ada.addText("long", 2300), ada.addText("short", 100), ada.addText("none", 0)
	p := ada.get("/links?q=is:unread&order=shortest").wantStatus(200)
	if got := titlesOf(p); got != "short long none" {
		t.Errorf("shortest first: got %q", got)
	}
	p.wantText(fmt.Sprintf("#link-%d .left", long.ID), "10 min")
	p.wantText(fmt.Sprintf("#link-%d .left", short.ID), "1 min")
	p.wantCount(fmt.Sprintf("#link-%d .left", none.ID), 0)
	p.wantAttr(fmt.Sprintf("#link-%d .left a", long.ID), "href", linkPath(long.ID)+"/read?in=%2Flinks%3Forder%3Dshortest%26q%3Dis%253Aunread&n=2")

	// The order is remembered for this page alone.
	if got := titlesOf(ada.get("/links?q=is:unread")); got != "none short long" {
		t.Errorf("before an order was chosen: got %q", got)
	}
	ada.post("/view", "order", "shortest", "back", "/links?q=is%3Aunread").wantRedirect("/links?q=is%3Aunread")
	if got := titlesOf(ada.get("/links?q=is:unread")); got != "short long none" {
		t.Errorf("after one was chosen: got %q", got)
	}
	ada.get("/links").wantAttr("[name=order][aria-current]", "value", "newest")

	// A text that is gone takes no time.
	ada.post(linkPath(long.ID) + "/snapshot/remove").wantStatus(303)
	ada.get("/links?q=is:unread").wantCount(".left", 1)
}

func TestDoneIsReadAndArchived(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	first, second := ada.addText("first", 50), ada.addText("second", 50)
	p := ada.get("/links?q=is:unread")
	p.wantAttr("#link-1 .aside button", "formaction", "/links/1/mark/done")
	p.wantAttr("#link-1 .aside button", "data-removes", "")
	p.wantCount("#link-1 [data-removes]", 3) // read, done, trash
	done := ada.follow(ada.post(linkPath(first.ID)+"/mark/done", "back", "/links?q=is%3Aunread"))
	done.wantText("#toasts span", "“first” is done.")
	if got := titlesOf(done); got != "second" {
		t.Errorf("got %q unread, want the other link", got)
	}
	link, err := s.store.Link(t.Context(), ada.user.ID, first.ID)
	if check(t, err); link.Unread || !link.Archived {
		t.Errorf("got %+v, want it read and archived", link.LinkFlags)
	}
	ada.follow(ada.post(done.attr("#toasts form", "action")))
	link, err = s.store.Link(t.Context(), ada.user.ID, first.ID)
	if check(t, err); !link.Unread || link.Archived {
		t.Errorf("undone: got %+v, want it unread and not archived", link.LinkFlags)
	}
	ada.post(linkPath(second.ID) + "/mark/read")
	ada.get("/links").wantAttr(`#link-2 [data-key=a]`, "formaction", "/links/2/mark/archive")
}

// TestReaderGoesThroughAPage reads three texts. A link without one is left out, and one that another tab has moved to the
// trash is passed over.
func TestReaderGoesThroughAPage(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	var links []waymark.Link
	for i, words := range []int{50, 0, 300, 600, 900} {
		links = append(links, ada.addText(fmt.Sprint("text-", i), words))
	}
	in := func(link waymark.Link, n int) string {
		return fmt.Sprintf("%s/read?in=%s&n=%d", linkPath(link.ID), "%2Flinks%3Forder%3Dshortest%26q%3Dis%253Aunread", n)
	}
	list := ada.get(unreadShortest)
	p := ada.get(list.attr(".left a", "href")).wantStatus(200)
	p.wantText("h1", "text-0")
	p.wantText(".bar [data-key=Escape]", "Unread")
	p.wantAttr(".bar [data-key=Escape]", "href", unreadShortest)
	p.wantCount("[data-key=k]", 0)
	p.wantAttr("[data-key=j]", "href", in(links[2], 2))
	ada.get(p.attr("[data-key=j]", "href")).wantAttr("[data-key=k]", "href", in(links[0], 1))

	done := func(p response) response {
		return ada.post(p.attr(".bar form[action$=done]", "action"), "in", p.attr("[name=in]", "value"), "n", p.attr("[name=n]", "value"))
	}
	second := done(p)
	second.wantRedirect(in(links[2], 1))
	ada.post(linkPath(links[3].ID) + "/trash").wantStatus(303)
	third := done(ada.follow(second))
	third.wantRedirect(in(links[4], 1))
	ada.follow(third).wantText("#toasts span", "“text-2” is done.")
	ada.get(in(links[3], 1)).wantRedirect(in(links[4], 1)) // as an open tab still offers it
	done(ada.follow(third)).wantRedirect(unreadShortest)
	if got := titlesOf(ada.get(unreadShortest)); got != "text-1" {
		t.Errorf("got %q unread, want the link without a text", got)
	}
	// What is not the user's own, or no page of links, is no sequence.
	ben := s.user(t, "ben")
	own := ben.addText("own", 50)
	for _, in := range []string{"/lists/1", "https://evil.example/", "//evil.example", "/settings", "/searches/1", "/links/1"} {
		ben.get(linkPath(own.ID)+"/read?in="+in).wantStatus(200).wantAttr("[data-key=Escape]", "href", linkPath(own.ID))
	}
}

func TestReaderRemembersPositionAndLooks(t *testing.T) {
	s := newSite(t)
	ada, ben := s.user(t, "ada"), s.user(t, "ben")
	link := ada.addText("long", 2300)
	path := linkPath(link.ID) + "/read"
	p := ada.get(path).wantStatus(200)
	p.wantText(".bar .left", "10 min")
	p.wantCount(".prose #p-46", 1)
	p.wantCount(".prose #p-47", 0)
	ada.post(path, "paragraph", "12", "per-mille", "251").wantStatus(http.StatusNoContent)
	p = ada.get(path)
	p.wantText(".bar .left", "8 min left")
	p.wantAttr("article", "data-at", "12")
	list := ada.get("/links?q=is:unread")
	list.wantText(".left a", "8 min left")
	list.wantAttr(".left progress", "value", "25")
	ada.post(path, "paragraph", "40", "per-mille", "971")
	ada.get(path).wantText(".bar .left", "Read")
	for _, wrong := range [][]string{{}, {"paragraph", "x", "per-mille", "1"}, {"paragraph", "1", "per-mille", "1001"}, {"paragraph", "-1", "per-mille", "1"}} {
		ada.post(path, wrong...).wantStatus(http.StatusBadRequest)
	}
	ben.post(path, "paragraph", "1", "per-mille", "1").wantStatus(404)

	// Everybody who sees the text has a position of their own.
	ada.post(linkPath(link.ID), "visibility", "internal")
	ben.get(path).wantStatus(200).wantText(".bar .left", "10 min")
	ben.post(path, "paragraph", "2", "per-mille", "500").wantStatus(http.StatusNoContent)
	ada.get(path).wantText(".bar .left", "Read")
	ben.get(path).wantCount("[action$=done], [action$=remove]", 0)

	ada.post("/reading", "size", "large", "width", "slim", "theme", "sepia", "back", path).wantRedirect(path)
	p = ada.get(path)
	p.wantAttr(".reader", "class", "reader large slim")
	p.wantAttr("html", "data-theme", "sepia")
	p.wantAttr(`[name=theme][checked]`, "value", "sepia")
	ada.get("/links").wantAttr("html", "data-theme", "")
	ben.get(path).wantAttr(".reader", "class", "reader")
	ada.post("/reading", "size", "huge")
	ada.get(path).wantAttr(".reader", "class", "reader large slim")
	s.guest(t).get(path).wantRedirect("/signin?back=" + strings.ReplaceAll(path, "/", "%2F"))
}

// After a change, a script gets the row as it is then, or no row if the link does not fit the search of the page.
func TestRowOfALinkThatNoLongerFitsLeaves(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addText("long", 2300)
	ada.post(linkPath(link.ID)+"/read", "paragraph", "12", "per-mille", "251")
	mark := func(page, change string, rows int) response {
		t.Helper()
		p := ada.do(http.MethodPost, linkPath(link.ID)+"/mark/"+change, "", "HX-Request", "true", "HX-Target", "li#link-1", "HX-Current-URL", s.URL+page)
		p.wantStatus(200).wantCount(".link", rows)
		p.wantCount("#toasts form", 1)
		return p
	}
	mark("/links?q=is:unread", "favorite", 1).wantText(".left a", "8 min left")
	mark("/links?q=is:unread+OR+is:favorite", "read", 1)
	mark("/links?q=is:unread+OR+is:favorite", "unfavorite", 0)
	mark("/links", "favorite", 1)
	mark("/links", "archive", 0)
}
