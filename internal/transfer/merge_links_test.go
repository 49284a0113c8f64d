package transfer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// sameWeakKey are URLs that people may merge.
var sameWeakKey = []string{
	"https://a.example/p", "http://a.example/p", "https://www.a.example/p/", "https://a.example/p?utm_source=x",
	"https://a.example/p#part", "http://a.example/p/index.html",
}

// duplicates generates links of one page with all that links can have.
func duplicates(t *rapid.T) (all []archive.Entity, n int) {
	is := func(what string) bool { return rapid.Bool().Draw(t, what) }
	visibility := func() archive.Visibility { return archive.Visibility(rapid.IntRange(1, 3).Draw(t, "visibility")) }
	at := func() archive.Time { return archive.Time(1_500_000_000_000_000 + rapid.IntRange(0, 3).Draw(t, "at")) }
	text := func(what string) string {
		return rapid.SampledFrom([]string{"", "one " + what, "another " + what}).Draw(t, what)
	}
	times := func() archive.Times { return archive.Times{CreatedAt: at(), UpdatedAt: 1_600_000_000_000_000} }
	all = append(all, archive.Settings{})
	for i, name := range []string{"A", "B", "C"} {
		list := archive.List{Number: i + 1, Name: name, Visibility: visibility(), Times: times()}
		if name == "C" {
			list.DeletedAt = list.UpdatedAt
		}
		all = append(all, list)
	}
	for i, name := range []string{"go", "js", "web"} {
		all = append(all, archive.Tag{Number: i + 1, Name: name, Visibility: visibility(), Times: times()})
	}
	some := func() (numbers []int) {
		for i := range 3 {
			if is("attached") {
				numbers = append(numbers, i+1)
			}
		}
		return numbers
	}
	urls := rapid.Permutation(sameWeakKey).Draw(t, "URLs")
	n = rapid.IntRange(2, len(urls)).Draw(t, "links")
	for i := range n {
		number := i + 1
		all = append(all, archive.Link{
			Number: number, URL: urls[i], Title: "title" + text("title"), Description: text("description"), Visibility: visibility(),
			Status: archive.Status(rapid.IntRange(1, 3).Draw(t, "status")), CheckDisabled: is("disabled"), Unread: is("unread"), Archived: is("archived"),
			Favorite: is("favorite"), Lists: some(), Tags: some(), Times: times(),
		})
		if is("text") {
			all = append(all, archive.TextSnapshot{Link: number, URL: urls[i], HTML: fmt.Sprintf("<p>words%d</p>", number), FetchedAt: at()})
		}
		if is("page") {
			all = append(all, archive.FullSnapshot{Link: number, URL: urls[i], HTML: fmt.Sprintf("<html>%d</html>", number), FetchedAt: at()})
		}
		for f := range rapid.IntRange(0, 2).Draw(t, "files") {
			data := []byte(fmt.Sprint("file ", number, f))
			all = append(all, archive.Attachment{Link: number, FullSnapshot: f == 0 && is("uploaded"), Name: fmt.Sprint("f", f, ".html"), ContentType: "text/html", Size: int64(len(data)), CreatedAt: at()}, archive.AttachmentData{Data: data})
		}
		for range rapid.IntRange(0, 2).Draw(t, "notes") {
			note := archive.Note{Link: number, Text: "note" + text("note"), Visibility: visibility(), Times: times()}
			if is("deleted") {
				note.DeletedAt = note.UpdatedAt
			}
			all = append(all, note)
		}
	}
	return all, n
}

func TestMergedLinksComeBackByteForByte(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		svc.setQuota(1 << 30)
		users := 0
		rapid.Check(t, func(rt *rapid.T) {
			entities, n := duplicates(rt)
			users++
			ada, bob := storetest.User(t, s, fmt.Sprint("ada", users)), storetest.User(t, s, fmt.Sprint("bob", users))
			if _, problems := importArchive(t, svc, s, ada, strings.NewReader(archiveOf(rt, entities))); len(problems) > 0 {
				rt.Fatalf("problems: %q", problems)
			}
			var all []waymark.Link
			for i := range n {
				link, err := s.LinkByURL(t.Context(), ada.ID, urlsOf(entities)[i])
				check(t, err)
				if link.Visibility != waymark.Private && rapid.Bool().Draw(rt, "note of another user") {
					_, err := svc.addNote(t.Context(), bob, link.ID, "bob's")
					check(t, err)
				}
				check(t, s.Queue.ChangeChecks(t.Context(), ada, link.ID, func(_ *waymark.Link, c *waymark.LinkChecks) {
					c.Reason = link.URL
				}))
				link, err = s.Link(t.Context(), ada.ID, link.ID)
				check(t, err)
				all = append(all, link)
			}
			state := func() string {
				found := export(t, svc, ada, transfer.ExportArchive) + export(t, svc, bob, transfer.ExportArchive)
				for i := range all {
					words, err := s.SearchLinks(ada.ID, waymark.LinkFilter{Where: waymark.Contains{Text: fmt.Sprint("words", i+1), In: waymark.InSnapshot}}, waymark.Order{By: waymark.SortByID}, waymark.Pagination{Limit: 100}).Page(t.Context())
					check(t, err)
					checks, err := s.Queue.LinkChecks(t.Context(), ada.ID, all[i].ID)
					if err != nil {
						rt.Fatal(err)
					}
					found += fmt.Sprintf("%+v in %d\n", checks, len(words.Entities))
				}
				return found
			}
			before := state()
			keep := rapid.SampledFrom(all).Draw(rt, "keep")
			in := store.Merge{Keep: keep.ID}
			labels, notes, files := map[int64]bool{}, 0, 0
			for _, l := range all {
				if l.ID == keep.ID || rapid.Bool().Draw(rt, "merged") {
					for _, list := range l.Lists {
						labels[int64(list.ID)] = true
					}
					attached, err := s.Snapshots.Attachments(t.Context(), ada.ID, l.ID)
					check(t, err)
					files += len(attached)
					page, err := s.NotesOfLink(ada.ID, l.ID, waymark.Pagination{Limit: 100}).Page(t.Context())
					check(t, err)
					notes += len(page.Entities)
					if l.ID != keep.ID {
						in.Others = append(in.Others, l.ID)
					}
				}
			}
			if len(in.Others) == 0 {
				return
			}
			if rapid.Bool().Draw(rt, "chosen URL") {
				in.URL = all[slices.IndexFunc(all, func(l waymark.Link) bool { return l.ID == in.Others[0] })].URL
			}
			request := store.UndoRequest{User: ada.ID, Hash: []byte(fmt.Sprint("token", users))}
			_, err := s.Undoable(t.Context(), request, func(ctx context.Context, s *store.Store) error {
				_, err := s.MergeLinks(ctx, ada, in)
				return err
			})
			check(t, err)
			link, err := s.Link(t.Context(), ada.ID, keep.ID)
			check(t, err)
			attached, err := s.Snapshots.Attachments(t.Context(), ada.ID, keep.ID)
			check(t, err)
			page, err := s.NotesOfLink(ada.ID, keep.ID, waymark.Pagination{Limit: 100}).Page(t.Context())
			check(t, err)
			if len(link.Lists) != len(labels) || len(attached) != files || len(page.Entities) < notes || in.URL != "" && link.URL != in.URL {
				rt.Fatalf("got %s with %d lists, %d attachments and %d notes, want %s with %d, %d and at least %d", link.URL, len(link.Lists), len(attached), len(page.Entities), in.URL, len(labels), files, notes)
			}
			undone, err := s.Undo(t.Context(), request)
			check(t, err)
			if after := state(); after != before || undone.Skipped > 0 {
				rt.Fatalf("skipped %d; got\n%s\nwant\n%s", undone.Skipped, after, before)
			}
		})
	})
}

func urlsOf(entities []archive.Entity) (urls []string) {
	for _, e := range entities {
		if link, ok := e.(archive.Link); ok {
			urls = append(urls, link.URL)
		}
	}
	return urls
}
