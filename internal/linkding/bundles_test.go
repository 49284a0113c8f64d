package linkding_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestBundlesHaveTheFieldsOfLinkding(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		first := c.call(t, "POST", "/api/bundles/", `{"name": "Work", "search": "tools", "any_tags": "a b", "all_tags": "c", "excluded_tags": "d", "filter_unread": "yes", "filter_shared": "no", "order": 5}`)
		bundle := first.want(t, 201)
		text := fmt.Sprintf(`{"id": %s, "name": "Work", "search": "tools", "any_tags": "a b", "all_tags": "c", "excluded_tags": "d", "filter_unread": "yes", "filter_shared": "no",
			"order": 5, "date_created": %q, "date_modified": %q}`, bundle.id(), bundle["date_created"], bundle["date_modified"])
		first.wantBody(t, 201, text)
		path := "/api/bundles/" + bundle.id()
		c.get(t, path+"/").wantBody(t, 200, text)
		second := c.call(t, "POST", "/api/bundles", `{"name": "Second"}`).want(t, 201)
		if got := second.json(t, "name", "search", "any_tags", "all_tags", "excluded_tags", "filter_unread", "filter_shared", "order"); got !=
			`{"all_tags":"","any_tags":"","excluded_tags":"","filter_shared":"off","filter_unread":"off","name":"Second","order":6,"search":""}` {
			t.Errorf("got %s", got)
		}
		c.call(t, "POST", "/api/bundles/", `{"name": "First", "order": "0"}`).want(t, 201)
		if got := c.get(t, "/api/bundles/").want(t, 200); got.each("name") != "First Work Second" || got.json(t, "count", "next", "previous") != `{"count":3,"next":null,"previous":null}` {
			t.Errorf("got %v", got)
		}
		patched := c.call(t, "PATCH", path+"/", `{"any_tags": "", "filter_shared": "off", "order": 7}`).want(t, 200)
		if got := patched.json(t, "name", "any_tags", "filter_unread", "filter_shared", "order"); got != `{"any_tags":"","filter_shared":"off","filter_unread":"yes","name":"Work","order":7}` {
			t.Errorf("got %s", got)
		}
		put := c.call(t, "PUT", path, `{"name": "Renamed"}`).want(t, 200)
		if got := put.json(t, "name", "search", "order"); got != `{"name":"Renamed","order":7,"search":"tools"}` {
			t.Errorf("got %s", got)
		}
		c.call(t, "DELETE", "/api/bundles/"+second.id()+"/", "").want(t, 204)
		if got := c.get(t, "/api/bundles/?limit=1&offset=1").want(t, 200); got.each("name")+" "+got.each("order") != "Renamed 1" {
			t.Errorf("got %v", got)
		}
		bob := c.addUser(t, "bob")
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			bob.call(t, method, path+"/", `{"name": "b"}`).wantBody(t, 404, `{"detail": "No BookmarkBundle matches the given query."}`)
		}
		c.call(t, "GET", "/api/bundles/", "", "Authorization:").want(t, 401)
		c.addKey(t, c.user, waymark.AccessRead).call(t, "POST", "/api/bundles/", `{"name": "b"}`).want(t, 403)
	})
}

func TestInvalidBundles(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		for body, want := range map[string]string{
			`{}`: `{"name": ["This field is required."]}`, `{"name": ""}`: `{"name": ["This field may not be blank."]}`, `{"name": null}`: `{"name": ["This field may not be null."]}`,
			`{"name": "` + strings.Repeat("a", 257) + `"}`:                          `{"name": ["Ensure this field has no more than 256 characters."]}`,
			`{"name": "a", "any_tags": "` + strings.Repeat("a", 1025) + `"}`:        `{"any_tags": ["Ensure this field has no more than 1024 characters."]}`,
			`{"name": "a", "filter_unread": "maybe", "order": "x", "search": null}`: `{"search": ["This field may not be null."], "filter_unread": ["\"maybe\" is not a valid choice."], "order": ["A valid integer is required."]}`,
			`{"name": "a", "filter_shared": ""}`:                                    `{"filter_shared": ["\"\" is not a valid choice."]}`,
			`{"name": "a", "filter_shared": 5, "filter_unread": true}`:              `{"filter_unread": ["\"true\" is not a valid choice."], "filter_shared": ["\"5\" is not a valid choice."]}`,
			`{"name": "a", "order": null}`:                                          `{"order": ["This field may not be null."]}`,
			`{"name": "a", "order": 1.5}`:                                           `{"order": ["A valid integer is required."]}`,
		} {
			c.call(t, "POST", "/api/bundles/", body).wantBody(t, 400, want)
		}
		for range waymark.MaxBundles {
			c.call(t, "POST", "/api/bundles/", `{"name": "a"}`).want(t, 201)
		}
		c.call(t, "POST", "/api/bundles/", `{"name": "a"}`).wantBody(t, 400, `{"non_field_errors": ["Ensure this field has no more than 100 elements."]}`)
	})
}

func TestBundlesSelectBookmarks(t *testing.T) {
	c := newClient(t)
	saveSome(t, c, `, "tag_names": ["go", "web-site"], "unread": true`, `, "tag_names": ["go", "old"], "shared": true`, `, "tag_names": ["db"], "notes": "Some docs"`, `, "description": "docs some"`)
	for fields, want := range map[string]string{
		`"search": ""`: "d c b a", `"search": "some DOCS"`: "d c", `"search": "#ignored docs !x"`: "d c", `"any_tags": "go db"`: "c b a", `"any_tags": "GO none"`: "b a", `"any_tags": "none"`: "",
		`"all_tags": "go old"`: "b", `"all_tags": "go none"`: "", `"excluded_tags": "go none"`: "d c", `"filter_unread": "yes"`: "a", `"filter_unread": "no"`: "d c b",
		`"filter_shared": "yes"`: "b", `"filter_shared": "no"`: "d c a", `"any_tags": "go db", "excluded_tags": "old", "search": "docs"`: "c", `"all_tags": "web-site"`: "a",
	} {
		bundle := c.call(t, "POST", "/api/bundles/", `{"name": "a", `+fields+`}`).want(t, 201)
		got := c.get(t, "/api/bookmarks/?bundle="+bundle["id"].(json.Number).String()).want(t, 200)
		if titles := got.each("title"); titles != want {
			t.Errorf("%s: got %q, want %q", fields, titles, want)
		}
	}
}
