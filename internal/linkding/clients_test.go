package linkding_test

import (
	"strings"
	"testing"
)

// TestRequestsOfClients sends requests as the clients of linkding make them, from their source code.
func TestRequestsOfClients(t *testing.T) {
	const parts = "Content-Type: multipart/form-data; boundary=dio-boundary-1"
	form := func(fields ...string) string {
		var b strings.Builder
		for i := 0; i < len(fields); i += 2 {
			b.WriteString("--dio-boundary-1\r\ncontent-disposition: form-data; name=\"" + fields[i] + "\"\r\n\r\n" + fields[i+1] + "\r\n")
		}
		return b.String() + "--dio-boundary-1--\r\n"
	}
	each(t, func(t *testing.T, c *client) {
		for _, test := range []struct {
			client, method, path, body, header string
			status                             int
			want                               string // a part of the response
		}{
			{"extension", "GET", "/api/bookmarks/?limit=1", "", "", 200, `{"count":0,"next":null,"previous":null,"results":[]}`},
			{"extension", "POST", "/api/bookmarks/?disable_scraping", `{"url":"https://example.com/","title":"T","description":"","notes":"","tag_names":["a"],"unread":false,"shared":false}`, "", 201, `"tag_names":["a"]`},
			{"extension", "GET", "/api/tags/?limit=5000", "", "", 200, `"name":"a"`},
			{"extension", "GET", "/api/bookmarks/1/", "", "", 200, `"id":1,`},
			{"extension", "GET", "/api/user/profile/", "", "", 200, `"enable_sharing":true`},
			{"Linkdy", "GET", "/api/bookmarks/check?url=https%3A%2F%2Fexample.com%2F", "", "", 200, `{"bookmark":{"id":1,`},
			{"Linkdy", "GET", "/api/bookmarks/?q&limit=100&offset=0&unread&sort=added_desc", "", "", 200, `"count":1`},
			{"Linkdy", "POST", "/api/bookmarks/", form("url", "https://linkdy.example/", "title", "", "tag_names", "a,b", "is_archived", "false", "unread", "true", "shared", "false"), parts, 201, `"tag_names":["a","b"]`},
			{"Linkdy", "PATCH", "/api/bookmarks/2/", form("shared", "true"), parts, 200, `"unread":true,"shared":true`},
			{"Linkdy", "POST", "/api/tags/", form("name", "c"), parts, 201, `"name":"c"`},
			{"Pinkt", "PUT", "/api/bookmarks/1/", `{"id":1,"url":"https://example.com/","title":"P","description":"","notes":"","date_added":"2024-05-06T07:08:09.123456Z","is_archived":false,"unread":true,"shared":false,"tag_names":["a"]}`, "Accept: application/json", 200, `"date_added":"2024-05-06T07:08:09.123456Z"`},
			{"LinkBuddy", "PATCH", "/api/bookmarks/1/", `{"is_archived": true}`, "", 200, `"is_archived":true`},
			{"LinkBuddy", "GET", "/api/bookmarks/archived/?is_archived=true", "", "Content-Type: application/json", 200, `"count":1`},
			{"LinkBuddy", "GET", "/api/bookmarks/?q=!untagged+not", "", "", 200, `"count":0`},
			{"linkding-apps", "GET", "/api/bookmarks/?offset=0&limit=20&q=linkdy%20%23a%20%23b%20!unread%20", "", "", 200, `"count":1`},
			{"cosmicding", "GET", "/api/bookmarks/check/?url=https%3A%2F%2Fnone.example&disable_scraping=true", "", "", 200, `"auto_tags":[]`},
			{"injector", "GET", "/api/bookmarks/?q=c%2B%2B%20%22a%20b%22%20(x&limit=10", "", "", 200, `"results":[]`},
			{"Raycast", "GET", "/api/bookmarks?q=&limit=101", "", "", 200, `"count":1`},
			{"Linka", "PATCH", "/api/bookmarks/2/", `{"shared": true}`, "Origin: https://linka.example", 200, `"shared":true`},
			{"Linka", "GET", "/api/tags/?limit=10000", "", "", 200, `"count":3`},
			{"aiolinkding", "GET", "/health", "", "Authorization:", 200, `"version":"1.46.2"`},
			{"aiolinkding", "POST", "/api/tags/", `{"example": "a"}`, "", 400, `{"name":["This field is required."]}`},
			{"go-linkding", "PUT", "/api/bookmarks/2", `{"url": "https://linkdy.example/", "tag_names": []}`, "", 200, `"tag_names":[]`},
			{"linkding-rs", "GET", "/api/user/profile/", "", "", 200, `"search_preferences":{}`},
			{"media archiver", "GET", "/api/bookmarks/?q=%23a+or+%23b&modified_since=2020-01-01T00%3A00%3A00%2B00%3A00&bundle=", "", "", 200, `"count":0`},
			{"Miniflux", "POST", "/api/bookmarks/", `{"url":"https://feed.example/1","title":"Entry","tag_names":["news"],"unread":true}`, "", 201, `"unread":true`},
			{"Raycast", "DELETE", "/api/bookmarks/1", "", "", 204, ""},
			{"extension", "DELETE", "/api/bookmarks/2/", "", "Content-Type: application/json", 204, ""},
		} {
			got := c.call(t, test.method, test.path, test.body, test.header)
			if got.status != test.status || !strings.Contains(got.body, test.want) {
				t.Errorf("%s: %s: got %d %s\nwant %d with %s", test.client, got.request, got.status, got.body, test.status, test.want)
			}
		}
	})
}
