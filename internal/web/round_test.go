package web

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// archived returns the user's archive.
func (b *browser) archived() string {
	b.t.Helper()
	var file bytes.Buffer
	check(b.t, b.site.transfer.Export(b.t.Context(), b.user, transfer.ExportArchive, &file))
	return file.String()
}

// addOld adds links that were saved three years ago, with tags and lists.
func (b *browser) addOld(n int) (links []waymark.Link) {
	b.t.Helper()
	saved := waymark.FromTime(time.Now().AddDate(-3, 0, 0))
	for i := range n {
		links = append(links, b.addLink(waymark.LinkInput{
			URL: fmt.Sprintf("https://old.example/%d", i), Title: new(fmt.Sprintf("old %d", i)), CreatedAt: &saved,
			FlagsInput: waymark.FlagsInput{Unread: new(i%2 == 0)}, Tags: &[]waymark.Ref{{Name: fmt.Sprint("tag ", i%3)}}, Lists: &[]waymark.Ref{{Name: "list"}},
		}))
	}
	return links
}

// answer sends an answer of the round that a page shows, as a browser without scripts does.
func (b *browser) answer(p response, value string, fields ...string) response {
	b.t.Helper()
	fields = append(fields, "answer", value)
	for _, name := range []string{"q", "seed", "series", "links", "did"} {
		fields = append(fields, name, p.attr("#answer [name="+name+"]", "value"))
	}
	return b.follow(b.post("/tidy/round", fields...))
}

const longNotSeen = "/tidy/round?q=is:mine+-seen:2y+before:2y+-is:archived"

// TestRoundsAndTheirUndoLeaveTheArchiveAsItWas gives random answers in several rounds, undoes some of them alone and the
// rest together.
func TestRoundsAndTheirUndoLeaveTheArchiveAsItWas(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addOld(30)
	before := ada.archived()
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 20260309))
		p := ada.follow(ada.get(longNotSeen))
		shown := map[string]bool{}
		for range 100 {
			title := p.text("#subject")
			if title == "" {
				break
			}
			if shown[title] {
				t.Fatalf("seed %d: %s is shown twice", seed, title)
			}
			if r.IntN(4) == 0 {
				answer := []string{"keep", "archive", "trash", "file"}[r.IntN(4)]
				if back := ada.answer(ada.answer(p, answer, "tags", "new", "lists", "new list"), "undo"); back.text("#subject") != title {
					t.Fatalf("seed %d: undo of %s shows %q, want %q again", seed, answer, back.text("#subject"), title)
				}
			}
			shown[title] = true
			answer := []string{"keep", "archive", "trash", "file", "later"}[r.IntN(5)]
			p = ada.answer(p, answer, "tags", fmt.Sprint("other ", r.IntN(3)), "lists", "other list")
		}
		p.wantText("h1", "20 links looked at")
		if len(shown) != 20 {
			t.Errorf("seed %d: got %d links, want 20", seed, len(shown))
		}
		if ada.archived() == before {
			t.Errorf("seed %d: nothing was changed", seed)
		}
		ada.answer(p, "undo-all")
		if got := ada.archived(); got != before {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, before)
		}
	}
}

func TestRoundsChangeWhatAnAnswerSays(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		links := ada.addOld(5)
		p := ada.follow(ada.get(longNotSeen))
		for _, answer := range []string{"keep", "archive", "trash", "file", "later"} {
			title := p.text("#subject")
			i := slices.IndexFunc(links, func(l waymark.Link) bool { return l.Title == title })
			p = ada.answer(p, answer, "tags", "chosen, other", "lists", "elsewhere")
			if answer == "trash" {
				_, err := s.store.TrashedLink(t.Context(), ada.user.ID, links[i].ID)
				check(t, err)
				continue
			}
			link, err := s.store.Link(t.Context(), ada.user.ID, links[i].ID)
			check(t, err)
			filed := len(link.Tags) == 2 && link.Tags[0].Name == "chosen" && link.Lists[0].Name == "elsewhere"
			edited := link.UpdatedAt != links[i].UpdatedAt
			if link.Archived != (answer == "archive") || filed != (answer == "file") || (link.SeenAt != 0) != (answer != "later") || edited != (answer == "archive" || answer == "file") {
				t.Errorf("%s: got %+v", answer, link)
			}
		}
		p.wantText(".made div", "kept1archived1in the trash1filed1for later1")
		p.wantCount("a[data-key=Enter]", 0) // nothing follows
		p = ada.follow(ada.get(longNotSeen))
		p.wantAttr("progress", "max", "1") // the one for later
	})
}

func TestRoundsGoOnAfterTheirLastLink(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addOld(45)
	shown := map[string]bool{}
	p := ada.follow(ada.get("/tidy/round?q=is:mine"))
	for _, links := range []string{"20", "20", "5"} {
		p.wantAttr("progress", "max", links)
		for p.text("#subject") != "" {
			shown[p.text("#subject")] = true
			p = ada.answer(p, "keep")
		}
		if more := p.attr("a[data-key=Enter]", "href"); links != "5" {
			p = ada.follow(ada.get(more))
		}
	}
	if len(shown) != 45 {
		t.Errorf("got %d links, want all 45 once", len(shown))
	}
}

func TestRoundsLeaveOutWhatWasAnsweredElsewhere(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		ada.addOld(6)
		ids := func(p response) []string { return strings.Split(p.attr("#answer [name=links]", "value"), ",") }
		p := ada.follow(ada.get(longNotSeen))
		ada.post("/links/" + ids(p)[0] + "/seen").wantStatus(http.StatusNoContent) // opening a link is no answer
		if again := ada.get(strings.TrimPrefix(p.request, "GET ")); again.text("#subject") != p.text("#subject") {
			t.Errorf("after the link was opened: got %q, want %q", again.text("#subject"), p.text("#subject"))
		}
		ada.post("/links/" + ids(p)[0] + "/trash")
		ada.post("/links/" + ids(p)[1] + "/mark/archive")
		p = ada.answer(p, "keep")
		p.wantText("#subject ~ [role=status], .one-link > [role=status]", "1 link was answered elsewhere, and is left out.")
		if got := p.attr("#answer [name=did]", "value"); got != "ss" {
			t.Errorf("got the answers %q, want ss", got)
		}
		third := p.text("#subject")
		ada.post("/links/" + ids(p)[2] + "/trash")
		if p = ada.answer(p, "trash"); p.attr("#answer [name=did]", "value") != "sst" { // it is where it was to go
			t.Errorf("%s: got the answers %q, want sst", third, p.attr("#answer [name=did]", "value"))
		}
		// Hostile input.
		for _, query := range []string{"links=1,2,3&did=kkkkkkkk&series=x", "links=x&did=%00&seed=x", "q=%22(&links=99999999999", "after=5&seed=-1", "q=" + strings.Repeat("(", 100)} {
			if p := ada.get("/tidy/round?" + query); p.status >= 500 {
				t.Errorf("%s: got %d", query, p.status)
			}
		}
		own := ids(p)[5]
		before := ada.archived()
		foreign := ben.post("/tidy/round", "q", "is:mine", "links", own, "series", p.attr("#answer [name=series]", "value"), "answer", "trash")
		if after := ada.archived(); after != before || foreign.status >= 500 {
			t.Errorf("another user: got %d, and the archive changed %t", foreign.status, after != before)
		}
		ben.get("/tidy/round?q=is:mine&links="+own).wantCount("#subject", 0)
	})
}
