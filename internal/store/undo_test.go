package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

const session waymark.SessionID = 3

// undoable makes a change that can be undone with the token.
func undoable(t *testing.T, s *store.Store, user waymark.User, token string, do func(ctx context.Context, s *store.Store) error) (ok bool) {
	t.Helper()
	ok, err := s.Undoable(t.Context(), store.UndoRequest{User: user.ID, Session: session, Hash: []byte(token)}, do)
	check(t, err)
	return ok
}

// wantUndo undoes a change.
func wantUndo(t *testing.T, s *store.Store, user waymark.User, token string, done, skipped int) {
	t.Helper()
	got, err := s.Undo(t.Context(), store.UndoRequest{User: user.ID, Session: session, Hash: []byte(token)})
	check(t, err)
	wantEqual(t, "result of undo", got, waymark.UndoResult{Done: done, Skipped: skipped})
}

func changeLink(ctx context.Context, s *store.Store, user waymark.User, id waymark.LinkID, change func(*waymark.Link)) error {
	_, err := s.ChangeLink(ctx, user, id, nil, nil, func(link *waymark.Link, _ waymark.Target) error { change(link); return nil })
	return err
}

func edit(t *testing.T, s *store.Store, user waymark.User, id waymark.LinkID, change func(*waymark.Link)) {
	t.Helper()
	check(t, changeLink(t.Context(), s, user, id, change))
}

func readLink(t *testing.T, s *store.Store, user waymark.User, id waymark.LinkID) waymark.Link {
	t.Helper()
	link, err := s.Link(t.Context(), user.ID, id)
	check(t, err)
	return link
}

func tagNames(link waymark.Link) string {
	var names []string
	for _, tag := range link.Tags {
		names = append(names, tag.Name)
	}
	return strings.Join(names, " ")
}

func TestUndoKeepsWhatWasChangedSince(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		id := storetest.Link(t, s, ada, "https://a.example/", waymark.Private, "red").ID
		before := readLink(t, s, ada, id)
		undoable(t, s, ada, "token", func(ctx context.Context, s *store.Store) error {
			_, err := s.ChangeLink(ctx, ada, id, nil, &[]waymark.Ref{{Name: "green"}}, func(link *waymark.Link, _ waymark.Target) error {
				link.URL, link.Title, link.Description = "https://b.example/", "a title", "a description"
				return nil
			})
			return err
		})
		edit(t, s, ada, id, func(link *waymark.Link) { link.Title = "a newer title" })
		storetest.Link(t, s, ada, before.URL, waymark.Private) // the old URL exists again
		wantUndo(t, s, ada, "token", 0, 1)
		got := readLink(t, s, ada, id)
		if got.Title != "a newer title" || got.Description != "" || got.URL != "https://b.example/" || tagNames(got) != "red" {
			t.Errorf("got %+v with the tags %s, want the newer title, the old description, the new URL and the old tag", got, tagNames(got))
		}
		if tags := readPage(t, s.SuggestTags(ada.ID, "", 0)); len(tags.Entities) != 1 {
			t.Errorf("got tags %v, want only red: green was created for the change", tags.Entities)
		}
	})
}

// A check of the new URL may have set another status before the undo.
func TestUndoOfANewURLSetsTheStatusOfTheOldOne(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		set := func(id waymark.LinkID, status waymark.Status, result waymark.CheckResult) {
			check(t, s.Queue.ChangeChecks(t.Context(), ada, id, func(l *waymark.Link, h *waymark.LinkChecks) {
				l.Status, h.Result = status, result
			}))
		}
		for i, test := range []struct {
			taken           bool // whether another link has the old URL
			edited, skipped int
			status          waymark.Status
			result          waymark.CheckResult
		}{
			{false, 1, 0, waymark.StatusBroken, waymark.CheckDead},
			{true, 0, 1, waymark.StatusMoved, waymark.CheckMoved},
		} {
			oldURL := fmt.Sprint("https://a.example/", i)
			id := storetest.Link(t, s, ada, oldURL, waymark.Private).ID
			set(id, waymark.StatusBroken, waymark.CheckDead)
			undoable(t, s, ada, oldURL, func(ctx context.Context, s *store.Store) error {
				_, err := s.ChangeLink(ctx, ada, id, nil, nil, func(link *waymark.Link, _ waymark.Target) error {
					link.URL, link.Status = oldURL+"/new", waymark.StatusOK
					return nil
				})
				return err
			})
			set(id, waymark.StatusMoved, waymark.CheckMoved)
			if test.taken {
				storetest.Link(t, s, ada, oldURL, waymark.Private)
			}
			wantUndo(t, s, ada, oldURL, test.edited, test.skipped)
			health, err := s.Queue.LinkChecks(t.Context(), ada.ID, id)
			check(t, err)
			if got := readLink(t, s, ada, id); got.Status != test.status || health.Result != test.result {
				t.Errorf("%+v: got the status %d and the result %d for %s", test, got.Status, health.Result, got.URL)
			}
		}
	})
}

func TestUndoOfTheTrashSkipsWhatCannotBeRestored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var ids []waymark.LinkID
		for i := range 4 {
			ids = append(ids, storetest.Link(t, s, ada, fmt.Sprint("https://a.example/", i), waymark.Private).ID)
		}
		undoable(t, s, ada, "token", func(ctx context.Context, s *store.Store) error {
			_, err := s.DeleteMany(ctx, ada, waymark.Links, []int64{int64(ids[0]), int64(ids[1]), int64(ids[2]), int64(ids[3])})
			return err
		})
		storetest.Link(t, s, ada, "https://a.example/0", waymark.Private) // the URL exists again
		restore(t, s, ada, waymark.Links, ids[1])                         // it is active again
		restore(t, s, ada, waymark.Links, ids[2])
		moveToTrash(t, s, ada, waymark.Links, ids[2]) // it was moved to the trash again
		wantUndo(t, s, ada, "token", 1, 3)
		wantIDs(t, "trash", readTrash(t, s.TrashedLinks, ada), linkID, ids[0], ids[2])
	})
}

func TestUndoOfANewLinkMovesItToTheTrashUnlessItWasEdited(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		add := func(token, url string) (id waymark.LinkID) {
			undoable(t, s, ada, token, func(ctx context.Context, s *store.Store) error {
				id = storetest.Link(t, s, ada, url, waymark.Private, "red").ID
				return nil
			})
			return id
		}
		first, second := add("first", "https://a.example/"), add("second", "https://b.example/")
		edit(t, s, ada, second, func(link *waymark.Link) { link.Title = "edited" })
		wantUndo(t, s, ada, "first", 1, 0)
		wantUndo(t, s, ada, "second", 0, 1)
		wantIDs(t, "trash", readTrash(t, s.TrashedLinks, ada), linkID, first)
	})
}

func TestUndoTokenIsBoundToUserAndSession(t *testing.T) {
	now := waymark.FromTime(time.Now())
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { now++; return now }}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Private)
		trash := func(token string) {
			undoable(t, s, ada, token, func(ctx context.Context, s *store.Store) error {
				return s.Delete(ctx, ada, waymark.Links, int64(link.ID))
			})
		}
		trash("token")
		for name, try := range map[string]func() (waymark.UndoResult, error){
			"another user": func() (waymark.UndoResult, error) {
				return s.Undo(t.Context(), store.UndoRequest{User: bob.ID, Session: session, Hash: []byte("token")})
			},
			"another session": func() (waymark.UndoResult, error) {
				return s.Undo(t.Context(), store.UndoRequest{User: ada.ID, Session: session + 1, Hash: []byte("token")})
			},
			"another token": func() (waymark.UndoResult, error) {
				return s.Undo(t.Context(), store.UndoRequest{User: ada.ID, Session: session, Hash: []byte("other")})
			},
		} {
			_, err := try()
			wantError(t, name, err, waymark.ErrNotFound)
		}
		wantUndo(t, s, ada, "token", 1, 0)
		_, err := s.Undo(t.Context(), store.UndoRequest{User: ada.ID, Session: session, Hash: []byte("token")})
		wantError(t, "a second time", err, waymark.ErrNotFound)

		trash("old")
		now = now.Add(23 * time.Hour)
		check(t, s.PruneUndoRecords(t.Context()))
		wantUndo(t, s, ada, "old", 1, 0)
		trash("too old")
		now = now.Add(25 * time.Hour)
		_, err = s.Undo(t.Context(), store.UndoRequest{User: ada.ID, Session: session, Hash: []byte("too old")})
		wantError(t, "after a day", err, waymark.ErrNotFound)
		check(t, s.PruneUndoRecords(t.Context()))
		wantUndoRecords(t, s, 0)
	})
}

func wantUndoRecords(t *testing.T, s *store.Store, want int) {
	t.Helper()
	rows, err := s.Rows(t.Context(), "SELECT 1 FROM undo_records")
	if err != nil || len(rows) != want {
		t.Errorf("there are %d undo records, %v, want %d", len(rows), err, want)
	}
}

func TestUndoRecordsOfAUserAreLimited(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		id := storetest.Link(t, s, ada, "https://a.example/", waymark.Private).ID
		change := func(token, title string) bool {
			return undoable(t, s, ada, token, func(ctx context.Context, s *store.Store) error {
				return changeLink(ctx, s, ada, id, func(link *waymark.Link) { link.Title = title })
			})
		}
		for _, token := range []string{"first", "second"} {
			change(token, token)
		}
		wantUndoRecords(t, s, 2)
		check(t, s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error {
			return exec("UPDATE undo_records SET bytes = 16777216 WHERE position > 0") // as large as all together may be
		}))
		change("third", "third")
		wantUndoRecords(t, s, 1)
		_, err := s.Undo(t.Context(), store.UndoRequest{User: ada.ID, Session: session, Hash: []byte("first")})
		wantError(t, "the oldest", err, waymark.ErrNotFound)
		wantUndo(t, s, ada, "third", 1, 0)
		if change("same", readLink(t, s, ada, id).Title) {
			t.Error("an edit that sets the same title can be undone")
		}
		if undoable(t, s, ada, "empty", func(context.Context, *store.Store) error { return nil }) {
			t.Error("no change can be undone")
		}
	})
}

func TestClearedTrashLeavesNoUndoRecords(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		for _, user := range []waymark.User{ada, bob} {
			id := storetest.Link(t, s, user, "https://a.example/", waymark.Private).ID
			undoable(t, s, user, user.Name, func(ctx context.Context, s *store.Store) error {
				return changeLink(ctx, s, user, id, func(link *waymark.Link) { link.Title = "secret" })
			})
		}
		wantUndoRecords(t, s, 2)
		check(t, s.ClearTrash(t.Context(), ada.ID, waymark.Links))
		wantUndoRecords(t, s, 1)
		wantUndo(t, s, bob, "bob", 1, 0)
	})
}

func TestUndoOfMergedTagsKeepsATagIfTheOldOneCannotComeBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Private, "golang")
		other := storetest.Link(t, s, ada, "https://b.example/", waymark.Private, "golang", "go")
		into := other.Tags[0]
		if into.Name != "go" {
			t.Fatal(into.Name)
		}
		merge := func(token string, want int) {
			undoable(t, s, ada, token, func(ctx context.Context, s *store.Store) error {
				n, err := s.MergeTags(ctx, ada, into.ID, []waymark.TagID{link.Tags[0].ID, into.ID})
				if n != want {
					t.Errorf("%d links had the tag, want %d", n, want)
				}
				return err
			})
		}
		wantTags := func(what string, want ...string) {
			t.Helper()
			got := []string{tagNames(readLink(t, s, ada, link.ID)), tagNames(readLink(t, s, ada, other.ID))}
			if !slices.Equal(got, want) {
				t.Errorf("%s: got tags %q, want %q", what, got, want)
			}
		}
		merge("first", 2)
		wantTags("merged", "go", "go")
		wantUndo(t, s, ada, "first", 2, 0) // the tag and one link
		wantTags("undone", "golang", "go golang")
		merge("second", 2)
		createTag(t, s, ada, "GoLang", waymark.Private)
		wantUndo(t, s, ada, "second", 0, 2)
		wantTags("the name exists again", "go", "go")
	})
}

// A change that fails in between is not undone, because it was not made.
func TestUndoIgnoresAFailedPartOfAChange(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		id := storetest.Link(t, s, ada, "https://a.example/", waymark.Private, "red").ID
		undoable(t, s, ada, "token", func(ctx context.Context, s *store.Store) error {
			_, err := s.ChangeLink(ctx, ada, id, &[]waymark.Ref{{ID: 99}}, &[]waymark.Ref{{Name: "lost"}}, func(link *waymark.Link, _ waymark.Target) error {
				link.Title = "lost"
				return nil
			})
			if err == nil {
				t.Error("an unknown list is no error")
			}
			return changeLink(ctx, s, ada, id, func(link *waymark.Link) { link.Title = "stored" })
		})
		wantUndo(t, s, ada, "token", 1, 0)
		if link := readLink(t, s, ada, id); link.Title != "a.example" || tagNames(link) != "red" {
			t.Errorf("got %+v", link)
		}
	})
}
