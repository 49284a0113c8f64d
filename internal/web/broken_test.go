package web

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"waymark/internal/waymark"
)

// checked records checks of a link, a day apart.
func (s *testSite) checked(t *testing.T, id waymark.LinkID, at time.Time, results ...waymark.LastCheck) {
	t.Helper()
	for i, result := range results {
		result.At = waymark.FromTime(at.AddDate(0, 0, i))
		claimed, err := s.store.Queue.ClaimLinkCheck(t.Context(), id, result.At)
		if err == nil {
			_, err = s.store.Queue.AddCheck(t.Context(), claimed, result)
		}
		check(t, err)
	}
}

func result(v waymark.CheckResult) waymark.LastCheck {
	return waymark.LastCheck{Check: waymark.Check{Result: v}}
}

// The word for a result is the same in the row, in the chip and menu of the filter, and on the page of
// the link.
func TestOneWordNamesTheResultOfTheLastCheck(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i, v := range []waymark.CheckResult{waymark.CheckNone, waymark.CheckOK, waymark.CheckMoved, waymark.CheckDead, waymark.CheckBlocked, waymark.CheckUnsure} {
		link := ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://%d.example/", i), Title: new(v.String() + " page")})
		if v != waymark.CheckNone {
			s.checked(t, link.ID, time.Now(), result(v))
		}
	}
	for _, test := range []struct{ query, name, mark string }{
		{"q=is:ok", "ok", ""}, {"q=is:moved", "moved", "Moved"}, {"q=is:dead", "dead", "Dead"},
		{"q=is:blocked", "blocked", "Blocked"}, {"q=is:unsure", "unsure", "Unsure"},
		{"q=IS:dead", "dead", "Dead"},
	} {
		query := test.query
		p := ada.get("/links?" + query)
		p.wantText(".link .title", test.name+" page")
		p.wantText(".link .aside > span", test.mark)
		word := cmp.Or(test.mark, "OK")
		p.wantText(".chip", word)
		if got := p.text("#filter [aria-current]"); got != word {
			t.Errorf("%s: the menu has %q, want %q", query, got, word)
		}
		checks := ada.get(strings.TrimPrefix(p.attr(".link [data-look]", "href"), s.URL)).text("dd:has(.checks) ~ dd.muted")
		if !strings.HasPrefix(checks, word+": ") {
			t.Errorf("%s: the page of the link has %q, want %q first", query, checks, word)
		}
	}
}

func TestBrokenLinksAreListedTheLastOnesFirst(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		dead := result(waymark.CheckDead)
		now := time.Now().UTC() // in which each day has 24 hours
		for i, history := range [][]waymark.LastCheck{{dead, dead, dead}, {dead, dead, dead, dead}, {dead, dead}, {dead, dead, dead, result(waymark.CheckOK)}} {
			link := ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://%d.example/", i), Title: new(fmt.Sprint("page ", i)), VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Public)}})
			s.checked(t, link.ID, now.AddDate(0, 0, i), history...)
		}
		p := ada.get("/links/broken").wantStatus(http.StatusOK)
		p.wantText(".link .title", "page 1page 0")
		bob.get("/links/broken").wantCount(".link", 0)
		p.wantCount(".bulk .all", 0) // otherwise the page offers to change all links of a query, and has no query
		feed := parseFeed(t, ada.get("/links/broken/feed"))
		var titles []string
		for _, e := range feed.Entries {
			titles = append(titles, e.Title)
		}
		if got := strings.Join(titles, ", "); got != "page 1, page 0" {
			t.Errorf("got the feed %q", got)
		}
		if n := len(parseFeed(t, bob.get("/links/broken/feed")).Entries); n != 0 {
			t.Errorf("another user: got %d entries, want none", n)
		}
	})
}

// The rules are tested with the API.
func TestMovedLinksOfAHostGetTheirNewURLsAtOnce(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		moved := func(url, to string) waymark.LinkID {
			link, found := ada.addLink(waymark.LinkInput{URL: url}), result(waymark.CheckMoved)
			found.NewURL = to
			s.checked(t, link.ID, time.Now(), found)
			return link.ID
		}
		var last waymark.LinkID
		for i := range 3 {
			last = moved(fmt.Sprintf("http://many.example/%d", i), fmt.Sprintf("https://many.example/%d", i))
		}
		ada.addLink(waymark.LinkInput{URL: "https://many.example/0"}) // saved already
		moved("http://one.example/", "https://other.example/")
		state := func() string {
			checks, err := s.store.Queue.LinkChecks(t.Context(), ada.user.ID, last)
			check(t, err)
			return fmt.Sprintf("%s %+v", ada.get(linkPath(last)).attr("#url", "value"), checks)
		}
		p, before := ada.get("/links/moved").wantStatus(http.StatusOK), state()
		if got := p.text("tbody td:first-child") + ", " + ada.get("/tidy").text(".heap:has([href='/links/moved']) h2"); got != "many.example one.example, Moved 4" {
			t.Errorf("got the hosts and the heap %q", got)
		}
		hosts := p.text("main")
		p = ada.follow(ada.post("/links/moved", "host", "many.example"))
		p.wantText("#toasts .toast span", "2 links have their new URLs. 1 stays as it is, because you have a link with its new URL.")
		ada.get(linkPath(last)).wantAttr("#url", "value", "https://many.example/2")
		p = ada.follow(ada.post(p.attr("#toasts form", "action"), "back", p.attr("#toasts [name=back]", "value")))
		p.wantText("main", hosts)
		if got := state(); got != before {
			t.Errorf("after undo: got %s, want %s", got, before)
		}
	})
}
