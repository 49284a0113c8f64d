package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestMoveCarriesEverythingThereAndBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, there *store.Store) {
		from, back := storetest.Open(t), storetest.Open(t)
		ann, ben := storetest.User(t, from, "ann"), storetest.User(t, from, "ben")
		annLinks := storetest.Fill(t, from, ann, 1200)
		storetest.Fill(t, from, ben, 40)
		if _, err := from.DeleteMany(t.Context(), waymark.Links, []int64{int64(annLinks[3].ID), int64(annLinks[700].ID)}, ownedBy(ann)); err != nil {
			t.Fatal(err)
		}
		note := waymark.Note{Owner: ben.ID, Link: annLinks[0].ID, Text: "שלום", Visibility: waymark.Public}
		if annLinks[0].Visibility == waymark.Private {
			note.Owner = ann.ID
		}
		if _, err := from.CreateNote(t.Context(), note); err != nil {
			t.Fatal(err)
		}
		if _, err := from.CreateAPIKey(t.Context(), waymark.APIKey{Owner: ann.ID, Name: "phone", Access: waymark.AccessRead}, []byte("hash")); err != nil {
			t.Fatal(err)
		}

		last := 0
		progress := func(done, all int) {
			if done < last || done > all {
				t.Errorf("progress went from %d to %d of %d", last, done, all)
			}
			last = done
		}
		if err := store.Copy(t.Context(), from, there, progress); err != nil {
			t.Fatalf("there: %v", err)
		}
		last = 0
		if err := store.Copy(t.Context(), there, back, progress); err != nil {
			t.Fatalf("back: %v", err)
		}
		for _, user := range []waymark.User{ann, ben} {
			want := everythingOf(t, from, user.ID)
			for name, s := range map[string]*store.Store{"there": there, "back": back} {
				if diff := cmp.Diff(want, everythingOf(t, s, user.ID)); diff != "" {
					t.Errorf("%s, %s sees something else:\n%s", name, user.Name, diff)
				}
			}
		}
		if _, key, err := there.APIKeyOwner(t.Context(), []byte("hash")); err != nil || key.Name != "phone" {
			t.Errorf("the key is %+v, %v", key, err)
		}
		if link := storetest.Link(t, there, ann, "https://new.example/", waymark.Private); link.ID <= annLinks[len(annLinks)-1].ID {
			t.Errorf("a new link got the id %d, which may be taken", link.ID)
		}
		if err := store.Copy(t.Context(), from, there, progress); !errors.Is(err, store.ErrNotEmpty) {
			t.Errorf("a second move: got error %v, want ErrNotEmpty", err)
		}
	})
}

func TestMoveThatIsBrokenOffLeavesTheTargetEmpty(t *testing.T) {
	storetest.Each(t, func(t *testing.T, to *store.Store) {
		from := storetest.Open(t)
		ann := storetest.User(t, from, "ann")
		storetest.Fill(t, from, ann, 1200)
		ctx, cancel := context.WithCancel(t.Context())
		err := store.Copy(ctx, from, to, func(done, _ int) {
			if done > 600 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got error %v, want context.Canceled", err)
		}
		if users, err := to.Users(t.Context()); err != nil || len(users) != 0 {
			t.Errorf("got %d users, %v, want none", len(users), err)
		}
		if err := store.Copy(t.Context(), from, to, func(int, int) {}); err != nil {
			t.Errorf("the second try: %v", err)
		}
	})
}

// everythingOf is what a user sees of a store, by what questions answer.
func everythingOf(t *testing.T, s *store.Store, user waymark.UserID) map[string]any {
	t.Helper()
	all := waymark.Pagination{}
	byName := waymark.Order{By: waymark.SortByName}
	return map[string]any{
		"links": readPage(t, s.Links(user, waymark.Order{By: waymark.SortByTitle}, all)),
		"found": readPage(t, s.SearchLinks(user, waymark.LinkFilter{Text: "ard", SearchTitle: true}, waymark.Order{By: waymark.SortByURL}, all)),
		"lists": readPage(t, s.Lists(user, byName, all)),
		"tags":  readPage(t, s.Tags(user, byName, all)),
		"trash": readPage(t, s.TrashedLinks(user)),
	}
}
