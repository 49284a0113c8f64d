package web

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

var update = flag.Bool("update", false, "write the golden files")

// changing matches the parts of a row that are not the same in each run: times.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]+Z|\d+\.? \pL+ \d{4}, \d\d:\d\d|\d\d:\d\d`)

// The rows and cards of links with every piece that they can have, as a browser reads them.
// Write the file again with: go test ./internal/web -run TestRowsOfLinksHaveAllTheirPieces -update
func TestRowsOfLinksHaveAllTheirPieces(t *testing.T) {
	s := newTestSite(t, storetest.Open(t), config.Default().API)
	ada, bob := s.user(t, "ada"), s.user(t, "bob")
	add := func(b *browser, url, title, description string, visibility waymark.Visibility, status waymark.Status, names ...string) {
		var refs []waymark.Ref
		for _, name := range names {
			refs = append(refs, waymark.Ref{Name: name})
		}
		b.addLink(waymark.LinkInput{
			URL: url, Title: &title, Description: &description, Lists: &refs, Tags: &refs, Status: &status,
			VisibilityInput: waymark.VisibilityInput{Visibility: &visibility},
		})
	}
	add(ada, "https://example.org/a?b=c&d='+'#e", "Tom & Jerry's <b>", "“Quoted” \"text\" & 1 < 2", waymark.Private, waymark.StatusOK, "R&D", "<i>")
	add(ada, "https://www.github.com/ada/engine/issues", "Engine", "", waymark.Public, waymark.StatusMoved, strings.Split("abcdefghij", "")...)
	add(ada, "file:///etc/passwd", "A file", "the the", waymark.Internal, waymark.StatusBroken)
	add(bob, "https://example.org/ünï%20code", "אבג the ÜBER", "von bob", waymark.Public, waymark.StatusOK, "x")

	var b strings.Builder
	for _, request := range [][]string{
		{"/links?order=title"}, {"/links?order=title&view=compact"}, {"/links?order=title&view=cards"}, {"/links?query=the&order=title"}, {"/links?order=title&view=cards", "Accept-Language", "de"},
	} {
		html, err := ada.get(request[0], request[1:]...).wantStatus(200).Find("form.listing").Html()
		if err != nil {
			t.Fatal(err)
		}
		html, _, _ = strings.Cut(html, `<div class="bulk"`)
		b.WriteString(strings.Join(request, " ") + "\n" + changing.ReplaceAllString(html, "…") + "\n\n")
	}
	got, file := b.String(), filepath.Join("testdata", "link-rows.html")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant the content of %s\n%s", got, file, want)
	}
}

func TestLinksOfOtherUsersHaveTheirNames(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, eve := s.user(t, "ada"), s.user(t, "eve+co")
		visibility := waymark.Internal
		internal := waymark.VisibilityInput{Visibility: &visibility}
		eve.addLink(waymark.LinkInput{URL: "https://example.org/eve", VisibilityInput: internal})
		ada.addLink(waymark.LinkInput{URL: "https://example.org/ada", VisibilityInput: internal})
		for _, view := range []string{"", "compact", "cards"} {
			p := ada.get("/links?view=" + view).wantStatus(http.StatusOK)
			if got, want := p.text(".filed"), "eve+co"; got != want {
				t.Errorf("view %q: got the owners %q, want %q", view, got, want)
			}
			if got := ada.get(p.attr(".filed a", "href")).wantStatus(http.StatusOK).Find(".listing h3").Length(); got != 1 {
				t.Errorf("view %q: the name leads to %d links, want 1", view, got)
			}
		}
	})
}

func TestRowsShowTheFirstListsAndTags(t *testing.T) {
	for _, test := range []struct{ lists, tags, names, wantLists, wantTags, wantMore int }{
		{0, 0, 4, 0, 0, 0},
		{2, 2, 4, 2, 2, 0},
		{2, 3, 4, 2, 3, 0},
		{5, 0, 4, 5, 0, 0},
		{8, 0, 4, 4, 0, 4},
		{1, 8, 4, 1, 3, 5},
		{8, 1, 4, 3, 1, 5},
		{8, 8, 4, 2, 2, 12},
		{8, 8, 3, 2, 1, 13},
	} {
		l := linkView{Lists: make([]nameView, test.lists), Tags: make([]nameView, test.tags)}.first(test.names)
		if len(l.Lists) != test.wantLists || len(l.Tags) != test.wantTags || l.More != test.wantMore {
			t.Errorf("%d lists, %d tags, %d names: got %d lists, %d tags and %d more, want %d, %d and %d",
				test.lists, test.tags, test.names, len(l.Lists), len(l.Tags), l.More, test.wantLists, test.wantTags, test.wantMore)
		}
	}
}
