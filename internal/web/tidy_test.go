package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"waymark/internal/crawl"
	"waymark/internal/waymark"
)

func TestTidyShowsHeapsThatAreNotEmpty(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		if got := ada.get("/tidy").text("main h2"); got != "Nothing to tidy." {
			t.Errorf("without links: got %q", got)
		}
		old := waymark.FromTime(time.Now().AddDate(-3, 0, 0))
		filed := &[]waymark.Ref{{Name: "list"}}
		add := func(b *browser, url string, in waymark.LinkInput) waymark.Link {
			in.URL, in.Title = url, new(url)
			return b.addLink(in)
		}
		add(ada, "https://waiting.example/", waymark.LinkInput{CreatedAt: &old, Lists: filed, FlagsInput: waymark.FlagsInput{Unread: new(true)}})
		add(ada, "https://archived.example/", waymark.LinkInput{CreatedAt: &old, FlagsInput: waymark.FlagsInput{Unread: new(true), Archived: new(true)}})
		seen := add(ada, "https://seen.example/", waymark.LinkInput{CreatedAt: &old, Lists: filed})
		_, err := s.store.MarkSeen(t.Context(), ada.user, seen.ID)
		check(t, err)
		add(ada, "https://unfiled.example/", waymark.LinkInput{})
		add(ben, "https://ben.example/", waymark.LinkInput{CreatedAt: &old, VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Public)}})
		moved := add(ada, "https://moved.example/", waymark.LinkInput{Lists: filed})
		broken := add(ada, "https://broken.example/", waymark.LinkInput{Lists: filed})
		s.checked(t, moved.ID, time.Now(), waymark.LastCheck{Check: waymark.Check{Result: waymark.CheckMoved}, NewURL: "https://new.example/"})
		s.checked(t, broken.ID, time.Now().AddDate(0, 0, -3), result(waymark.CheckDead), result(waymark.CheckDead), result(waymark.CheckDead))
		_, err = s.service.AddList(t.Context(), ada.user, waymark.ListInput{Name: "nothing"})
		check(t, err)
		p := ada.get("/tidy")
		for i, want := range []string{
			"Waiting to be read 1|waiting.example", "Broken 1|broken.example", "Moved 1|moved.example", "Long not seen 1|waiting.example",
			"Without list or tag 1|unfiled.example", "Empty lists 1|nothing",
		} {
			name, member, _ := strings.Cut(want, "|")
			if got := p.Find(".heap").Eq(i).Text(); !strings.Contains(got, name) || !strings.Contains(got, member) {
				t.Errorf("heap %d: got %q, want %s", i, got, want)
			}
		}
		p.wantCount(".heap", 6)
		p.wantText(".health li", "") // this server checks no links

		s.checked(t, seen.ID, time.Now(), result(waymark.CheckOK))
		s.crawl(crawl.Options{Checks: true})
		health := ada.get("/tidy")
		parts := health.Find(".health li").Map(func(_ int, part *goquery.Selection) string { return strings.TrimSpace(part.Text()) })
		if want := "1 there, 1 moved, 1 broken, 3 not checked yet"; strings.Join(parts, ", ") != want {
			t.Errorf("got %q, want %s", parts, want)
		}
		if got := health.Find(".health > svg rect").Map(attrOf("width")); fmt.Sprint(got) != "[164 164 164 498]" {
			t.Errorf("got parts of the widths %s, want them by the numbers of links, with gaps of 2", got)
		}
		if got := health.Find(".health li a").Map(attrOf("href")); fmt.Sprint(got) != "[/links/moved "+brokenPath+"]" {
			t.Errorf("got the paths %q", got)
		}
		ben.get("/tidy").wantText(".health li", "1 not checked yet")
		s.user(t, "new").get("/tidy").wantCount(".health", 0)
	})
}
