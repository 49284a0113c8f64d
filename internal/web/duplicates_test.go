package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestDuplicatesAreShownAndMerged(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		if got := ada.get(duplicatesPath).text("main h2"); got != "Nothing is saved twice." {
			t.Errorf("without links: got %q", got)
		}
		first := ada.addLink(waymark.LinkInput{URL: "http://a.example", Title: new("A"), Description: new("one")})
		second := ada.addLink(waymark.LinkInput{URL: "https://a.example/", Title: new("A"), Description: new("another")})
		weak := ada.addLink(waymark.LinkInput{URL: "https://a.example/#part", Title: new("Part")})
		other := ada.addLink(waymark.LinkInput{URL: "http://b.example", Title: new("B")})
		ada.addLink(waymark.LinkInput{URL: "https://b.example", Title: new("B")})
		p := ada.get(duplicatesPath)
		if got := p.text("h1"); got != "Saved twice 3" {
			t.Errorf("got %q, want two groups and a weak one", got)
		}
		p.wantText("mark", "httphttps/")    // what the other URL does not have
		p.wantCount(".compare tbody tr", 6) // none for lists, tags and notes, which the links do not have
		if got := ada.get(linkPath(first.ID)).text("main"); !strings.Contains(got, "You have this once more.") {
			t.Error("the page of the link does not say that there is another one")
		}
		if got := p.text(".together"); !strings.HasPrefix(got, "Together a description becomes a note, saved ") {
			t.Errorf("got %q", got)
		}
		answer := func(b *browser, answer string, keep waymark.LinkID, links ...waymark.LinkID) response {
			fields := []string{"answer", answer, "keep", fmt.Sprint(keep), "url", "https://a.example/"}
			for _, id := range links {
				fields = append(fields, "links", fmt.Sprint(id))
			}
			return b.post(duplicatesPath, fields...)
		}
		if got := answer(ben, "merge", first.ID, first.ID, second.ID); got.status != http.StatusNotFound {
			t.Errorf("as another person: got %d, want 404", got.status)
		}
		if got := answer(ben, "apart", first.ID, first.ID, second.ID); !strings.Contains(ben.follow(got).text(".toast"), "changed meanwhile") {
			t.Errorf("as another person: got %s", ben.follow(got).text(".toast"))
		}
		ada.follow(answer(ada, "merge", first.ID, first.ID, second.ID)).wantText(".toast", "2 links are one now. Undoz")
		merged, err := s.store.Link(t.Context(), ada.user.ID, first.ID)
		if check(t, err); merged.URL != "https://a.example/" || merged.Description != "one" {
			t.Errorf("got %+v", merged)
		}
		ada.follow(answer(ada, "merge", second.ID, first.ID, second.ID)).wantText(".toast", "These links have changed meanwhile.")
		if got := ada.get(duplicatesPath + "/exact").text(".previewed"); !strings.Contains(got, "http://b.example") || strings.Contains(got, "a.example") {
			t.Errorf("the preview has %q", got)
		}
		ada.follow(ada.post(duplicatesPath+"/exact")).wantText(".toast", "1 link went to the trash. Undoz")
		if _, err := s.store.Link(t.Context(), ada.user.ID, other.ID); err != nil {
			t.Error(err)
		}
		p = ada.get(duplicatesPath)
		p.wantCount(".about-label", 1)
		p.wantCount("thead input", 2)
		ada.follow(answer(ada, "apart", first.ID, first.ID, weak.ID)).wantText("main h2", "Nothing is saved twice.")
	})
}

func TestDifferingPartsOfTexts(t *testing.T) {
	for _, test := range [][3]string{
		{"http://a", "https://a", "[http]://a"},
		{"https://www.a/", "http://a", "[https]://[www][.]a[/]"},
		{"https://a.b/c/", "https://a.b/c", "https://a.b/c[/]"},
		{"", "a", ""},
		{"ä", "", "[ä]"},
	} {
		var got strings.Builder
		for _, part := range differingParts(test[0], test[1]) {
			if part.Mark {
				part.Text = "[" + part.Text + "]"
			}
			got.WriteString(part.Text)
		}
		if got.String() != test[2] {
			t.Errorf("%s and %s: got %s, want %s", test[0], test[1], got.String(), test[2])
		}
	}
}
