package linkding_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/fetch"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// eachWithPages runs a test with a server that fetches pages, and the URL of a site whose pages have a title
// and a description.
func eachWithPages(t *testing.T, test func(t *testing.T, c *client, site string)) {
	t.Helper()
	storetest.EachWith(t, store.Options{Fetch: waymark.FetchPolicy{Parts: waymark.TextParts}}, func(t *testing.T, s *store.Store) {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/gone" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<title>Page title</title><meta name="description" content="Page text"><meta property="og:image" content="/image.png">`)
		}))
		t.Cleanup(site.Close)
		options := crawl.Options{
			Client: fetch.New(fetch.Options{
				Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, UserAgent: "Waymark/test",
				Timeout: 10 * time.Second, Bytes: 1 << 20, Redirects: 5, HeaderBytes: 64 << 10, Ratio: 200,
			}),
			Parts: waymark.TextParts, Tries: 1, Timeout: 10 * time.Second, Parallel: 4,
		}
		test(t, newServer(t, s, options).addUser(t, "ada"), site.URL)
	})
}

func TestCheckReturnsTheBookmarkAndThePage(t *testing.T) {
	eachWithPages(t, func(t *testing.T, c *client, site string) {
		path := func(page string) string { return "/api/bookmarks/check?url=" + url.QueryEscape(page) }
		page := fmt.Sprintf(`{"url": "%[1]s/a", "title": "Page title", "description": "Page text", "preview_image": "%[1]s/image.png"}`, site)
		c.get(t, path(site+"/a")).wantBody(t, 200, `{"bookmark": null, "metadata": `+page+`, "auto_tags": []}`)
		c.call(t, "POST", "/api/bookmarks/?disable_scraping", `{"url": "`+site+`/a", "tag_names": ["a"], "notes": "Note"}`).want(t, 201)
		bookmark := c.get(t, "/api/bookmarks/1/").want(t, 200)
		if got := bookmark.json(t, "title", "description", "tag_names"); got != `{"description":"","tag_names":["a"],"title":""}` {
			t.Errorf("with disable_scraping: got %s", got)
		}
		c.get(t, path(site+"/a")+"&ignore_cache=true").wantBody(t, 200, `{"bookmark": `+bookmark.json(t)+`, "metadata": `+page+`, "auto_tags": []}`)
		for _, missing := range []string{site + "/gone", "mailto:a@b.example", "invalid", "http://192.0.2.1/"} {
			c.get(t, path(missing)).wantBody(t, 200, `{"bookmark": null, "metadata": {"url": "`+missing+`", "title": null, "description": null, "preview_image": null}, "auto_tags": []}`)
		}
		c.get(t, "/api/bookmarks/check/").wantBody(t, 200, `{"bookmark": null, "metadata": {"url": null, "title": null, "description": null, "preview_image": null}, "auto_tags": []}`)
		bob := c.addUser(t, "bob")
		if got := bob.get(t, path(site+"/a")).want(t, 200); got["bookmark"] != nil {
			t.Errorf("bob gets %v", got)
		}
	})
}

func TestSavingWaitsForThePage(t *testing.T) {
	eachWithPages(t, func(t *testing.T, c *client, site string) {
		texts := func(body string) string {
			t.Helper()
			return c.call(t, "POST", "/api/bookmarks/", body).want(t, 201).json(t, "title", "description", "preview_image_url")
		}
		image := `,"preview_image_url":"` + site + `/image.png"`
		if got := texts(`{"url": "` + site + `/a"}`); got != `{"description":"Page text"`+image+`,"title":"Page title"}` {
			t.Errorf("got %s", got)
		}
		if got := texts(`{"url": "` + site + `/b", "title": "Mine"}`); got != `{"description":"Page text"`+image+`,"title":"Mine"}` {
			t.Errorf("with a title: got %s", got)
		}
		if got := texts(`{"url": "` + site + `/a", "description": "Mine"}`); got != `{"description":"Mine"`+image+`,"title":"Page title"}` {
			t.Errorf("saved again: got %s", got)
		}
		if got := texts(`{"url": "` + site + `/gone"}`); got != `{"description":"","preview_image_url":null,"title":""}` {
			t.Errorf("without a page: got %s", got)
		}
	})
}

// TestNoSnapshotOnRequest saves a bookmark whose page the client stores itself.
func TestNoSnapshotOnRequest(t *testing.T) {
	c := newClient(t)
	c.call(t, "POST", "/api/bookmarks/?disable_html_snapshot&disable_scraping", `{"url": "https://example.com/"}`).want(t, 201)
	link, err := c.store.Link(t.Context(), c.user.ID, 1)
	if err != nil || link.Snapshots != waymark.NoSnapshots {
		t.Errorf("got %q, %v", link.Snapshots, err)
	}
}

// TestSimilarURLsAreOneBookmark saves and checks URLs that differ only in what linkding ignores.
func TestSimilarURLsAreOneBookmark(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		first := c.save(t, `{"url": "https://EXAMPLE.COM/path/?z=1&a=2"}`)
		for _, similar := range []string{"https://example.com/path?a=2&z=1", "https://Example.com/path//?a=2&z=1", "HTTPS://EXAMPLE.COM/path/?z=1&a=2"} {
			got := c.get(t, "/api/bookmarks/check/?url="+url.QueryEscape(similar)).want(t, 200)
			if found, _ := got["bookmark"].(map[string]any); object(found).json(t) != first.json(t) {
				t.Errorf("check %s: got %v", similar, got["bookmark"])
			}
			first = c.save(t, `{"url": "`+similar+`", "title": "T"}`)
			if first.id() != "1" || first["url"] != "https://EXAMPLE.COM/path/?z=1&a=2" {
				t.Errorf("save %s: got %v", similar, first)
			}
		}
		for _, other := range []string{"http://example.com/path/?z=1&a=2", "https://www.example.com/path/?z=1&a=2", "https://example.com/path/?z=1&a=2#f", "https://example.com/path/?z=1&a=2&utm_source=b"} {
			if got := c.save(t, `{"url": "`+other+`"}`); got.id() == "1" {
				t.Errorf("%s replaced the first", other)
			}
		}
		exact := c.save(t, `{"url": "https://a.example/?b&a"}`)
		title := "second"
		second, err := c.service.AddLink(t.Context(), c.user, waymark.LinkInput{URL: "https://a.example/?a&b", Title: &title})
		check(t, err)
		if got := c.save(t, `{"url": "https://a.example/?a&b"}`); got.id() != fmt.Sprint(second.ID) {
			t.Errorf("the exact URL: got %v", got)
		}
		if got := c.save(t, `{"url": "https://a.example/?a=&b="}`); got.id() != exact.id() {
			t.Errorf("the oldest of two: got %v", got)
		}
	})
}
