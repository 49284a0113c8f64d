package service_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestOfEditsOfOneVersionOnlyOneSucceeds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *service.Service, s *store.Store) {
		ctx, ada := t.Context(), storetest.User(t, s, "ada")
		link := addLinks(t, svc, ada, waymark.LinkInput{URL: "https://a.example/"})[0]
		list, err := svc.AddList(ctx, ada, waymark.ListInput{Name: "list"})
		check(t, err)
		tag, err := svc.AddTag(ctx, ada, waymark.TagInput{Name: "tag"})
		check(t, err)
		note, err := svc.AddNote(ctx, ada, link.ID, waymark.NoteInput{Text: "note"})
		check(t, err)
		for kind, edit := range map[string]func(text string) error{
			"link": func(text string) error {
				_, err := svc.EditLink(ctx, ada, link.ID, waymark.LinkInput{URL: link.URL, Title: &text, Version: link.UpdatedAt.String()})
				return err
			},
			"list": func(text string) error {
				_, err := svc.EditList(ctx, ada, list.ID, waymark.ListInput{Name: text, Version: list.UpdatedAt.String()})
				return err
			},
			"tag": func(text string) error {
				_, err := svc.EditTag(ctx, ada, tag.ID, waymark.TagInput{Name: text, Version: tag.UpdatedAt.String()})
				return err
			},
			"note": func(text string) error {
				_, err := svc.EditNote(ctx, ada, note.ID, waymark.NoteInput{Text: text, Version: note.UpdatedAt.String()})
				return err
			},
		} {
			var succeeded atomic.Int32
			var edits sync.WaitGroup
			for i := range 8 {
				edits.Go(func() {
					err := edit(fmt.Sprint("edit ", i))
					var invalid *waymark.ValidationError
					switch {
					case err == nil:
						succeeded.Add(1)
					case !errors.As(err, &invalid) || invalid.Problems[0].Rule != waymark.RuleUnchanged:
						t.Errorf("%s: got error %v, want that it was changed", kind, err)
					}
				})
			}
			edits.Wait()
			if n := succeeded.Load(); n != 1 {
				t.Errorf("%s: %d edits succeeded, want 1", kind, n)
			}
		}
	})
}
