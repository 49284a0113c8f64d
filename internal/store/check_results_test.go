package store_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/doctor"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// addCheck records a check of a link.
func addCheck(t *testing.T, s *store.Store, id waymark.LinkID, result waymark.LastCheck) {
	t.Helper()
	claimed, err := s.Queue.ClaimLinkCheck(t.Context(), id, waymark.FromTime(time.Now().Add(time.Minute)))
	if err == nil {
		_, err = s.Queue.AddCheck(t.Context(), claimed, result)
	}
	check(t, err)
}

// A search for a result finds the links whose last check had it, whatever has happened to them.
func TestSearchFollowsTheResultOfChecks(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		s := storetest.OpenWith(t, o)
		o.IndexBytes = storetest.NoIndex
		withSQL := storetest.OpenWith(t, o)
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		links := slices.DeleteFunc(storetest.Fill(t, s, ada, 40), func(l waymark.Link) bool { return l.CheckDisabled })
		_, err := s.Queue.PlanChecks(ctx, 0)
		check(t, err)
		want := map[waymark.LinkID]waymark.CheckResult{}
		trashed := map[waymark.LinkID]bool{}
		forget := func(id waymark.LinkID) { // what the server does when the check is due
			_, err := s.Queue.ClaimLinkCheck(ctx, id, waymark.FromTime(time.Now()))
			wantError(t, "claim", err, waymark.ErrNotFound)
			delete(want, id)
		}
		change := func(s *store.Store, id waymark.LinkID, edit func(*waymark.Link)) {
			_, err := s.ChangeLink(ctx, ada, id, nil, nil, func(l *waymark.Link) error {
				edit(l)
				return nil
			})
			check(t, err)
		}
		r := rand.New(rand.NewPCG(9, 12))
		for step := range 300 {
			link := links[r.IntN(len(links))]
			id := link.ID
			if trashed[id] {
				if r.IntN(3) == 0 {
					forget(id)
				}
				check(t, s.Restore(ctx, waymark.Links, int64(id), ownedBy(ada)))
				trashed[id] = false
				continue
			}
			switch r.IntN(10) {
			case 0:
				change(s, id, func(l *waymark.Link) { l.URL = fmt.Sprint(link.URL, "?", step) })
				delete(want, id)
			case 1:
				change(s, id, func(l *waymark.Link) { l.CheckDisabled = true })
				if r.IntN(2) == 0 {
					forget(id)
				}
				change(s, id, func(l *waymark.Link) { l.CheckDisabled = false })
			case 2:
				moveToTrash(t, s, ada, waymark.Links, id)
				trashed[id] = true
			case 3: // undoing a new URL brings back what was found about the old one
				hash := fmt.Append(nil, step)
				_, err := s.Undoable(ctx, store.UndoRequest{User: ada.ID, Session: session, Hash: hash}, func(ctx context.Context, s *store.Store) error {
					_, err := s.ChangeLink(ctx, ada, id, nil, nil, func(l *waymark.Link) error {
						l.URL = fmt.Sprint(link.URL, "?", step)
						return nil
					})
					return err
				})
				check(t, err)
				_, err = s.Undo(ctx, ada, session, hash)
				check(t, err)
			case 4:
				check(t, s.Queue.ChangeChecks(ctx, ada.ID, id, ownedBy(ada), func(_ *waymark.Link, h *waymark.LinkChecks) { h.Confirm(waymark.FromTime(time.Now())) }))
			default:
				result := waymark.CheckResult(1 + r.IntN(5))
				addCheck(t, s, id, waymark.LastCheck{Check: waymark.Check{At: waymark.FromTime(time.Now()), Result: result}})
				want[id] = result
			}
			if step%10 != 0 {
				continue
			}
			for v := waymark.CheckOK; v <= waymark.CheckUnsure; v++ {
				ids := idsWhere(links, func(l waymark.Link) bool { return want[l.ID] == v && !trashed[l.ID] })
				for name, s := range map[string]*store.Store{"index": s, "SQL": withSQL} {
					if got := searchIDs(t, s, ada, where(waymark.Is(v.String()))); !slices.Equal(got, ids) {
						t.Fatalf("step %d, %s: got the %s links %v, want %v", step, name, v, got, ids)
					}
				}
			}
		}
		check(t, doctor.Check(ctx, s.Database(), false, func(r doctor.Result) {
			if r.Name == "check results" && r.Status != doctor.OK {
				t.Errorf("got %+v", r)
			}
		}))
		// Another owner gets the links with their results.
		before := searchIDs(t, s, ada, where(waymark.IsDead))
		check(t, s.RemoveUser(ctx, ada.ID, bob.ID, anyUser))
		if got := searchIDs(t, s, bob, where(waymark.IsDead)); len(got) == 0 || !slices.Equal(got, before) {
			t.Errorf("got the dead links %v after the owner was removed, want %v", got, before)
		}
	})
}

// Descriptions of more than a MiB are read in several batches.
func TestBrokenLinksWithLongDescriptions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		const count = 12
		for i := range count {
			draft := storetest.Draft(i)
			draft.Link.Description = strings.Repeat("x", waymark.MaxDescription)
			link := storetest.CreateLinks(t, s, ada, draft)[0]
			check(t, s.Queue.ChangeChecks(t.Context(), ada.ID, link.ID, ownedBy(ada), func(l *waymark.Link, checks *waymark.LinkChecks) {
				l.Status, checks.BrokenAt = waymark.StatusBroken, waymark.Time(1+i)
			}))
		}
		page, err := s.BrokenLinks(t.Context(), ada.ID, waymark.Pagination{Limit: 100})
		if err != nil || page.Total != count || len(page.Entities) != count {
			t.Fatalf("got %d of %d links, %v, want %d", len(page.Entities), page.Total, err, count)
		}
		for i, link := range page.Entities {
			if want := waymark.Time(count - i); link.BrokenAt != want || len(link.Description) != waymark.MaxDescription {
				t.Errorf("link %d: got one broken at %d, want %d", i, link.BrokenAt, want)
			}
		}
		for _, test := range []struct {
			pagination waymark.Pagination
			want       int
		}{
			{waymark.Pagination{}, count},
			{waymark.Pagination{Offset: 2}, count - 2},
			{waymark.Pagination{Offset: 2, Limit: 3}, 3},
			{waymark.Pagination{Offset: count}, 0},
			{waymark.Pagination{Offset: math.MaxInt, Limit: 3}, 0},
		} {
			page, err := s.BrokenLinks(t.Context(), ada.ID, test.pagination)
			if err != nil || page.Total != count || len(page.Entities) != test.want {
				t.Errorf("%+v: got %d of %d links, %v, want %d of %d", test.pagination, len(page.Entities), page.Total, err, test.want, count)
			}
		}
	})
}
