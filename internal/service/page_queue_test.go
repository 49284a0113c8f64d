package service_test

import (
	"context"
	"errors"
	"testing"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// eachWithPages is eachDatabase for links that want their texts and text snapshots from their pages.
func eachWithPages(t *testing.T, run func(t *testing.T, svc *service.Service, s *store.Store)) {
	fetch := waymark.FetchPolicy{Parts: waymark.TextParts | waymark.TextSnapshotPart}
	storetest.EachWith(t, store.Options{Fetch: fetch}, func(t *testing.T, s *store.Store) { run(t, service.New(s), s) })
}

// wantQueued takes the only page from the queue and compares it; url is "" if there is to be none.
func wantQueued(t *testing.T, s *store.Store, url string, parts waymark.PageParts) {
	t.Helper()
	page, err := s.Queue.ClaimPage(t.Context(), s.Now())
	if url == "" && errors.Is(err, waymark.ErrNotFound) {
		return
	}
	if err != nil || page.URL != url || page.Wants != parts {
		t.Fatalf("got %+v, %v, want the parts %b of %q", page, err, parts, url)
	}
	check(t, s.Queue.FinishPage(t.Context(), page))
}

// TestALinkWithAnotherURLGetsTheNewPage edits the URL, undoes that, and accepts a move of a host.
func TestALinkWithAnotherURLGetsTheNewPage(t *testing.T) {
	eachWithPages(t, func(t *testing.T, svc *service.Service, s *store.Store) {
		const host, all = "https://a.example/", waymark.TextParts | waymark.TextSnapshotPart
		ada := storetest.User(t, s, "ada")
		link := addLinks(t, svc, ada, waymark.LinkInput{URL: host + "bread", Description: new("typed")})[0]
		wantQueued(t, s, host+"bread", all)
		edit := func(svc *service.Service, in waymark.LinkInput) {
			t.Helper()
			if _, err := svc.EditLink(t.Context(), ada, link.ID, in); err != nil {
				t.Fatal(err)
			}
		}
		undo, err := svc.WithUndo(t.Context(), service.UndoOptions{User: ada, Session: 1}, func(_ context.Context, svc *service.Service) error {
			edit(svc, waymark.LinkInput{URL: host + "cake"})
			return nil
		})
		check(t, err)
		wantQueued(t, s, host+"cake", all)
		if _, err := svc.Undo(t.Context(), service.UndoOptions{User: ada, Session: 1}, undo.Token); err != nil {
			t.Fatal(err)
		}
		wantQueued(t, s, host+"bread", all)

		edit(svc, waymark.LinkInput{URL: host + "rye", Title: new("My bread")})
		wantQueued(t, s, host+"rye", waymark.TextSnapshotPart)
		claimed, err := s.Queue.ClaimLinkCheck(t.Context(), link.ID, s.Now())
		check(t, err)
		if _, err := s.Queue.AddCheck(t.Context(), claimed, waymark.LastCheck{Check: waymark.Check{At: s.Now(), Result: waymark.CheckMoved, Code: 200}, Reason: "redirect", NewURL: host + "spelt"}); err != nil {
			t.Fatal(err)
		}
		if accepted, err := svc.AcceptMoves(t.Context(), ada, waymark.Host(host), 10); err != nil || accepted.Changed != 1 {
			t.Fatalf("got %+v, %v, want one accepted move", accepted, err)
		}
		wantQueued(t, s, host+"spelt", waymark.TextSnapshotPart)

		edit(svc, waymark.LinkInput{URL: host + "spelt", Snapshots: new(waymark.NoSnapshots)})
		wantQueued(t, s, "", 0)
		edit(svc, waymark.LinkInput{URL: host + "spelt", Snapshots: new(waymark.TextSnapshots)})
		wantQueued(t, s, host+"spelt", waymark.TextSnapshotPart)
	})
}
