package api

import (
	"bytes"
	"testing"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// jsonOfValue returns the JSON of httpx.EncodeJSON.
func jsonOfValue(t *testing.T, value any) string {
	t.Helper()
	var b bytes.Buffer
	check(t, httpx.EncodeJSON(&b, value))
	return b.String()
}

// Clients get the fields in LinkAce's order, and <, > and & as they are.
func TestJSONOfALinkHasTheFormOfLinkAce(t *testing.T) {
	at := waymark.Time(1_583_782_403_000_001)
	link := waymark.Link{
		ID: 7, Owner: 2, URL: "https://github.com/?a=1&b=<2>", Title: "\"\u2028\x01é", Visibility: waymark.Private, Status: waymark.StatusOK,
		CreatedAt: at, UpdatedAt: at,
		Lists: []waymark.List{{ID: 3, Owner: 2, Name: "L", Description: "d", Visibility: waymark.Public, CreatedAt: at, UpdatedAt: at, DeletedAt: at}},
		Tags:  []waymark.Tag{{ID: 4, Owner: 1, Name: "T", Visibility: waymark.Internal, CreatedAt: at, UpdatedAt: at}},
	}
	const times = `"created_at":"2020-03-09T19:33:23.000001Z","updated_at":"2020-03-09T19:33:23.000001Z","deleted_at":`
	want := `{"id":7,"user_id":2,"url":"https://github.com/?a=1&b=<2>","title":"\"\u2028\u0001é","description":null,"icon":"fab fa-github","thumbnail":null,` +
		`"visibility":3,"is_private":true,"status":1,"check_disabled":false,"unread":false,"archived":false,"favorite":false,"seen_at":null,` +
		`"lists":[{"id":3,"user_id":2,"name":"L","description":"d","visibility":1,"is_private":false,"links":"https://a.example/lists/3/links","parent_id":null,"position":0,"path":["L"],"can_edit":false,` +
		times + `"2020-03-09T19:33:23.000001Z","pivot":{"link_id":7,"list_id":3}}],` +
		`"tags":[{"id":4,"user_id":1,"name":"T","visibility":2,"is_private":false,` + times + `null,"pivot":{"link_id":7,"tag_id":4}}],` + times + `null}`
	if got := jsonOfValue(t, newLinkJSON("https://a.example", &link)); got != want {
		t.Errorf("got\n  %s, want\n  %s", got, want)
	}
	if got, want := jsonOfValue(t, newLinkJSON("", &waymark.Link{}).Lists), "[]"; got != want {
		t.Errorf("the lists of a link without lists: got %s, want %s", got, want)
	}
}
