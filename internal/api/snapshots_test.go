package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// saveSnapshot saves a snapshot of an owner's link.
func (s *testServer) saveSnapshot(t *testing.T, owner *testClient, id, html string) {
	t.Helper()
	number, err := strconv.Atoi(id)
	check(t, err)
	user, err := s.store.Accounts.UserByName(t.Context(), owner.name)
	check(t, err)
	link, err := s.store.Link(t.Context(), user.ID, waymark.LinkID(number))
	check(t, err)
	claimed := queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
	saved := waymark.TextSnapshot{FetchedAt: 1e15, URL: "https://bread.example/new", Title: "Bread", Language: "en"}
	check(t, s.store.Snapshots.SaveText(t.Context(), claimed, saved, html, 1<<20))
}

func TestTheSnapshotOfAPageIsReadAndDeleted(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://bread.example/","visibility":2}`)
	ann.link(t, `{"url":"https://secret.example/","visibility":3}`)
	ann.get(t, "/links/1/snapshot").wantError(t, 404, "Not found.")
	s.saveSnapshot(t, ann, "1", "<p>Flour &amp; water</p>")
	s.saveSnapshot(t, ann, "2", "<p>Flour &amp; water</p>")
	for _, client := range []*testClient{ann, ben} {
		client.get(t, "/links/1/snapshot").ok(t).
			wantValue(t, "link_id fetched_at url title byline language direction size format content",
				`[1,"2001-09-09T01:46:40.000000Z","https://bread.example/new","Bread",null,"en",null,24,"html","<p>Flour &amp; water</p>"]`)
		client.get(t, "/links/1/snapshot?format=text").wantValue(t, "format content", `["text","Flour & water"]`)
	}
	if got := ann.get(t, "/links/1/snapshot.epub").ok(t); !strings.HasPrefix(got.body, "PK") {
		t.Errorf("got %.20q, want a book", got.body)
	}
	ben.get(t, "/links/2/snapshot.epub").wantError(t, 403, "This action is unauthorized.")
	ann.get(t, "/links/3/snapshot.epub").wantError(t, 404, "Not found.")
	ann.get(t, "/links/1/snapshot?format=pdf").wantFieldErrors(t, "format: The format must be html or text.")
	ben.get(t, "/links/2/snapshot").wantError(t, 403, "This action is unauthorized.")
	ben.delete(t, "/links/1/snapshot", "").wantError(t, 403, "This action is unauthorized.")
	ann.get(t, "/links/1/snapshot-choice").wantValue(t, "snapshots has_snapshot", `[null,true]`)
	ben.get(t, "/links/1/snapshot-choice").wantError(t, 403, "This action is unauthorized.")
	ben.patch(t, "/links/1/snapshot-choice", `{"snapshots":"off"}`).wantError(t, 403, "This action is unauthorized.")
	ann.patch(t, "/links/1/snapshot-choice", `{"snapshots":"some"}`).wantFieldErrors(t, "snapshots: The selected snapshots is invalid.")
	ann.patch(t, "/links/1/snapshot-choice", `{}`).wantFieldErrors(t, "snapshots: The snapshots field is required.")
	ann.patch(t, "/links/1/snapshot-choice", `{"snapshots":"off"}`).ok(t).wantValue(t, "snapshots has_snapshot", `["off",true]`)
	ann.delete(t, "/links/1/snapshot", "").ok(t)
	ann.delete(t, "/links/1/snapshot", "").wantError(t, 404, "Not found.")
	ann.get(t, "/links/1/snapshot").wantError(t, 404, "Not found.")
	ann.get(t, "/links/1/snapshot-choice").wantValue(t, "snapshots has_snapshot", `["off",false]`)
	ann.get(t, "/links/2/snapshot").ok(t)
	ann.patch(t, "/links/9/snapshot-choice", `{"snapshots":"off"}`).wantError(t, 404, "Not found.")
}

func TestMovedLinksOfAHostAreAccepted(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	for _, path := range []string{"a", "b", "c"} {
		ann.link(t, `{"url":"http://old.example/`+path+`","visibility":1}`)
	}
	ann.link(t, `{"url":"https://old.example/c"}`)
	ann.link(t, `{"url":"http://other.example/"}`)
	s.move(t, "1", "https://old.example/a")
	s.move(t, "2", "https://old.example/b")
	s.move(t, "3", "https://old.example/c")
	s.move(t, "5", "https://other.example/")
	ann.get(t, "/moved-hosts").ok(t).wantValue(t, "*.host *.links 0.example", `[["old.example","other.example"],[3,1],{"new_url":"https://old.example/a","url":"http://old.example/a"}]`)
	ben.get(t, "/moved-hosts").wantValue(t, "*.host", `[]`)
	ben.post(t, "/moved-hosts/accept", `{"host":"old.example"}`).ok(t).wantValue(t, "changed kept", `[0,0]`)
	ann.post(t, "/moved-hosts/accept", `{}`).wantFieldErrors(t, "host: The host field is required.")
	ann.post(t, "/moved-hosts/accept", `{"host":7}`).wantError(t, http.StatusUnprocessableEntity, "The host must be a string.")
	accepted := ann.post(t, "/moved-hosts/accept", `{"host":"old.example"}`).ok(t)
	accepted.wantValue(t, "changed kept", `[2,1]`)
	ann.post(t, "/undo/"+accepted.header.Get("Undo-Token"), "").ok(t).wantValue(t, "skipped", `0`)
	ann.get(t, "/moved-hosts").wantValue(t, "*.host *.links", `[["old.example","other.example"],[3,1]]`)
	ann.post(t, "/moved-hosts/accept", `{"host":"old.example"}`).ok(t).wantValue(t, "changed kept", `[2,1]`)
	ann.get(t, "/links/2").wantValue(t, "url", `"https://old.example/b"`)
	ann.get(t, "/links/3").wantValue(t, "url", `"http://old.example/c"`)
	ann.get(t, "/moved-hosts").wantValue(t, "*.host *.links", `[["old.example","other.example"],[1,1]]`)
}
