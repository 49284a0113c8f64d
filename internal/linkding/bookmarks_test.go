package linkding_test

import (
	"strings"
	"sync"
	"testing"

	"waymark/internal/service"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// fullBookmark has all fields that a client can set.
const fullBookmark = `{"url": " https://example.com/Page/?b=1 ", "title": " Example <title> ", "description": "Text\nof two lines", "notes": "My note",
	"is_archived": true, "unread": true, "shared": true, "tag_names": ["Zoo", "two words", "b,a", "zoo"],
	"date_added": "2020-09-26T09:46:23.006313Z", "date_modified": "2021-02-03T04:05:06+02:00"}`

func TestBookmarkHasTheFieldsOfLinkding(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		got := c.call(t, "POST", "/api/bookmarks/?disable_scraping", fullBookmark)
		bookmark := got.want(t, 201)
		want := `{"id": ` + bookmark.id() + `, "url": "https://example.com/Page/?b=1", "title": "Example <title>", "description": "Text\nof two lines", "notes": "My note",
			"web_archive_snapshot_url": "https://web.archive.org/web/20200926094623/https://example.com/Page/?b=1",
			"favicon_url": null, "preview_image_url": null, "is_archived": true, "unread": true, "shared": true,
			"tag_names": ["a", "b", "two-words", "zoo"], "date_added": "2020-09-26T09:46:23.006313Z", "date_modified": "2021-02-03T02:05:06Z",
			"website_title": null, "website_description": null}`
		got.wantBody(t, 201, want)
		c.get(t, "/api/bookmarks/"+bookmark.id()+"/").wantBody(t, 200, want)
		c.get(t, "/api/bookmarks/archived/").wantBody(t, 200, `{"count": 1, "next": null, "previous": null, "results": [`+want+`]}`)
		c.get(t, "/api/bookmarks/").wantBody(t, 200, `{"count": 0, "next": null, "previous": null, "results": []}`)
		names := got.body[:strings.Index(got.body, `"url"`)]
		if names != `{"id":`+bookmark.id()+`,` || !strings.Contains(got.body, "<title>") {
			t.Errorf("the id is not first, or < is escaped: %s", got.body)
		}
		labels := c.save(t, `{"url": "https://labels.example", "labels": ["a", "b c"]}`) // of Readeck's clients
		if text := labels.json(t, "tag_names"); text != `{"tag_names":["a","b-c"]}` {
			t.Errorf("got %s", text)
		}
		minimal := c.save(t, `{"url": "https://minimal.example"}`)
		if text := minimal.json(t, "title", "description", "notes", "is_archived", "unread", "shared", "tag_names"); text !=
			`{"description":"","is_archived":false,"notes":"","shared":false,"tag_names":[],"title":"","unread":false}` {
			t.Errorf("got %s", text)
		}
	})
}

func TestSavingAgainReplaces(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		first := c.save(t, fullBookmark)
		if _, err := c.service.AddList(t.Context(), c.user, waymark.ListInput{Name: "Reading"}); err != nil {
			t.Fatal(err)
		}
		again := c.save(t, `{"url": "https://example.com/Page/?b=1", "title": "New", "is_archived": false, "date_added": "2001-01-01T00:00:00Z"}`)
		want := `{"date_added":"2020-09-26T09:46:23.006313Z","description":"","id":` + first.id() +
			`,"is_archived":true,"notes":"","shared":false,"tag_names":[],"title":"New","unread":false}`
		if got := again.json(t, "id", "title", "description", "notes", "is_archived", "unread", "shared", "tag_names", "date_added"); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if again["date_modified"] == first["date_modified"] {
			t.Error("date_modified is as before")
		}
		c.call(t, "DELETE", "/api/bookmarks/"+first.id()+"/", "").want(t, 204)
		if other := c.save(t, `{"url": "https://example.com/Page/?b=1"}`); other.id() == first.id() {
			t.Error("a bookmark in the trash was replaced")
		}
	})
}

// TestConcurrentSavesMakeOneBookmark saves a URL at the same time, as an app and a browser do.
func TestConcurrentSavesMakeOneBookmark(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				c.call(t, "POST", "/api/bookmarks/?disable_scraping", `{"url": "https://example.com/", "tag_names": ["a"], "notes": "b"}`).want(t, 201)
			})
		}
		all.Wait()
		page := c.get(t, "/api/bookmarks/").want(t, 200)
		if got := page.json(t, "count"); got != `{"count":1}` {
			t.Errorf("got %s", got)
		}
		notes, err := c.store.NotesOfLink(c.user.ID, waymark.LinkID(1), waymark.Pagination{}).Page(t.Context())
		if err != nil || notes.Total != 1 {
			t.Errorf("got %d notes, %v", notes.Total, err)
		}
	})
}

func TestUpdateKeepsWhatIsMissing(t *testing.T) {
	c := newClient(t)
	first := c.save(t, fullBookmark)
	path := "/api/bookmarks/" + first.id() + "/"
	fields := []string{"url", "title", "description", "notes", "is_archived", "unread", "shared", "tag_names", "date_added"}
	before := first.json(t, fields...)
	for method, body := range map[string]string{"PUT": `{"url": "https://example.com/Page/?b=1"}`, "PATCH": `{"website_title": "ignored", "favicon_url": 1, "id": 99, "unknown": {}}`} {
		got := c.call(t, method, path, body).want(t, 200)
		if after := got.json(t, fields...); after != before {
			t.Errorf("%s: got %s\nwant %s", method, after, before)
		}
	}
	for _, test := range [][2]string{
		{`{"title": "T"}`, `{"title":"T"}`}, {`{"title": ""}`, `{"title":""}`}, {`{"description": ""}`, `{"description":""}`},
		{`{"notes": "N"}`, `{"notes":"N"}`}, {`{"notes": ""}`, `{"notes":""}`}, {`{"is_archived": false}`, `{"is_archived":false}`},
		{`{"unread": "False"}`, `{"unread":false}`}, {`{"shared": 0}`, `{"shared":false}`}, {`{"tag_names": []}`, `{"tag_names":[]}`},
		{`{"tag_names": ["Y", "x"]}`, `{"tag_names":["Y","x"]}`}, {`{"url": "https://other.example/#f"}`, `{"url":"https://other.example/#f"}`}, {`{"description": "D"}`, `{"description":"D"}`},
		{`{"date_added": "2022-01-02 03:04"}`, `{"date_added":"2022-01-02T03:04:00Z"}`}, {`{"date_added": "2022-01-02 03:04:05 +0100"}`, `{"date_added":"2022-01-02T02:04:05Z"}`},
	} {
		name, _, _ := strings.Cut(strings.Trim(test[0], `{"`), `"`)
		if got := c.call(t, "PATCH", path, test[0]).want(t, 200).json(t, name); got != test[1] {
			t.Errorf("%s: got %s, want %s", test[0], got, test[1])
		}
	}
}

func TestBookmarkWithoutTitleStaysSo(t *testing.T) {
	c := newClient(t)
	c.save(t, `{"url": "https://one.example/"}`)
	for _, body := range []string{`{"unread": true}`, `{"url": "https://two.example/"}`, `{}`} {
		if got := c.call(t, "PATCH", "/api/bookmarks/1/", body).want(t, 200); got["title"] != "" {
			t.Errorf("%s: got the title %q", body, got["title"])
		}
	}
	if got := c.save(t, `{"url": "https://a.example/", "title": "a.example"}`); got["title"] != "a.example" {
		t.Errorf("got the title %q", got["title"])
	}
}

func TestArchiveAndDelete(t *testing.T) {
	c := newClient(t)
	bookmark := c.save(t, `{"url": "https://example.com/"}`)
	path := "/api/bookmarks/" + bookmark.id()
	for _, test := range [][2]string{{"/archive", "true"}, {"/archive/", "true"}, {"/unarchive/", "false"}} {
		c.call(t, "POST", path+test[0], "").want(t, 204)
		if got := c.get(t, path).want(t, 200).json(t, "is_archived"); got != `{"is_archived":`+test[1]+`}` {
			t.Errorf("after %s: got %s", test[0], got)
		}
	}
	c.call(t, "DELETE", path, "", "Content-Type: application/json").want(t, 204)
	c.get(t, path).wantBody(t, 404, `{"detail": "No Bookmark matches the given query."}`)
	c.call(t, "DELETE", path, "").want(t, 404)
	trashed, err := c.store.TrashedLinks(c.user.ID).Page(t.Context())
	if err != nil || trashed.Total != 1 {
		t.Errorf("got %d links in the trash, %v", trashed.Total, err)
	}
}

func TestBookmarksOfOthersDoNotExist(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		bob := c.addUser(t, "bob")
		bookmark := c.save(t, `{"url": "https://example.com/", "shared": true, "tag_names": ["a"]}`)
		path := "/api/bookmarks/" + bookmark.id() + "/"
		links, err := c.store.Links(c.user.ID, waymark.Order{By: waymark.SortByID}, waymark.Pagination{Limit: 1}).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		storetest.SharedList(t, c.store, c.user, links.Entities[0].ID) // bob edits it elsewhere
		for _, request := range [][2]string{{"GET", path}, {"PUT", path}, {"PATCH", path}, {"DELETE", path}, {"POST", path + "archive/"}, {"POST", path + "unarchive/"}} {
			bob.call(t, request[0], request[1], "").wantBody(t, 404, `{"detail": "No Bookmark matches the given query."}`)
		}
		bob.get(t, "/api/tags/1/").want(t, 404)
		if got := bob.get(t, "/api/bookmarks/").want(t, 200).json(t, "count") + bob.get(t, "/api/tags/").want(t, 200).json(t, "count"); got != `{"count":0}{"count":0}` {
			t.Errorf("got %s", got)
		}
		if own := bob.save(t, `{"url": "https://example.com/"}`); own.id() == bookmark.id() {
			t.Error("bob has changed the bookmark of ada")
		}
	})
}

// TestForms sends the bodies of clients that send forms.
func TestForms(t *testing.T) {
	c := newClient(t)
	const form = "Content-Type: application/x-www-form-urlencoded"
	multipart := func(pairs ...string) string {
		var b strings.Builder
		for i := 0; i < len(pairs); i += 2 {
			b.WriteString("--x\r\nContent-Disposition: form-data; name=\"" + pairs[i] + "\"\r\n\r\n" + pairs[i+1] + "\r\n")
		}
		return b.String() + "--x--\r\n"
	}
	const parts = "Content-Type: multipart/form-data; boundary=x"
	fields := []string{"title", "is_archived", "unread", "shared", "tag_names"}
	for _, test := range [][3]string{
		{form, "url=https%3A%2F%2Fa.example&title=A+b&unread=true&tag_names=b&tag_names=a", `{"is_archived":false,"shared":false,"tag_names":["a","b"],"title":"A b","unread":true}`},
		{form, "url=https%3A%2F%2Fb.example&unread=on&shared=1&tag_names[1]=b&tag_names[0]=a&date_added=", `{"is_archived":false,"shared":true,"tag_names":["a","b"],"title":"","unread":true}`},
		{parts, multipart("url", "https://c.example", "title", "C", "unread", "false", "shared", "true", "tag_names", "a,c d"), `{"is_archived":false,"shared":true,"tag_names":["a","c-d"],"title":"C","unread":false}`},
	} {
		got := c.call(t, "POST", "/api/bookmarks/?disable_scraping", test[1], test[0]).want(t, 201)
		if text := got.json(t, fields...); text != test[2] {
			t.Errorf("%s: got %s, want %s", test[1], text, test[2])
		}
	}
	bookmark := c.save(t, fullBookmark)
	path := "/api/bookmarks/" + bookmark.id() + "/"
	patched := c.call(t, "PATCH", path, multipart("unread", "false"), parts).want(t, 200)
	if text := patched.json(t, fields...); text != `{"is_archived":true,"shared":true,"tag_names":["a","b","two-words","zoo"],"title":"Example <title>","unread":false}` {
		t.Errorf("got %s", text)
	}
	c.call(t, "POST", "/api/bookmarks/", "title=a", form).wantBody(t, 400, `{"url": ["This field is required."]}`)
	if tag := c.call(t, "POST", "/api/tags/", multipart("name", "new"), parts).want(t, 201); tag["name"] != "new" {
		t.Errorf("got %v", tag)
	}
}

// TestOtherNotesAndListsStay changes a link that has more than a bookmark shows.
func TestOtherNotesAndListsStay(t *testing.T) {
	c := newClient(t)
	link, err := c.service.AddLink(t.Context(), c.user, waymark.LinkInput{
		URL: "https://example.com/", Lists: &[]waymark.Ref{{Name: "Reading"}}, Tags: &[]waymark.Ref{{Name: "two words"}},
	})
	check(t, err)
	for _, text := range []string{"first", "second"} {
		if _, err := c.service.AddNote(t.Context(), c.user, link.ID, waymark.NoteInput{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	got := c.save(t, `{"url": "https://example.com/", "notes": "changed", "tag_names": ["two-words"], "shared": true}`)
	if text := got.json(t, "notes", "tag_names", "shared"); text != `{"notes":"changed","shared":true,"tag_names":["two-words"]}` {
		t.Errorf("got %s", text)
	}
	after, err := c.store.Link(t.Context(), c.user.ID, link.ID)
	if err != nil || len(after.Lists) != 1 || len(after.Tags) != 1 || after.Tags[0].Name != "two words" || after.Visibility != waymark.Internal {
		t.Errorf("got %+v, %v", after, err)
	}
	if texts := noteTexts(t, c, link.ID); texts != "changed second" {
		t.Errorf("got notes %q", texts)
	}
	got = c.call(t, "PATCH", "/api/bookmarks/1/", `{"notes": ""}`).want(t, 200)
	if texts := noteTexts(t, c, link.ID); texts != "second" || got["notes"] != "second" {
		t.Errorf("got notes %q, and %v", texts, got["notes"])
	}
}

func noteTexts(t *testing.T, c *client, link waymark.LinkID) string {
	t.Helper()
	notes, err := c.store.NotesOfLink(c.user.ID, link, waymark.Pagination{}).Page(t.Context())
	check(t, err)
	var texts []string
	for _, note := range notes.Entities {
		texts = append(texts, note.Text)
	}
	return strings.Join(texts, " ")
}

// TestSharedFollowsTheVisibility saves bookmarks of a user whose links are public by default.
func TestSharedFollowsTheVisibility(t *testing.T) {
	c := newClient(t)
	if _, _, err := c.accounts.EditSettings(t.Context(), c.user.ID, func(_ *waymark.Settings, v *waymark.DefaultVisibility) { v.Links = waymark.Public }); err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]waymark.Visibility{
		`{"url": "https://a.example"}`: waymark.Public, `{"url": "https://b.example", "shared": true}`: waymark.Public, `{"url": "https://c.example", "shared": false}`: waymark.Private,
	} {
		id := c.save(t, body).id()
		if got := visibilityOf(t, c, id); got != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
		for _, change := range []struct {
			body string
			want waymark.Visibility
		}{{`{}`, want}, {`{"shared": true}`, map[bool]waymark.Visibility{true: waymark.Internal, false: want}[want == waymark.Private]}, {`{"shared": false}`, waymark.Private}, {`{"shared": true}`, waymark.Internal}} {
			c.call(t, "PATCH", "/api/bookmarks/"+id+"/", change.body).want(t, 200)
			if got := visibilityOf(t, c, id); got != change.want {
				t.Errorf("%s, then %s: got %s, want %s", body, change.body, got, change.want)
			}
		}
	}
}

func visibilityOf(t *testing.T, c *client, id string) waymark.Visibility {
	t.Helper()
	links, err := c.store.Links(c.user.ID, waymark.Order{}, waymark.Pagination{}).Page(t.Context())
	check(t, err)
	for _, link := range links.Entities {
		if (object{"id": link.ID}).json(t) == `{"id":`+id+`}` {
			return link.Visibility
		}
	}
	t.Fatalf("no link %s", id)
	return 0
}

func TestLinksThatLinkdingWouldRejectCanBeChanged(t *testing.T) {
	c := newClient(t)
	long := strings.Repeat("a", 600)
	_, err := service.New(c.store).AddLink(t.Context(), c.user, waymark.LinkInput{URL: "magnet:?xt=urn:btih:a", Title: &long})
	check(t, err)
	got := c.call(t, "PUT", "/api/bookmarks/1/", `{"url": "magnet:?xt=urn:btih:a", "title": "`+long+`", "unread": true}`).want(t, 200)
	if got["title"] != long || got["unread"] != true {
		t.Errorf("got %v", got)
	}
	for url, want := range map[string]int{
		"http://nas:8080/a": 201, "http://localhost": 201, "ftp://files.example/a": 201, "https://user:pw@a.example:443/?q=ä#f": 201, "https://müller.example": 201,
		"http://उदाहरण.परीक्षा": 201, "http://แอมเวย์.example/": 201, "https://i❤.example/": 201, "http://EXAMPLE.example": 201, "http://a_b.example": 400,
		"http://[::1]/": 201, "http://127.0.0.1/": 201, "mailto:a@b.example": 400, "http://1.2.3.999/": 400, "http://-a.example": 400, "http://a..b": 400, "https:///a": 400, "http://[1]/": 400,
		"//a.example": 400, "http://a b": 400, "http://a.123": 400, "http://[1.2.3.4]/": 400, "http://a:": 400, "http://a:000000080/": 400, "http://u@v@a.example": 400, "http://u:p:q@a.example": 400,
		"http://" + strings.Repeat("a", 64) + ".example": 400, `http://a\\b.example`: 400,
	} {
		if got := c.call(t, "POST", "/api/bookmarks/?disable_scraping", `{"url": "`+url+`"}`); got.status != want {
			t.Errorf("%s: got %d %s, want %d", url, got.status, got.body, want)
		}
	}
}
