package linkding_test

import (
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// TestErrorsAreThoseOfLinkding sends requests that linkding rejects.
func TestErrorsAreThoseOfLinkding(t *testing.T) {
	c := newClient(t)
	first := c.save(t, `{"url": "https://example.com/one"}`)
	c.save(t, `{"url": "https://example.com/two"}`)
	one := "/api/bookmarks/" + first.id() + "/"
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/api/bookmarks/", ``, 400, `{"url": ["This field is required."]}`},
		{"POST", "/api/bookmarks/", `{}`, 400, `{"url": ["This field is required."]}`},
		{"POST", "/api/bookmarks/", `{"url": ""}`, 400, `{"url": ["This field may not be blank."]}`},
		{"POST", "/api/bookmarks/", `{"url": " "}`, 400, `{"url": ["This field may not be blank."]}`},
		{"POST", "/api/bookmarks/", `{"url": null}`, 400, `{"url": ["This field may not be null."]}`},
		{"POST", "/api/bookmarks/", `{"url": true}`, 400, `{"url": ["Not a valid string."]}`},
		{"POST", "/api/bookmarks/", `{"url": "invalid"}`, 400, `{"url": ["Enter a valid URL."]}`},
		{"POST", "/api/bookmarks/", `{"url": "javascript:alert(1)"}`, 400, `{"url": ["Enter a valid URL."]}`},
		{"POST", "/api/bookmarks/", `{"url": "http://"}`, 400, `{"url": ["Enter a valid URL."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://example.com/` + strings.Repeat("a", 2048) + `"}`, 400,
			`{"url": ["Enter a valid URL.", "Ensure this field has no more than 2048 characters."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "title": "` + strings.Repeat("ä", 513) + `"}`, 400,
			`{"title": ["Ensure this field has no more than 512 characters."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "title": null}`, 400, `{"title": ["This field may not be null."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "title": "a\u0000b"}`, 400, `{"title": ["Null characters are not allowed."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "unread": "maybe"}`, 400, `{"unread": ["Must be a valid boolean."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "unread": null}`, 400, `{"unread": ["This field may not be null."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "shared": []}`, 400, `{"shared": ["Must be a valid boolean."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "tag_names": "a"}`, 400, `{"tag_names": ["Expected a list of items."]}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "tag_names": ["a", "", null, true, 1]}`, 400,
			`{"tag_names": {"1": ["This field may not be blank."], "2": ["This field may not be null."], "3": ["Not a valid string."]}}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "date_added": "yesterday"}`, 400,
			`{"date_added": ["Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."]}`},
		{"POST", "/api/bookmarks/", `{"title": 1, "description": {}, "unread": 2}`, 400,
			`{"url": ["This field is required."], "description": ["Not a valid string."], "unread": ["Must be a valid boolean."]}`},
		{"POST", "/api/bookmarks/", `{"url": `, 400, `{"detail": "JSON parse error - unexpected end of JSON input at byte 8"}`},
		{"POST", "/api/bookmarks/", `[]`, 400, `{"non_field_errors": ["Invalid data. Expected an object."]}`},
		{"POST", "/api/bookmarks/", `null`, 400, `{"non_field_errors": ["No data provided"]}`},
		{"PUT", one, `{"title": "a"}`, 400, `{"url": ["This field is required."]}`},
		{"PUT", one, `{"url": "https://example.com/two"}`, 400, `{"url": ["A bookmark with this URL already exists."]}`},
		{"PATCH", one, `{"url": "https://example.com/two"}`, 400, `{"url": ["A bookmark with this URL already exists."]}`},
		{"PATCH", one, `{"url": ""}`, 400, `{"url": ["This field may not be blank."]}`},
		{"GET", "/api/bookmarks/999/", ``, 404, `{"detail": "No Bookmark matches the given query."}`},
		{"PUT", "/api/bookmarks/999/", `{`, 404, `{"detail": "No Bookmark matches the given query."}`},
		{"POST", "/api/bookmarks/999/archive/", ``, 404, `{"detail": "No Bookmark matches the given query."}`},
		{"GET", "/api/bookmarks/999/assets/", ``, 404, `{"detail": "Bookmark does not exist"}`},
		{"DELETE", "/api/bookmarks/999/assets/1/", ``, 404, `{"detail": "Bookmark does not exist"}`},
		{"GET", one + "assets/999/download/", ``, 404, `{"detail": "No BookmarkAsset matches the given query."}`},
		{"POST", one + "assets/upload/", `{}`, 400, `{"error": "No file provided."}`},
		{"POST", "/api/bookmarks/", `{"url": "https://a.example", "date_added": "9999-12-31T23:00:00-02:00", "date_modified": "0001-01-01T00:00:00+01:00"}`, 400,
			`{"date_added": ["Datetime value out of range."], "date_modified": ["Datetime value out of range."]}`},
		{"GET", "/api/bookmarks/abc/", ``, 404, `{"detail": "Not found."}`},
		{"GET", "/api/tags/999/", ``, 404, `{"detail": "No Tag matches the given query."}`},
		{"POST", "/api/tags/", `{}`, 400, `{"name": ["This field is required."]}`},
		{"POST", "/api/tags/", `{"name": ""}`, 400, `{"name": ["This field may not be blank."]}`},
		{"POST", "/api/tags/", `{"name": "` + strings.Repeat("a", 65) + `"}`, 400, `{"name": ["Ensure this field has no more than 64 characters."]}`},
		{"DELETE", "/api/bookmarks/", ``, 405, `{"detail": "Method \"DELETE\" not allowed."}`},
		{"POST", one, `{}`, 405, `{"detail": "Method \"POST\" not allowed."}`},
		{"PUT", "/api/tags/1/", `{}`, 405, `{"detail": "Method \"PUT\" not allowed."}`},
		{"POST", "/api/user/profile/", `{}`, 405, `{"detail": "Method \"POST\" not allowed."}`},
	} {
		c.call(t, test.method, test.path, test.body).wantBody(t, test.status, test.want)
		c.call(t, test.method, strings.TrimSuffix(test.path, "/"), test.body).wantBody(t, test.status, test.want)
	}
}

func TestMediaTypesAndMethods(t *testing.T) {
	c := newClient(t)
	c.call(t, "POST", "/api/bookmarks/", "a", "Content-Type: text/plain; a=b").wantBody(t, 415, `{"detail": "Unsupported media type \"text/plain; a=b\" in request."}`)
	c.call(t, "POST", "/api/bookmarks/", "a", "Content-Type:").wantBody(t, 415, `{"detail": "Unsupported media type \"\" in request."}`)
	c.call(t, "POST", "/api/bookmarks/", "a", "Content-Type: multipart/form-data").wantBody(t, 400, `{"detail": "Multipart form parse error - Invalid multipart form."}`)
	c.call(t, "POST", "/api/bookmarks/singlefile/", "a", "Content-Type: text/html").wantBody(t, 415, `{"detail": "Unsupported media type \"text/html\" in request."}`)
	for path, want := range map[string]string{"/api/bookmarks/": "GET, HEAD, POST", "/api/bookmarks/9/archive/": "POST", "/api/tags/9": "DELETE, GET, HEAD"} {
		if got := c.call(t, "BREW", path, "").header.Get("Allow"); got != want {
			t.Errorf("%s: got Allow %q, want %q", path, got, want)
		}
	}
	if head := c.call(t, "HEAD", "/api/bookmarks/", ""); head.status != 200 || head.body != "" {
		t.Errorf("HEAD: got %d %q", head.status, head.body)
	}
	preflight := c.call(t, "OPTIONS", "/api/bookmarks/", "", "Authorization:", "Origin: https://a.example", "Access-Control-Request-Method: POST")
	if preflight.status != 204 || preflight.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("preflight: got %d, %v", preflight.status, preflight.header)
	}
}

func TestAuthentication(t *testing.T) {
	c := newClient(t)
	for _, scheme := range []string{"Token", "token", "TOKEN", "Bearer", "bearer", "BEARER"} {
		c.call(t, "GET", "/api/user/profile/", "", "Authorization: "+scheme+" "+c.key).want(t, 200)
	}
	for header, want := range map[string]string{
		"":                     "Authentication credentials were not provided.",
		"Basic " + c.key:       "Authentication credentials were not provided.",
		c.key:                  "Authentication credentials were not provided.",
		"Token":                "Authentication credentials were not provided.",
		"Token a b":            "Invalid token.",
		"Token \xff":           "Invalid token.",
		"Token unknown":        "Invalid token.",
		"Token " + c.key + "a": "Invalid token.",
	} {
		for _, path := range []string{"/api/bookmarks/", "/api/bookmarks/1", "/api/tags/", "/api/user/profile/", "/api/"} {
			got := c.call(t, "GET", path, "", "Authorization: "+header)
			got.wantBody(t, 401, `{"detail": "`+want+`"}`)
			if got.header.Get("WWW-Authenticate") != "Token" {
				t.Errorf("%q: got headers %v", header, got.header)
			}
		}
	}
}

func TestAccessLevels(t *testing.T) {
	c := newClient(t)
	bookmark := c.save(t, `{"url": "https://example.com/", "tag_names": ["one"]}`)
	read, add := c.addKey(t, c.user, waymark.AccessRead), c.addKey(t, c.user, waymark.AccessAdd)
	path := "/api/bookmarks/" + bookmark.id() + "/"
	const forbidden = `{"detail": "You do not have permission to perform this action."}`
	for _, request := range [][3]string{
		{"POST", "/api/bookmarks/", `{"url": "https://example.com/new"}`}, {"PUT", path, `{"url": "https://example.com/"}`},
		{"PATCH", path, `{}`}, {"DELETE", path, ``}, {"POST", path + "archive/", ``}, {"POST", path + "unarchive/", ``},
		{"POST", "/api/tags/", `{"name": "a"}`}, {"DELETE", "/api/tags/1/", ``},
	} {
		read.call(t, request[0], request[1], request[2]).wantBody(t, 403, forbidden)
		if request[0] != "POST" || strings.HasPrefix(request[1], path) {
			add.call(t, request[0], request[1], request[2]).wantBody(t, 403, forbidden)
		}
	}
	read.get(t, "/api/bookmarks/").want(t, 200)
	add.get(t, "/api/bookmarks/").wantBody(t, 403, forbidden)
	add.call(t, "POST", "/api/bookmarks/", `{"url": "https://example.com/"}`).wantBody(t, 403, forbidden)
	add.call(t, "POST", "/api/bookmarks/", `{"url": "https://example.com/new"}`).want(t, 201)
	add.call(t, "POST", "/api/tags/", `{"name": "a"}`).want(t, 201)
	read.call(t, "GET", path, "").want(t, 200)
}

func TestHealthAndProfile(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		for _, path := range []string{"/health", "/health/"} {
			c.call(t, "GET", path, "", "Authorization:").wantBody(t, 200, `{"version": "1.46.2", "status": "healthy"}`)
		}
		c.get(t, "/api/").wantBody(t, 200, `{}`)
		c.get(t, "/api/user/profile").wantBody(t, 200, `{
			"theme": "auto", "bookmark_date_display": "relative", "bookmark_link_target": "_self", "web_archive_integration": "disabled",
			"tag_search": "strict", "enable_sharing": true, "enable_public_sharing": false, "enable_favicons": false, "display_url": false,
			"permanent_notes": false, "search_preferences": {}, "version": "1.46.2"}`)
		settings, _, err := c.accounts.EditSettings(t.Context(), c.user.ID, func(s *waymark.Settings, _ *waymark.DefaultVisibility) {
			s.Theme, s.NewTab = waymark.DarkTheme, true
		})
		if err != nil {
			t.Fatal(settings, err)
		}
		if got := c.get(t, "/api/user/profile/").want(t, 200).json(t, "theme", "bookmark_link_target"); got != `{"bookmark_link_target":"_blank","theme":"dark"}` {
			t.Errorf("got %s", got)
		}
	})
}
