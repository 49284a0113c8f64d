package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
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
		check(t, m.s.Restore(t.Context(), m.ada, waymark.Links, int64(id)))
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
			_, err := s.ChangeLink(ctx, m.ada, id, nil, nil, func(l *waymark.Link, _ waymark.Target) error {
				newURL(l)
				return nil
			})
			return err
		})
		check(t, err)
		_, err = m.s.Undo(t.Context(), store.UndoRequest{User: m.ada.ID, Session: session, Hash: hash})
		check(t, err)
	case 4:
		check(t, m.s.Queue.ChangeChecks(t.Context(), m.ada, id, func(_ *waymark.Link, h *waymark.LinkChecks) { h.Confirm(waymark.FromTime(time.Now())) }))
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
	_, err := m.s.ChangeLink(t.Context(), m.ada, id, nil, nil, func(l *waymark.Link, _ waymark.Target) error {
		edit(l)
		return nil
	})
	check(t, err)
}
