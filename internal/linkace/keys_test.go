package linkace

import (
	"strings"
	"testing"
	"time"

	"waymark/internal/waymark"
)

// TestKeysDoWhatTheirAccessPermits calls every operation with a key of each level.
func TestKeysDoWhatTheirAccessPermits(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"a","tags":"a"}`)
		ann.note(t, `{"link_id":1,"note":"a"}`)
		read := s.keyOf(t, "ann", "reader", waymark.AccessRead, 0)
		add := s.keyOf(t, "ann", "adder", waymark.AccessAdd, 0)
		bodies := map[string]string{
			"POST /links": `{"url":"https://%.example"}`, "POST /lists": `{"name":"%"}`, "POST /tags": `{"name":"%"}`, "POST /notes": `{"link_id":1,"note":"%"}`,
			"POST /bulk/links": `{"models":[{"url":"https://%.example"}]}`, "POST /bulk/lists": `{"models":[{"name":"%"}]}`, "POST /bulk/tags": `{"models":[{"name":"%"}]}`,
		}
		before := map[string]string{}
		unchanged := []string{"/links/1", "/lists/1", "/tags/1", "/trash/links"}
		for _, path := range unchanged {
			before[path] = ann.get(t, path).ok(t).body
		}
		for _, r := range routes {
			path := strings.ReplaceAll(r.path, "{id}", "1")
			call := func(p *person) reply {
				return p.call(t, r.method, path, strings.ReplaceAll(bodies[r.method+" "+r.path], "%", s.next()))
			}
			looks, adds := r.method == "GET", r.method == "POST"
			for _, test := range []struct {
				who       *person
				permitted bool
			}{
				{read, looks}, {add, adds || r.path == "/version"},
			} {
				got := call(test.who)
				switch {
				case !test.permitted:
					got.refuses(t, 403, "This action is unauthorized.")
				case r.path == "/search/links":
					got.is(t, 422) // it was let in, and asked for nothing
				default:
					got.ok(t)
				}
			}
		}
		read.call(t, "HEAD", "/links", "").ok(t)
		add.call(t, "HEAD", "/links", "").is(t, 403)
		for _, path := range unchanged {
			if got := ann.get(t, path).body; got != before[path] {
				t.Errorf("%s: got %s, want %s", path, got, before[path])
			}
		}
		// What exists is not told to a key that may not look.
		add.patch(t, "/links/99", `{}`).refuses(t, 403, "This action is unauthorized.")
	})
}

func TestSeveralKeysWorkAtOnceUntilEachEnds(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann, ben := s.person(t, "ann"), s.person(t, "ben")
		now := waymark.FromTime(time.Now())
		s.service.Now = func() waymark.Time { return now }
		phone := s.keyOf(t, "ann", "phone", waymark.AccessFull, now.Add(time.Hour))
		laptop := s.keyOf(t, "ann", "laptop", waymark.AccessFull, 0)
		phone.link(t, `{"url":"https://go.dev/"}`)
		for _, key := range []*person{ann, phone, laptop} {
			key.get(t, "/links").has(t, "total", "1")
		}
		ben.get(t, "/links").has(t, "total", "0")

		now = now.Add(time.Hour - time.Microsecond)
		phone.get(t, "/links").ok(t)
		now = now.Add(time.Microsecond)
		phone.get(t, "/links").refuses(t, 401, "Unauthenticated.")
		laptop.get(t, "/links").ok(t)

		if err := s.service.RevokeAPIKey(t.Context(), "ann", "laptop"); err != nil {
			t.Fatal(err)
		}
		laptop.get(t, "/links").refuses(t, 401, "Unauthenticated.")
		ann.get(t, "/links").ok(t)

		for _, disabled := range []bool{true, false} {
			if err := s.service.DisableUser(t.Context(), "ann", disabled); err != nil {
				t.Fatal(err)
			}
			if disabled {
				ann.get(t, "/links").refuses(t, 401, "Unauthenticated.")
				ann.post(t, "/links", `{"url":"https://two.example"}`).refuses(t, 401, "Unauthenticated.")
			}
		}
		ann.get(t, "/links").has(t, "total", "1")
		laptop.get(t, "/links").refuses(t, 401, "Unauthenticated.")

		if err := s.service.RemoveUser(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		ann.get(t, "/links").refuses(t, 401, "Unauthenticated.")
		again := s.person(t, "ann")
		ann.get(t, "/links").refuses(t, 401, "Unauthenticated.")
		again.get(t, "/links").has(t, "total", "0")
		ben.get(t, "/links").ok(t)
	})
}
