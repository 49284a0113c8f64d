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
		other := storetest.OpenWith(t, o)
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		links := slices.DeleteFunc(storetest.Fill(t, s, ada, 40), func(l waymark.Link) bool { return l.CheckDisabled })
		_, err := s.Queue.PlanChecks(ctx, 0)
		check(t, err)
		model := checkModel{s: s, ada: ada, r: rand.New(rand.NewPCG(9, 12)), want: map[waymark.LinkID]waymark.CheckResult{}, trashed: map[waymark.LinkID]bool{}}
		steps := 300
		if testing.Short() {
			steps = 100
		}
		for step := range steps {
			model.step(t, step, links[model.r.IntN(len(links))])
			if step%10 != 0 {
				continue
			}
			for v := waymark.CheckOK; v <= waymark.CheckUnsure; v++ {
				ids := idsWhere(links, func(l waymark.Link) bool { return model.want[l.ID] == v && !model.trashed[l.ID] })
				for name, s := range map[string]*store.Store{"index": s, "another process": other} {
					if got := searchIDs(t, s, ada, where(waymark.Is(v.String()))); !slices.Equal(got, ids) {
						t.Fatalf("step %d, %s: got the %s links %v, want %v", step, name, v, got, ids)
					}
				}
			}
		}
		// Another owner gets the links with their results.
		before := searchIDs(t, s, ada, where(waymark.IsDead))
		check(t, s.RemoveUser(ctx, ada.ID, bob.ID, anyUser))
		if got := searchIDs(t, s, bob, where(waymark.IsDead)); len(got) == 0 || !slices.Equal(got, before) {
			t.Errorf("got the dead links %v after the owner was removed, want %v", got, before)
		}
	})
}

// checkModel changes the links of a user at random and remembers the result that each
// link's last check must have.
type checkModel struct {
	s       *store.Store
	ada     waymark.User
	r       *rand.Rand
	want    map[waymark.LinkID]waymark.CheckResult
	trashed map[waymark.LinkID]bool
}

func (m checkModel) step(t *testing.T, step int, link waymark.Link) {
	t.Helper()
	id := link.ID
	if m.trashed[id] {
		if m.r.IntN(3) == 0 {
			m.forget(t, id)
		}
		check(t, m.s.Restore(t.Context(), waymark.Links, int64(id), ownedBy(m.ada)))
		m.trashed[id] = false
		return
	}
	newURL := func(l *waymark.Link) { l.URL = fmt.Sprint(link.URL, "?", step) }
	switch m.r.IntN(10) {
	case 0:
		m.change(t, id, newURL)
		delete(m.want, id)
	case 1:
		m.change(t, id, func(l *waymark.Link) { l.CheckDisabled = true })
		if m.r.IntN(2) == 0 {
			m.forget(t, id)
		}
		m.change(t, id, func(l *waymark.Link) { l.CheckDisabled = false })
	case 2:
		moveToTrash(t, m.s, m.ada, waymark.Links, id)
		m.trashed[id] = true
	case 3: // undoing a new URL brings back what was found about the old one
		hash := fmt.Append(nil, step)
		_, err := m.s.Undoable(t.Context(), store.UndoRequest{User: m.ada.ID, Session: session, Hash: hash}, func(ctx context.Context, s *store.Store) error {
			_, err := s.ChangeLink(ctx, m.ada, id, nil, nil, func(l *waymark.Link) error {
				newURL(l)
				return nil
			})
			return err
		})
		check(t, err)
		_, err = m.s.Undo(t.Context(), m.ada, session, hash)
		check(t, err)
	case 4:
		check(t, m.s.Queue.ChangeChecks(t.Context(), m.ada.ID, id, ownedBy(m.ada), func(_ *waymark.Link, h *waymark.LinkChecks) { h.Confirm(waymark.FromTime(time.Now())) }))
	default:
		result := waymark.CheckResult(1 + m.r.IntN(5))
		addCheck(t, m.s, id, waymark.LastCheck{Check: waymark.Check{At: waymark.FromTime(time.Now()), Result: result}})
		m.want[id] = result
	}
}

// forget does what the server does when the check of a link that is not checked is due.
func (m checkModel) forget(t *testing.T, id waymark.LinkID) {
	t.Helper()
	_, err := m.s.Queue.ClaimLinkCheck(t.Context(), id, waymark.FromTime(time.Now()))
	wantError(t, "claim", err, waymark.ErrNotFound)
	delete(m.want, id)
}

func (m checkModel) change(t *testing.T, id waymark.LinkID, edit func(*waymark.Link)) {
	t.Helper()
	_, err := m.s.ChangeLink(t.Context(), m.ada, id, nil, nil, func(l *waymark.Link) error {
		edit(l)
		return nil
	})
	check(t, err)
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
