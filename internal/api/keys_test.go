package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"waymark/internal/rest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// TestAccessLevels calls every operation with a key of each access level.
func TestAccessLevels(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://go.dev/","lists":"a","tags":"a"}`)
	ann.note(t, `{"link_id":1,"note":"a"}`)
	read := s.addKey(t, "ann", "reader", waymark.AccessRead, 0)
	add := s.addKey(t, "ann", "adder", waymark.AccessAdd, 0)
	bodies := map[string]string{
		"POST /links": `{"url":"https://%.example"}`, "POST /lists": `{"name":"%"}`, "POST /tags": `{"name":"%"}`, "POST /notes": `{"link_id":1,"note":"%"}`,
		"POST /bulk/links": `{"models":[{"url":"https://%.example"}]}`, "POST /bulk/lists": `{"models":[{"name":"%"}]}`, "POST /bulk/tags": `{"models":[{"name":"%"}]}`,
		"POST /saved-searches": `{"name":"%","query":"a"}`, "POST /links/{id}/passages": `{"exact":"%"}`,
	}
	ann.post(t, "/imports", "https://imported.example/").ok(t)
	s.saveSnapshot(t, ann, "1", "<p>Saved</p>")
	before := map[string]string{}
	unchanged := []string{"/links/1", "/lists/1", "/tags/1", "/trash/links"}
	for _, path := range unchanged {
		before[path] = ann.get(t, path).ok(t).body
	}
	for _, r := range routes {
		path := strings.ReplaceAll(r.Path, "{id}", "1")
		call := func(p *testClient) response {
			return p.call(t, r.Method, path, strings.ReplaceAll(bodies[r.Method+" "+r.Path], "%", s.uniqueName()))
		}
		reads, adds := r.Method == http.MethodGet, r.Method == http.MethodPost && r.Access != rest.Full
		for _, test := range []struct {
			who       *testClient
			permitted bool
		}{
			{read, reads}, {add, adds || r.Path == "/version"},
		} {
			got := call(test.who)
			switch {
			case !test.permitted:
				got.wantError(t, 403, "This action is unauthorized.")
			case r.Path == "/search/links", r.Path == "/export":
				got.wantStatus(t, 422) // permitted, but without search criteria, or a format
			case r.Path == "/links/full-snapshot":
				got.wantStatus(t, 400) // permitted, but without a form
			default:
				got.ok(t)
			}
		}
	}
	read.call(t, "HEAD", "/links", "").ok(t)
	add.call(t, "HEAD", "/links", "").wantStatus(t, 403)
	for _, path := range unchanged {
		if got := ann.get(t, path).body; got != before[path] {
			t.Errorf("%s: got %s, want %s", path, got, before[path])
		}
	}
	// A key without read access must not reveal which entities exist.
	add.patch(t, "/links/99", `{}`).wantError(t, 403, "This action is unauthorized.")
}

func TestKeysStopWhenExpiredRevokedOrUserDisabled(t *testing.T) {
	now := waymark.FromTime(time.Now())
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, db *store.Store) {
		s := testServerOn(t, v2, db)
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		phone := s.addKey(t, "ann", "phone", waymark.AccessFull, now.Add(time.Hour))
		laptop := s.addKey(t, "ann", "laptop", waymark.AccessFull, 0)
		phone.link(t, `{"url":"https://go.dev/"}`)
		for _, key := range []*testClient{ann, phone, laptop} {
			key.get(t, "/links").wantValue(t, "total", "1")
		}
		ben.get(t, "/links").wantValue(t, "total", "0")

		now = now.Add(time.Hour - time.Microsecond)
		phone.get(t, "/links").ok(t)
		now = now.Add(time.Microsecond)
		phone.get(t, "/links").wantError(t, 401, "Unauthenticated.")
		laptop.get(t, "/links").ok(t)

		check(t, s.accounts.RevokeAPIKey(t.Context(), "ann", "laptop"))
		laptop.get(t, "/links").wantError(t, 401, "Unauthenticated.")
		ann.get(t, "/links").ok(t)

		if _, err := s.accounts.AddAdmin(t.Context(), "root", ""); err != nil {
			t.Fatal(err)
		}
		for _, disabled := range []bool{true, false} {
			check(t, s.accounts.SetUserDisabled(t.Context(), "ann", disabled))
			if disabled {
				ann.get(t, "/links").wantError(t, 401, "Unauthenticated.")
				ann.post(t, "/links", `{"url":"https://two.example"}`).wantError(t, 401, "Unauthenticated.")
			}
		}
		ann.get(t, "/links").wantValue(t, "total", "1")
		laptop.get(t, "/links").wantError(t, 401, "Unauthenticated.")

		check(t, s.accounts.RemoveUser(t.Context(), "ann", ""))
		ann.get(t, "/links").wantError(t, 401, "Unauthenticated.")
		again := s.addUser(t, "ann")
		ann.get(t, "/links").wantError(t, 401, "Unauthenticated.")
		again.get(t, "/links").wantValue(t, "total", "0")
		ben.get(t, "/links").ok(t)
	})
}
