package web

import (
	"fmt"
	"net/url"
	"testing"

	"waymark/internal/waymark"
)

// Feed readers have no session: what a page calls a feed must be one without it.
func TestPagesLeadToFeedsThatFeedReadersCanRead(t *testing.T) {
	s := newGuestSite(t)
	ada, reader := s.user(t, "ada"), s.guest(t)
	c := ada.addCollection()
	public, private := c.lists[waymark.Public].ID, c.lists[waymark.Private].ID
	publicTag, privateTag := c.tags[waymark.Public].ID, c.tags[waymark.Private].ID
	pages := map[string]string{ // with the feed for guests
		fmt.Sprint("/lists/", public): fmt.Sprintf("/guest/lists/%d/feed", public), fmt.Sprint("/lists/", private): "",
		fmt.Sprint("/tags/", publicTag): fmt.Sprintf("/guest/tags/%d/feed", publicTag), fmt.Sprint("/tags/", privateTag): "",
		"/links?q=private+is:private": "", "/links/broken": "",
	}
	feedsOf := func(path string) (button, announced string) {
		p := ada.get(path).wantStatus(200)
		return p.attr("main a.feed", "href"), p.attr("link[type='application/atom+xml']", "href")
	}
	for path, guests := range pages {
		button, announced := feedsOf(path)
		if guests == "" && (button != "/settings/apps#feeds" || announced != "") {
			t.Errorf("%s without a token: got the feeds %q and %q, want the page that makes one", path, button, announced)
		}
		if guests != "" && (button != guests || announced != guests) {
			t.Errorf("%s without a token: got the feeds %q and %q, want %q", path, button, announced, guests)
		}
	}
	check(t, s.store.Accounts.SetFeedToken(t.Context(), ada.user.ID, "a-token"))
	for path := range pages {
		button, announced := feedsOf(path)
		if button != announced {
			t.Errorf("%s: the button leads to %q, the head to %q", path, button, announced)
		}
		feed := parseFeed(t, reader.get(button))
		if want := len(parseFeed(t, ada.get(withoutToken(t, button))).Entries); len(feed.Entries) != want {
			t.Errorf("%s: a reader gets %d entries, want %d", button, len(feed.Entries), want)
		}
	}
	if n := len(parseFeed(t, reader.get(withToken("/links/feed?q=private+is:private", "a-token"))).Entries); n != 1 {
		t.Errorf("the feed of the search has %d entries, want 1", n)
	}
}

// withoutToken returns a path without its token.
func withoutToken(t *testing.T, path string) string {
	t.Helper()
	u, err := url.Parse(path)
	check(t, err)
	values := u.Query()
	values.Del("token")
	u.RawQuery = values.Encode()
	return u.String()
}
