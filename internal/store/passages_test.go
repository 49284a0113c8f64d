package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestPassagesFollowTheirLinks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, ada, ben := t.Context(), storetest.User(t, s, "ada"), storetest.User(t, s, "ben")
		kept := storetest.Link(t, s, ada, "https://a.example/", waymark.Internal)
		other := storetest.Link(t, s, ada, "https://a.example/#2", waymark.Internal)
		add := func(user waymark.User, link waymark.Link, exact string) (p waymark.Passage) {
			t.Helper()
			p, err := s.CreatePassage(ctx, waymark.Passage{Owner: user.ID, Link: link.ID, Quote: waymark.Quote{Exact: exact, Prefix: "p", Position: 3}, Note: "Note of " + exact})
			check(t, err)
			return p
		}
		want := func(what string, user waymark.User, link waymark.Link, want string) {
			t.Helper()
			all, err := s.PassagesOfLink(ctx, user.ID, link.ID)
			check(t, err)
			got := strings.Join(waymark.Map(all, func(p waymark.Passage) string { return fmt.Sprintf("%s: %s", p.Exact, p.Note) }), ", ")
			if got != want {
				t.Errorf("%s: got %q, want %q", what, got, want)
			}
		}
		first, second, ofBen := add(ada, kept, "one"), add(ada, other, "two"), add(ben, other, "three")
		if again := add(ada, kept, "one"); again.ID != first.ID {
			t.Errorf("the same passage again: got %d, want %d", again.ID, first.ID)
		}

		// Searches of a person find what the person has marked.
		found := func(user waymark.User, where waymark.Condition) string {
			t.Helper()
			all, err := s.SearchLinks(user.ID, waymark.LinkFilter{Where: where}, waymark.Order{By: waymark.SortByID}, unlimited).Page(ctx)
			check(t, err)
			return fmt.Sprint(waymark.Map(all.Entities, func(l waymark.Link) waymark.LinkID { return l.ID }))
		}
		for where, want := range map[waymark.Condition]string{
			waymark.HasPassage: "[1 2][2]",
			waymark.Contains{Text: "TWO note", In: waymark.InPassages}:    "[2][]",
			waymark.Contains{Text: "note of thr", In: waymark.InPassages}: "[][2]",
			waymark.Contains{Text: "note of", In: waymark.InTexts}:        "[][]",
			waymark.Contains{Text: "p", In: waymark.InPassages}:           "[][]",
		} {
			if got := found(ada, where) + found(ben, where); got != want {
				t.Errorf("%+v: got %s, want %s", where, got, want)
			}
		}
		if got := found(waymark.User{}, waymark.HasPassage); got != "[]" {
			t.Errorf("guests found %s", got)
		}

		// Each change can be undone.
		undoable(t, s, ada, "added", func(ctx context.Context, s *store.Store) error {
			_, err := s.CreatePassage(ctx, waymark.Passage{Owner: ada.ID, Link: kept.ID, Quote: waymark.Quote{Exact: "new"}})
			return err
		})
		want("added", ada, kept, "one: Note of one, new: ")
		wantUndo(t, s, ada, "added", 0, 0)
		undoable(t, s, ada, "edited", func(ctx context.Context, s *store.Store) error {
			_, err := s.ChangePassage(ctx, ada.ID, kept.ID, first.ID, func(p *waymark.Passage) error { p.Note = "other"; return nil })
			return err
		})
		want("edited", ada, kept, "one: other")
		wantUndo(t, s, ada, "edited", 1, 0)
		want("edit undone", ada, kept, "one: Note of one")
		undoable(t, s, ada, "deleted", func(ctx context.Context, s *store.Store) error {
			return s.DeletePassage(ctx, ada, kept.ID, first.ID)
		})
		want("deleted", ada, kept, "")
		wantUndo(t, s, ada, "deleted", 0, 0)
		restored, err := s.PassagesOfLink(ctx, ada.ID, kept.ID)
		check(t, err)
		first.ID = restored[0].ID
		wantEqual(t, "a deleted passage that came back", restored[0], first)

		// They go to the link that stays, and back.
		undoable(t, s, ada, "merged", func(ctx context.Context, s *store.Store) error {
			_, err := s.MergeLinks(ctx, ada, store.Merge{Keep: kept.ID, Others: []waymark.LinkID{other.ID}})
			return err
		})
		want("merged", ada, kept, "two: Note of two, one: Note of one")
		want("merged, of ben", ben, kept, "three: Note of three")
		if _, err := s.Undo(ctx, store.UndoRequest{User: ada.ID, Session: session, Hash: []byte("merged")}); err != nil {
			t.Fatal(err)
		}
		want("merge undone", ada, other, "two: Note of two")
		want("merge undone, of ben", ben, other, "three: Note of three")

		// Nobody else reaches them, and not in the trash.
		wantError(t, "of another user", s.DeletePassage(ctx, ben, other.ID, second.ID), waymark.ErrNotFound)
		wantError(t, "of another link", s.DeletePassage(ctx, ada, kept.ID, second.ID), waymark.ErrNotFound)
		check(t, s.Delete(ctx, ada, waymark.Links, int64(other.ID)))
		wantError(t, "in the trash", s.DeletePassage(ctx, ben, other.ID, ofBen.ID), waymark.ErrNotFound)
		_, err = s.PassagesOfLink(ctx, ada.ID, other.ID)
		wantError(t, "of a link in the trash", err, waymark.ErrNotFound)

		for i := range waymark.MaxPassages - 1 {
			add(ada, kept, fmt.Sprint(i))
		}
		_, err = s.CreatePassage(ctx, waymark.Passage{Owner: ada.ID, Link: kept.ID, Quote: waymark.Quote{Exact: "too many"}})
		if err == nil || !strings.Contains(err.Error(), "are more than 500") {
			t.Errorf("one too many: got %v", err)
		}

		// A person's passages go to whoever gets the links, or with the person.
		add(ben, kept, "four")
		check(t, s.RemoveUser(ctx, ben.ID, ada.ID, anyUser))
		if got := selectRows(t, s, "SELECT count(*) FROM passages WHERE exact IN ('three', 'four') AND user_id = 1"); fmt.Sprint(got) != "[[2]]" {
			t.Errorf("after the transfer: got %v", got)
		}
		check(t, storetest.RemoveUser(ctx, s, ada.ID))
		if got := selectRows(t, s, "SELECT id FROM passages"); len(got) != 0 {
			t.Errorf("after all people were removed: got %v", got)
		}
	})
}
