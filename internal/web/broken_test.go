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
			err = s.store.Queue.AddCheck(t.Context(), claimed, result)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func result(v waymark.CheckResult) waymark.LastCheck {
	return waymark.LastCheck{Check: waymark.Check{Result: v}}
}

// The word for a result is the same in the row, in the chip and menu of the filter, and on the page of
// the link.
func TestOneWordNamesTheResultOfTheLastCheck(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		for i, v := range []waymark.CheckResult{waymark.CheckNone, waymark.CheckOK, waymark.CheckMoved, waymark.CheckDead, waymark.CheckBlocked, waymark.CheckUnsure} {
			link := ada.addLink(waymark.LinkInput{URL: fmt.Sprintf("https://%d.example/", i), Title: new(v.String() + " page")})
			if v != waymark.CheckNone {
				s.checked(t, link.ID, time.Now(), result(v))
			}
		}
		for _, test := range []struct{ query, name, mark string }{
			{"check=ok", "ok", ""}, {"check=moved", "moved", "Moved"}, {"check=dead", "dead", "Dead"},
			{"check=blocked", "blocked", "Blocked"}, {"check=unsure", "unsure", "Unsure"},
			{"query=IS:dead", "dead", "Dead"}, {"query=is:ok", "ok", ""},
		} {
			query := test.query
			p := ada.get("/links?" + query)
			if got := p.text(".link .title"); got != test.name+" page" {
				t.Errorf("%s: got %q", query, got)
			}
			if got := p.text(".link .aside > span"); got != test.mark {
				t.Errorf("%s: got the mark %q, want %q", query, got, test.mark)
			}
			word := cmp.Or(test.mark, "OK")
			if got := p.text(".chip"); got != word {
				t.Errorf("%s: got the chips %q, want %q", query, got, word)
			}
			if got := p.text("#filter [aria-current]"); !strings.HasPrefix(query, "query=") && test.mark != "" && got != word {
				t.Errorf("%s: the menu has %q, want %q", query, got, word)
			}
			checks := ada.get(strings.TrimPrefix(p.attr(".link .aside a", "href"), s.URL)).text("dd:has(.checks) ~ dd.muted")
			if !strings.HasPrefix(checks, word+": ") {
				t.Errorf("%s: the page of the link has %q, want %q first", query, checks, word)
			}
		}
		if n := ada.get("/links?check=ill").Find(".link").Length(); n != 6 {
			t.Errorf("a result that does not exist: got %d links, want all 6", n)
		}
	})
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
		if got := p.text(".link .title"); got != "page 1page 0" {
			t.Errorf("got %q, want the broken links, the last one first", got)
		}
		if got := p.text(`.side a[href="/links/broken"] .n`); got != "2" {
			t.Errorf("the sidebar has the number %q, want 2", got)
		}
		if n := bob.get("/links").Find(`.side a[href="/links/broken"], .side a[href="/links/moved"]`).Length(); n != 0 {
			t.Errorf("the sidebar of a user without such links leads to %d pages with them", n)
		}
		if n := p.Find(".bulk .all").Length(); n != 0 {
			t.Error("the page offers to change all links of a query, and has no query")
		}
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
			return fmt.Sprintf("%s %+v", ada.get(linkPath(last)).text("main .url"), checks)
		}
		p, before := ada.get("/links/moved").wantStatus(http.StatusOK), state()
		if got := p.text("tbody td:first-child") + ", " + p.text(`.side a[href="/links/moved"] .n`); got != "many.example one.example, 4" {
			t.Errorf("got the hosts and the number in the sidebar %q", got)
		}
		hosts := p.text("main")
		p = ada.follow(ada.post("/links/moved", "host", "many.example"))
		if got, want := p.text("#toasts .toast span"), "2 links have their new URLs. 1 stays as it is, because you have a link with its new URL."; got != want {
			t.Errorf("got the message %q, want %q", got, want)
		}
		if got := ada.get(linkPath(last)).text(".sheet > div > .url"); got != "https://many.example/2" {
			t.Errorf("got the URL %q", got)
		}
		p = ada.follow(ada.post(p.attr("#toasts form", "action"), "back", p.attr("#toasts [name=back]", "value")))
		if got := p.text("main"); got != hosts {
			t.Errorf("after undo: got the page %q, want %q", got, hosts)
		}
		if got := state(); got != before {
			t.Errorf("after undo: got %s, want %s", got, before)
		}
	})
}
