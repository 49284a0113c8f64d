package linkding_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// saveSome saves bookmarks whose titles are single letters, one a day.
func saveSome(t *testing.T, c *client, fields ...string) {
	t.Helper()
	for i, more := range fields {
		c.save(t, fmt.Sprintf(`{"url": "https://example.com/%d", "title": "%c", "date_added": "2025-01-%02dT00:00:00Z", "date_modified": "2025-02-%02dT00:00:00Z" %s}`,
			i, 'a'+i, i+1, 20-i, more))
	}
}

func TestFiltersOfLists(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		saveSome(t, c, `, "tag_names": ["Go", "two words"], "unread": true`, `, "tag_names": ["go"], "shared": true`, `, "description": "Some docs"`,
			`, "notes": "remember: c++ (x)"`, `, "is_archived": true, "tag_names": ["go"]`)
		for query, want := range map[string]string{
			"": "d c b a", "unread=yes": "a", "unread=no": "d c b", "unread=off": "d c b a", "unread=": "d c b a", "unread=maybe": "d c b a",
			"shared=yes": "b", "shared=no": "d c a",
			"q=%23go": "b a", "q=%23GO+%21unread": "a", "q=%21untagged": "d c", "q=%23two-words": "a", "q=%23none": "",
			"q=docs": "c", "q=remember": "d", "q=example.com%2F1": "b", "q=docs+or+remember": "d c", "q=not+%23go": "d c", "q=(docs+or+%23go)+and+not+%21unread": "c b",
			"q=%22some+docs%22": "c", "q='some+docs'": "c", "q=(": "", "q=)": "", "q=%22": "d c b a", "q=%21nothing": "d c b a", "q=a&q=docs": "c", "q=docs%23go": "", "q=" + url.QueryEscape(`c++ "a b" (x`): "", "q=+": "d c b a", "q=c%2B%2B": "d",
			"sort=added_asc": "a b c d", "sort=added_desc": "d c b a", "sort=modified_asc": "d c b a", "sort=modified_desc": "a b c d",
			"sort=title_asc": "a b c d", "sort=title_desc": "d c b a", "sort=nothing": "d c b a",
			"added_since=2025-01-02T00:00:00Z": "d c", "added_since=2025-01-01T23:59:59.999999%2B00:00": "d c b", "added_since=yesterday": "d c b a", "added_since=2025-01-03": "d", "added_since=2025-01-02T00": "d c",
			"modified_since=2025-02-18T00:00:00Z": "b a", "modified_since=": "d c b a",
			"limit=2": "d c", "limit=2&offset=1": "c b", "limit=4&limit=1": "d", "limit=0": "d c b a", "limit=-1": "d c b a", "limit=a&offset=b": "d c b a", "limit=&offset=": "d c b a",
			"offset=4": "", "offset=99": "", "limit=99999999999999999999": "d c b a", "offset=99999999999999999999": "", "unread=yes&shared=yes": "", "bundle=99&user=bob": "d c b a",
		} {
			got := c.get(t, "/api/bookmarks/?"+query).want(t, 200)
			if titles := got.each("title"); titles != want {
				t.Errorf("%s: got %q, want %q", query, titles, want)
			}
		}
		if got := c.get(t, "/api/bookmarks/archived/?q=%23go").want(t, 200).each("title"); got != "e" {
			t.Errorf("archived: got %q", got)
		}
		words := c.get(t, "/api/bookmarks/?q="+strings.Repeat("e+", 60)).want(t, 200)
		if words.json(t, "count") != `{"count":4}` {
			t.Errorf("sixty words: got %v", words)
		}
	})
}

func TestPagesHaveTheirNeighbours(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		saveSome(t, c, "", "", "", "", "")
		base := c.url + "/api/bookmarks/?"
		for query, want := range map[string]string{
			"":                   `{"count":5,"next":null,"previous":null}`,
			"limit=2":            `{"count":5,"next":"` + base + `limit=2&offset=2","previous":null}`,
			"limit=2&offset=2":   `{"count":5,"next":"` + base + `limit=2&offset=4","previous":"` + base + `limit=2"}`,
			"offset=3&limit=2":   `{"count":5,"next":null,"previous":"` + base + `limit=2&offset=1"}`,
			"limit=3&offset=1":   `{"count":5,"next":"` + base + `limit=3&offset=4","previous":"` + base + `limit=3"}`,
			"offset=9&limit=2":   `{"count":5,"next":null,"previous":"` + base + `limit=2&offset=7"}`,
			"unread=&q=&limit=4": `{"count":5,"next":"` + base + `limit=4&offset=4&q=&unread=","previous":null}`,
			"sort=title_asc&limit=4&q=example+%22com%22+not+%C3%9F": `{"count":5,"next":"` + base + `limit=4&offset=4&q=example+%22com%22+not+%C3%9F&sort=title_asc","previous":null}`,
		} {
			for _, path := range []string{"/api/bookmarks/?", "/api/bookmarks?"} {
				got := c.get(t, path+query).want(t, 200)
				if text := got.json(t, "count", "next", "previous"); text != want {
					t.Errorf("%s: got %s\nwant %s", query, text, want)
				}
			}
		}
		next := c.get(t, "/api/bookmarks/?limit=2").want(t, 200)["next"].(string)
		if got := c.get(t, strings.TrimPrefix(next, c.url)).want(t, 200).each("title"); got != "c b" {
			t.Errorf("the next page: got %q", got)
		}
	})
	each(t, func(t *testing.T, c *client) {
		saveSome(t, c, "", "")
		want := `{"next":"https://links.example.org/path/api/bookmarks/?limit=1&offset=1"}`
		if got := c.get(t, "/api/bookmarks/?limit=1").want(t, 200).json(t, "next"); got != want {
			t.Errorf("got %s", got)
		}
	}, func(settings *config.API) {
		if err := settings.BaseURL.UnmarshalText([]byte("https://links.example.org/path/")); err != nil {
			panic(err)
		}
	})
}

// TestLargeLimit reads more bookmarks than a page of other interfaces has, with their notes.
func TestLargeLimit(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		drafts := make([]waymark.LinkInput, 1234)
		for i := range drafts {
			drafts[i].URL = fmt.Sprint("https://example.com/", i)
		}
		if _, err := c.service.AddLinks(t.Context(), c.user, drafts); err != nil {
			t.Fatal(err)
		}
		c.call(t, "PATCH", "/api/bookmarks/777/", `{"notes": "a note"}`).want(t, 200)
		got := c.get(t, "/api/bookmarks/?limit=20000&sort=added_asc").want(t, 200)
		results := got["results"].([]any)
		if len(results) != len(drafts) || object(results[776].(map[string]any))["notes"] != "a note" {
			t.Errorf("got %d bookmarks", len(results))
		}
	})
}

func TestShared(t *testing.T) {
	test := func(guests bool) func(t *testing.T, c *client) {
		return func(t *testing.T, c *client) {
			bob := c.addUser(t, "bob")
			save := func(c *client, title string, v waymark.Visibility) {
				in := waymark.LinkInput{URL: "https://example.com/" + title, Title: &title, Tags: &[]waymark.Ref{{Name: "Tag"}}}
				in.Visibility = &v
				link, err := c.service.AddLink(t.Context(), c.user, in)
				check(t, err)
				for text, v := range map[string]waymark.Visibility{"private note": waymark.Private, "shown": waymark.Public} {
					note := waymark.NoteInput{Text: text}
					note.Visibility = &v
					if _, err := c.service.AddNote(t.Context(), c.user, link.ID, note); err != nil {
						t.Fatal(err)
					}
				}
			}
			save(c, "a-public", waymark.Public)
			save(c, "a-internal", waymark.Internal)
			save(c, "a-private", waymark.Private)
			save(bob, "b-internal", waymark.Internal)
			save(bob, "b-public", waymark.Public)
			for query, want := range map[string]string{
				"": "b-public b-internal a-internal a-public", "?user=bob": "b-public b-internal", "?user=ADA": "a-internal a-public", "?user=none": "b-public b-internal a-internal a-public",
				"?q=internal": "b-internal a-internal", "?shared=no": "",
			} {
				if got := c.get(t, "/api/bookmarks/shared/"+query).want(t, 200).each("title"); got != want {
					t.Errorf("%s: got %q, want %q", query, got, want)
				}
			}
			page := bob.get(t, "/api/bookmarks/shared/?user=ada").want(t, 200)
			if got := page.each("notes"); got != "shown shown" {
				t.Errorf("bob sees the notes %q", got)
			}
			want := ""
			if guests {
				want = "b-public a-public"
			}
			if got := c.call(t, "GET", "/api/bookmarks/shared", "", "Authorization:").want(t, 200).each("title"); got != want {
				t.Errorf("a guest sees %q, want %q", got, want)
			}
			c.call(t, "GET", "/api/bookmarks/shared/", "", "Authorization: Token a").want(t, 401)
		}
	}
	each(t, test(false))
	each(t, test(true), func(settings *config.API) { settings.GuestPages = true })
}

func TestTagsAreThoseOfTheUser(t *testing.T) {
	c := newClient(t)
	first := c.call(t, "POST", "/api/tags/", `{"name": " Go "}`)
	tag := first.want(t, 201)
	first.wantBody(t, 201, `{"id": `+tag.id()+`, "name": "Go", "date_added": "`+tag["date_added"].(string)+`"}`)
	c.call(t, "POST", "/api/tags/", `{"name": "go"}`).wantBody(t, 201, first.body)
	c.get(t, "/api/tags/"+tag.id()).wantBody(t, 200, first.body)
	if _, err := c.service.AddTag(t.Context(), c.user, waymark.TagInput{Name: "two words"}); err != nil {
		t.Fatal(err)
	}
	if two := c.call(t, "POST", "/api/tags/", `{"name": "two words"}`).want(t, 201); two["name"] != "two-words" || two.id() != "2" {
		t.Errorf("got %v", two)
	}
	bookmark := c.save(t, `{"url": "https://example.com/", "tag_names": ["go", "new"]}`)
	if got := c.get(t, "/api/tags/?limit=5000&q=ignored").want(t, 200).each("name"); got != "Go two-words new" {
		t.Errorf("got %q", got)
	}
	if got := c.get(t, "/api/tags/?limit=1&offset=1").want(t, 200); got.each("name") != "two-words" || got["next"] != c.url+"/api/tags/?limit=1&offset=2" {
		t.Errorf("got %v", got)
	}
	c.call(t, "DELETE", "/api/tags/"+tag.id()+"/", "").want(t, 204)
	c.get(t, "/api/tags/"+tag.id()+"/").wantBody(t, 404, `{"detail": "No Tag matches the given query."}`)
	if got := c.get(t, "/api/bookmarks/"+bookmark.id()).want(t, 200).json(t, "tag_names"); got != `{"tag_names":["new"]}` {
		t.Errorf("got %s", got)
	}
}
