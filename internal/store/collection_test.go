package store_test

import (
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// readCollection returns everything in a collection as text.
func readCollection(t *testing.T, s *store.Store, owner waymark.User) (all []string) {
	t.Helper()
	add := func(value any, err error) error {
		all = append(all, fmt.Sprintf("%+v", value))
		return err
	}
	err := s.ReadCollection(t.Context(), owner.ID, func(c *store.Collection) error {
		all = nil
		user, settings, err := c.Settings()
		if err := add([]any{user, settings}, err); err != nil {
			return err
		}
		for list, err := range c.Lists() {
			if err := add(list, err); err != nil {
				return err
			}
		}
		for tag, err := range c.Tags() {
			if err := add(tag, err); err != nil {
				return err
			}
		}
		for row, err := range c.Links() {
			if row.Link != nil {
				err = add(*row.Link, err)
			} else if row.Note != nil {
				err = add(*row.Note, err)
			}
			if err != nil {
				return err
			}
		}
		for list, err := range c.LinksByList() {
			if err := add(list.Path, err); err != nil {
				return err
			}
			for row, err := range list.Links {
				if err := add(row.Link != nil, err); err != nil {
					return err
				}
			}
		}
		return nil
	})
	check(t, err)
	return all
}

// A write while a collection is read changes nothing of the result.
func TestCollectionIsFromOneSnapshot(t *testing.T) {
	hook := &statementHook{}
	storetest.EachWith(t, store.Options{Trace: hook.trace}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		drafts := make([]waymark.LinkDraft, 510) // more than are read at a time
		for i := range drafts {
			drafts[i] = storetest.Draft(i)
			drafts[i].Lists, drafts[i].Tags = refs("news"), refs("go")
		}
		links := storetest.CreateLinks(t, s, ada, drafts...)
		if _, err := s.CreateNote(t.Context(), waymark.Note{Owner: ada.ID, Link: links[509].ID, Text: "a", Visibility: waymark.Private}); err != nil {
			t.Fatal(err)
		}
		unchanged := 0 // results from before the write
		for n := 1; ; n += 3 {
			before := readCollection(t, s, ada)
			var got []string
			called := hook.before(n, func() { moveToTrash(t, s, ada, waymark.Links, links[509].ID) }, func() { got = readCollection(t, s, ada) })
			if !called {
				if n < 10 || unchanged < n/6 {
					t.Errorf("reading has %d statements, and the result was from before the write %d times", n-1, unchanged)
				}
				return
			}
			after := readCollection(t, s, ada)
			restore(t, s, ada, waymark.Links, links[509].ID)
			switch fmt.Sprint(got) {
			case fmt.Sprint(before):
				unchanged++
			case fmt.Sprint(after):
			default:
				t.Fatalf("a write before statement %d: the result is neither the one before nor the one after", n)
			}
		}
	})
}
