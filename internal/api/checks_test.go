package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"waymark/internal/crawl"
	"waymark/internal/fetch"
	"waymark/internal/waymark"
)

// checked adds the results of check of a link.
func (s *testServer) checked(t *testing.T, id string, results ...waymark.LastCheck) {
	t.Helper()
	link, err := strconv.Atoi(id)
	check(t, err)
	claimed, err := s.store.Queue.ClaimLinkCheck(t.Context(), waymark.LinkID(link), 2e15)
	check(t, err)
	for _, result := range results {
		if _, err := s.store.Queue.AddCheck(t.Context(), claimed, result); err != nil {
			t.Fatal(err)
		}
	}
}

// move adds a check that has found a new URL of a link.
func (s *testServer) move(t *testing.T, id, newURL string) {
	t.Helper()
	s.checked(t, id, waymark.LastCheck{Check: waymark.Check{At: 1e15, Result: waymark.CheckMoved, Code: 200}, Reason: "redirect", NewURL: newURL})
}

func TestLinkChecksHasTheLastChecks(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://gone.example/","visibility":3}`)
	times := ann.get(t, "/links/1").value(t, "created_at updated_at")
	s.checked(
		t, "1",
		waymark.LastCheck{Check: waymark.Check{At: 1e15, Result: waymark.CheckMoved, Code: 200}, Reason: "redirect", NewURL: "https://new.example/"},
		waymark.LastCheck{Check: waymark.Check{At: 1001e12, Result: waymark.CheckDead}, Reason: "no_such_host"},
		waymark.LastCheck{Check: waymark.Check{At: 1002e12, Result: waymark.CheckDead, Code: 404}, Reason: "status"},
	)
	checks := ann.get(t, "/links/1/check").ok(t)
	checks.wantValue(t, "result reason code new_url dead_days", `["dead","status",404,null,2]`)
	checks.wantValue(t, "checked_at next_check_at", `["2001-10-02T05:20:00.000000Z","2001-10-05T05:20:00.000000Z"]`)
	checks.wantValue(t, "checks.*.result checks.*.code checks.0.at", `[["moved","dead","dead"],[200,null,404],"2001-09-09T01:46:40.000000Z"]`)
	for query, want := range map[string]string{
		"check=dead": "[1]", "check=DEAD&query=gone": "[1]", "check=moved": "[]", "check=&query=gone": "[1]", "check=ok&query=gone": "[]",
	} {
		ann.get(t, "/search/links?"+query).wantValue(t, "data.*.id", want)
	}
	ben.get(t, "/search/links?check=dead").wantValue(t, "total", "0")
	ann.get(t, "/search/links?check=ill&query=a").wantFieldErrors(t, "check: The selected check is invalid.")
	link := ann.get(t, "/links/1")
	link.wantValue(t, "status", `2`)
	link.wantValue(t, "created_at updated_at", times)
	ben.get(t, "/links/1/check").wantError(t, 403, "This action is unauthorized.")
	ann.get(t, "/links/2/check").wantError(t, 404, "Not found.")

	ann.patch(t, "/links/1", `{"url":"https://gone.example/","check_disabled":true}`).ok(t)
	ann.get(t, "/links/1/check").wantValue(t, "result next_check_at", `["dead",null]`)
	ann.patch(t, "/links/1", `{"url":"https://new.example/"}`).ok(t)
	ann.get(t, "/links/1/check").wantValue(t, "result new_url dead_days checks", `[null,null,0,[]]`)
	ann.get(t, "/search/links?check=dead").wantValue(t, "total", "0")
}

// TestOwnersActOnTheChecksOfTheirLinks confirms a page that checks have not found, and accepts the
// new URL of another.
func TestOwnersActOnTheChecksOfTheirLinks(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://gone.example/","visibility":1}`)
	const day = 24 * 3600 * 1e6
	for at := range waymark.Time(3) {
		s.checked(t, "1", waymark.LastCheck{Check: waymark.Check{At: 1e15 + at*day, Result: waymark.CheckDead, Code: 404}, Reason: "status"})
	}
	ann.get(t, "/links/1").wantValue(t, "status", `3`)
	ben.post(t, "/links/1/confirm", "").wantError(t, 403, "This action is unauthorized.")
	ann.post(t, "/links/1/confirm", "").ok(t).wantValue(t, "result dead_days", `["dead",0]`)
	ann.get(t, "/links/1").wantValue(t, "status", `1`)
	ann.post(t, "/links/1/accept-new-url", "").wantError(t, 409, "No new URL of this link is known.")

	ann.link(t, `{"url":"https://old.example/","title":"Old","visibility":1}`)
	s.move(t, "2", "https://new.example/")
	ben.post(t, "/links/2/accept-new-url", "").wantError(t, 403, "This action is unauthorized.")
	ann.post(t, "/links/2/accept-new-url", "").ok(t).wantValue(t, "url title status", `["https://new.example/","Old",1]`)
	ann.get(t, "/links/2/check").wantValue(t, "result", `null`)
	s.move(t, "2", "https://newest.example/")
	token := ann.post(t, "/links/2/accept-new-url", "").ok(t).header.Get("Undo-Token")
	ben.post(t, "/undo/"+token, "").wantError(t, 404, "Not found.")
	ann.post(t, "/undo/"+token, "").ok(t).wantValue(t, "skipped", `0`)
	ann.get(t, "/links/2").wantValue(t, "url", `"https://new.example/"`)
	ann.get(t, "/links/2/check").wantValue(t, "result new_url", `["moved","https://newest.example/"]`)
	ann.post(t, "/undo/"+token, "").wantError(t, 404, "Not found.")

	ann.link(t, `{"url":"https://old.example/"}`)
	s.move(t, "3", "https://new.example/")
	ann.post(t, "/links/3/accept-new-url", "").wantError(t, 422, "The url has already been taken.")
	ann.post(t, "/links/9/accept-new-url", "").wantError(t, 404, "Not found.")
	ann.post(t, "/links/9/confirm", "").wantError(t, 404, "Not found.")
}

// TestTheNextCheckIsNotBeforeTheHostMayBeRequested has a host that has asked for a pause, with the response
// for another link.
func TestTheNextCheckIsNotBeforeTheHostMayBeRequested(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://busy.example/page"}`)
	ann.get(t, "/links/1/check").wantValue(t, "next_check_at", `null`)
	s.checked(t, "1", waymark.LastCheck{Check: waymark.Check{At: 1002e12, Result: waymark.CheckDead, Code: 404}, Reason: "status"})
	for _, host := range []struct {
		name  string
		until waymark.Time
		next  string
	}{
		{"other.example", 2000e12, "2001-10-03T05:20:00.000000Z"},
		{"busy.example", 1001e12, "2001-10-03T05:20:00.000000Z"},
		{"busy.example", 1003e12, "2001-10-13T19:06:40.000000Z"},
	} {
		check(t, s.store.Queue.HoldHost(t.Context(), host.name, host.until))
		ann.get(t, "/links/1/check").wantValue(t, "next_check_at", `"`+host.next+`"`)
	}
}

func TestALinkIsCheckedNow(t *testing.T) {
	s := newTestServer(t)
	page := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page.Close)
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	client := fetch.New(fetch.Options{Allow: local, Timeout: 10 * time.Second, Bytes: 1 << 20, HeaderBytes: 1 << 16, Ratio: 100})
	*s.crawler = *crawl.New(s.store, crawl.Options{Client: client, Checks: true, Parallel: 1, Timeout: 10 * time.Second, CheckWait: 10 * time.Second})
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"`+page.URL+`","visibility":1}`)
	ben.post(t, "/links/1/check", "").wantError(t, 403, "This action is unauthorized.")
	ann.post(t, "/links/1/check", "").ok(t).wantValue(t, "result code dead_days checks.*.result", `["dead",404,1,["dead"]]`)

	ann.patch(t, "/links/1", `{"url":"`+page.URL+`","check_disabled":true}`).ok(t)
	ann.post(t, "/links/1/check", "").wantError(t, 409, "This link is not checked: its check_disabled is set.")
	ann.post(t, "/bulk/check", `{"models":[1]}`).ok(t).wantValue(t, "1", `false`)
	ann.post(t, "/links/9/check", "").wantError(t, 404, "Not found.")

	ann.patch(t, "/links/1", `{"url":"`+page.URL+`","check_disabled":false}`).ok(t)
	ann.patch(t, "/settings", `{"check":false}`).ok(t)
	ann.post(t, "/links/1/check", "").wantError(t, 409, "You have turned off that links are checked.")
	ann.post(t, "/bulk/check", `{"models":[1]}`).wantError(t, 409, "You have turned off that links are checked.")

	*s.crawler = *crawl.New(s.store, crawl.Options{})
	ann.post(t, "/links/1/check", "").wantError(t, 409, "This server does not check links.")
	ann.post(t, "/bulk/check", `{"models":[1]}`).wantError(t, 409, "This server does not check links.")
	ann.post(t, "/bulk/fetch", `{"models":[1]}`).wantError(t, 409, "This server does not fetch pages.")
}

func TestManyLinksAreFetchedAndCheckedInTheBackground(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://a.example/","visibility":1}`)
	ann.link(t, `{"url":"https://b.example/"}`)
	ann.link(t, `{"url":"https://c.example/"}`)
	ben.link(t, `{"url":"https://d.example/","visibility":1}`)
	ann.delete(t, "/links/3", "").ok(t)
	for _, action := range []string{"fetch", "check"} {
		ann.post(t, "/bulk/"+action, `{"models":[2,1,3,4,9]}`).ok(t).wantValue(t, "1 2 3 4 9", `[true,true,false,false,false]`)
		ann.post(t, "/bulk/"+action, `{"models":["x"]}`).wantError(t, 422, "The models must be numbers: \"x\" is none.")
		ann.post(t, "/bulk/"+action, `{}`).wantError(t, 422, "The models field is required.")
	}
	checks, err := s.store.Queue.CheckQueue(t.Context())
	check(t, err)
	pages, err := s.store.Queue.PageQueue(t.Context())
	check(t, err)
	if checks.Due != 2 || pages.Waiting != 2 {
		t.Errorf("got %d due checks and %d waiting pages, want 2 of both", checks.Due, pages.Waiting)
	}
}
