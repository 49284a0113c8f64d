package linkding_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

func TestFeedIsThatOfLinkding(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		check(t, c.store.Accounts.SetFeedToken(t.Context(), c.user.ID, "secret"))
		c.save(t, `{"url": "https://example.com/?a=1&b=2", "title": "<A> & \"b\"\u0007", "tag_names": ["z", "two words"], "date_added": "2020-09-26T09:46:23.006313Z"}`)
		c.save(t, `{"url": "https://example.com/untitled", "description": "Text", "date_added": "2020-09-25T00:00:00Z"}`)
		self := c.url + "/feeds/secret/all"
		got := c.call(t, "GET", "/feeds/secret/all?limit=5", "", "Authorization:", "Accept: application/rss+xml")
		want := `<?xml version="1.0" encoding="utf-8"?>
<rss xmlns:atom="http://www.w3.org/2005/Atom" version="2.0"><channel><title>All bookmarks</title><link>` + self + `</link><description>All bookmarks</description>` +
			`<atom:link href="` + self + `" rel="self"/><language>en-us</language><lastBuildDate>Sat, 26 Sep 2020 09:46:23 +0000</lastBuildDate>` +
			`<item><title>&lt;A&gt; &amp; "b"</title><link>https://example.com/?a=1&amp;b=2</link><description/><pubDate>Sat, 26 Sep 2020 09:46:23 +0000</pubDate>` +
			`<guid>https://example.com/?a=1&amp;b=2</guid><category>two-words</category><category>z</category></item>` +
			`<item><title>https://example.com/untitled</title><link>https://example.com/untitled</link><description>Text</description>` +
			`<pubDate>Fri, 25 Sep 2020 00:00:00 +0000</pubDate><guid>https://example.com/untitled</guid></item></channel></rss>`
		if got.status != 200 || got.body != want || got.header.Get("Content-Type") != "application/rss+xml; charset=utf-8" {
			t.Errorf("got %d %s\n%s\nwant\n%s", got.status, got.header.Get("Content-Type"), got.body, want)
		}
	})
}

// titlesOf returns the titles of the entries of a feed.
func titlesOf(t *testing.T, r response) string {
	t.Helper()
	var parsed struct {
		Titles []string `xml:"channel>item>title"`
	}
	if err := xml.Unmarshal([]byte(r.body), &parsed); err != nil || r.status != 200 {
		t.Fatalf("%s: got %d, %v in %q", r.request, r.status, err, r.body)
	}
	return strings.Join(parsed.Titles, " ")
}

func TestFeedsSelectBookmarks(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		check(t, c.store.Accounts.SetFeedToken(t.Context(), c.user.ID, "secret"))
		saveSome(t, c, `, "unread": true`, `, "shared": true, "tag_names": ["go"]`, `, "is_archived": true, "unread": true`)
		bob := c.addUser(t, "bob")
		bob.save(t, `{"url": "https://bob.example/", "title": "bob", "shared": true}`)
		title := "public"
		in := waymark.LinkInput{URL: "https://public.example/", Title: &title}
		visibility := waymark.Public
		in.Visibility = &visibility
		if _, err := c.service.AddLink(t.Context(), bob.user, in); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{
			"/feeds/secret/all": "b a", "/feeds/secret/unread": "a", "/feeds/secret/archived": "c", "/feeds/secret/shared": "public bob b", "/feeds/shared": "public",
			"/feeds/secret/all?q=%23go": "b", "/feeds/secret/all?limit=1": "b", "/feeds/secret/all?limit=": "b a", "/feeds/secret/all?user=bob": "b a",
			"/feeds/secret/shared?user=bob": "public bob", "/feeds/secret/shared?user=nobody": "", "/feeds/secret/all?unread=yes": "a", "/feeds/secret/all/": "b a",
		} {
			if got := titlesOf(t, c.call(t, "GET", path, "", "Authorization:")); got != want {
				t.Errorf("%s: got %q, want %q", path, got, want)
			}
		}
		for _, path := range []string{"/feeds/unknown/all", "/feeds/secret/none", "/feeds/secret", "/feeds/secret/all?bundle=1", "/feeds/secret/all?bundle=x"} {
			if got := c.call(t, "GET", path, "", "Authorization:"); got.status != 404 {
				t.Errorf("%s: got %d, want 404", path, got.status)
			}
		}
		check(t, c.accounts.SetUserDisabled(t.Context(), "ada", true))
		if got := c.call(t, "GET", "/feeds/secret/all", "", "Authorization:"); got.status != 404 {
			t.Errorf("the feed of a disabled user: got %d", got.status)
		}
	}, func(settings *config.API) { settings.GuestPages = true })
}
