package store_test

import (
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/queue"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// If the URL of a link is changed while a part of its page is fetched again, the new page is
// fetched for all parts.
func TestPageOfAChangedURLIsFetchedForAllParts(t *testing.T) {
	const all = waymark.TextParts | waymark.ThumbnailPart
	for name, end := range map[string]func(t *testing.T, s *store.Store, page queue.ClaimedPage) error{
		"finished": func(t *testing.T, s *store.Store, page queue.ClaimedPage) error {
			return s.Queue.FinishPage(t.Context(), page)
		},
		"postponed": func(t *testing.T, s *store.Store, page queue.ClaimedPage) error {
			return s.Queue.PostponePage(t.Context(), page, waymark.PageFetch{DueAt: waymark.FromTime(time.Now().Add(time.Hour)), Attempts: 2, Wants: page.Wants})
		},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachWith(t, store.Options{Fetch: waymark.FetchPolicy{Parts: all}}, func(t *testing.T, s *store.Store) {
				ada := storetest.User(t, s, "ada")
				claim := func(url string, attempts int, wants waymark.PageParts) queue.ClaimedPage {
					t.Helper()
					page, err := s.Queue.ClaimPage(t.Context(), waymark.FromTime(time.Now().Add(time.Minute)))
					if err != nil || page.URL != url || page.Attempts != attempts || page.Wants != wants {
						t.Fatalf("got page %+v, %v, want %s after %d attempts for the parts %b", page, err, url, attempts, wants)
					}
					return page
				}
				const before, after = "https://example.org/before", "https://example.org/after"
				draft := waymark.LinkDraft{Link: waymark.Link{URL: before, Visibility: waymark.Private, FromPage: waymark.TitleText}}
				link := storetest.CreateLinks(t, s, ada, draft)[0]
				page := claim(before, 0, all)
				check(t, s.Queue.PostponePage(t.Context(), page, waymark.PageFetch{Attempts: 1, Wants: waymark.ThumbnailPart}))
				page = claim(before, 1, waymark.ThumbnailPart)
				_, err := s.ChangeLink(t.Context(), ada, link.ID, nil, nil, func(l *waymark.Link, _ waymark.Target) error {
					l.URL = after
					return nil
				})
				check(t, err)
				check(t, end(t, s, page))
				check(t, s.Queue.FinishPage(t.Context(), claim(after, 0, all)))
				_, err = s.Queue.ClaimPage(t.Context(), 0)
				wantError(t, "claim after the last page", err, waymark.ErrNotFound)
			})
		})
	}
}

// A page that a user requests while it is fetched is fetched again, for all that was requested.
func TestPageThatIsRequestedDuringItsFetchIsFetchedAgain(t *testing.T) {
	const all = waymark.TextParts | waymark.ThumbnailPart
	storetest.EachWith(t, store.Options{Fetch: waymark.FetchPolicy{Parts: all}}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := waymark.LinkDraft{Link: waymark.Link{URL: "https://example.org/", Visibility: waymark.Private}}
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		claim := func() queue.ClaimedPage {
			t.Helper()
			page, err := s.Queue.ClaimPage(t.Context(), waymark.FromTime(time.Now().Add(time.Minute)))
			check(t, err)
			return page
		}
		for _, end := range []func(page queue.ClaimedPage) error{
			func(page queue.ClaimedPage) error { return s.Queue.FinishPage(t.Context(), page) },
			func(page queue.ClaimedPage) error {
				return s.Queue.PostponePage(t.Context(), page, waymark.PageFetch{DueAt: waymark.FromTime(time.Now().Add(time.Hour))})
			},
		} {
			page := claim()
			_, err := s.Queue.RequestPages(t.Context(), ada.ID, []int64{int64(link.ID)}, all, true)
			check(t, err)
			check(t, end(page))
			if again := claim(); again.Wants != all || again.Attempts != 0 {
				t.Errorf("got %+v, want the parts %b after no attempt", again, all)
			}
			_, err = s.Queue.RequestPages(t.Context(), ada.ID, []int64{int64(link.ID)}, waymark.ThumbnailPart, true)
			check(t, err)
		}
		check(t, s.Queue.FinishPage(t.Context(), claim()))
		_, err := s.Queue.ClaimPage(t.Context(), 0)
		wantError(t, "claim after the last page", err, waymark.ErrNotFound)
	})
}

// Links that were saved by hand go before all others, the newest first, until an attempt has failed.
func TestLinksSavedByHandGoFirst(t *testing.T) {
	storetest.EachWith(t, store.Options{Fetch: waymark.FetchPolicy{Parts: waymark.ThumbnailPart}}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		draft := func(path string) waymark.LinkDraft {
			return waymark.LinkDraft{Link: waymark.Link{URL: "https://example.org/" + path, Visibility: waymark.Private}}
		}
		storetest.CreateLinks(t, s, ada, draft("imported"), draft("imported-too"))
		for _, path := range []string{"old", "new"} {
			_, err := s.CreateLink(t.Context(), ada, draft(path))
			check(t, err)
		}
		later := waymark.FromTime(time.Now().Add(time.Hour))
		claim := func(claimPage func() (queue.ClaimedPage, error), path string) queue.ClaimedPage {
			t.Helper()
			page, err := claimPage()
			if err != nil || page.URL != "https://example.org/"+path {
				t.Fatalf("got %q, %v, want %s", page.URL, err, path)
			}
			return page
		}
		next := func() (queue.ClaimedPage, error) { return s.Queue.ClaimPage(t.Context(), later) }
		byHand := func() (queue.ClaimedPage, error) { return s.Queue.ClaimPageByHand(t.Context(), later) }
		nextOfAda := func() (queue.ClaimedPage, error) { return s.Queue.ClaimPageOf(t.Context(), ada.ID, later) }
		fetch := waymark.PageFetch{DueAt: s.Now(), Wants: waymark.ThumbnailPart}
		check(t, s.Queue.PostponePage(t.Context(), claim(next, "new"), fetch))
		fetch.Attempts = 1
		check(t, s.Queue.PostponePage(t.Context(), claim(nextOfAda, "new"), fetch))
		claim(byHand, "old")
		_, err := byHand()
		wantError(t, "claim by hand after the last one", err, waymark.ErrNotFound)
		claim(next, "imported")
		claim(nextOfAda, "imported-too")
		claim(next, "new")
		_, err = s.CreateLink(t.Context(), bob, draft("of-bob"))
		check(t, err)
		claim(byHand, "of-bob")
	})
}
