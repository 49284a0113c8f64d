package service_test

import (
	"context"
	"errors"

	"pgregory.net/rapid"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// undoneChange makes a change and undoes it, after which everything is as it was.
func (mt *modelTest) undoneChange() {
	user := mt.anyUser()
	change := mt.change(user)
	mt.restoredLists = nil
	const session = 7
	undo, err := mt.service.WithUndo(mt.ctx, service.UndoOptions{User: user, Session: session, Bulk: rapid.Bool().Draw(mt.T, "bulk")}, func(ctx context.Context, s *service.Service) error {
		return change(ctx, s, user)
	})
	var invalid *waymark.ValidationError
	if err != nil {
		if !errors.As(err, &invalid) && !errors.Is(err, waymark.ErrNotFound) && !errors.Is(err, waymark.ErrForbidden) {
			mt.Fatal(err)
		}
		mt.adoptCreated(user, nil, nil)
		return
	}
	if undo.Token == "" { // nothing was changed
		mt.adoptCreated(user, nil, nil)
		return
	}
	_, err = mt.service.Undo(mt.ctx, user, session+1, undo.Token)
	mt.wantError("undo in another session", err, waymark.ErrNotFound)
	result, err := mt.service.Undo(mt.ctx, user, session, undo.Token)
	mt.wantError("undo", err, nil)
	if result.Skipped > 0 {
		mt.Fatalf("undo: %+v", result)
	}
	_, err = mt.service.Undo(mt.ctx, user, session, undo.Token)
	mt.wantError("undo again", err, waymark.ErrNotFound)
	mt.adoptCreated(user, nil, nil)
	if restored := mt.trashedOf(user.ID, mt.restoredLists); len(restored) > 0 {
		mt.trashLists(mt.restoreLists(restored...)...) // their places can be others now, and they were deleted together
	}
	for _, check := range mt.checks() {
		check(user.ID)
	}
}

// change generates a change that can be undone without a trace.
func (mt *modelTest) change(user waymark.User) func(ctx context.Context, s *service.Service, user waymark.User) error {
	kind := anyKind.Draw(mt.T, "kind")
	ids := mt.idsOfKind(kind, 5)
	lists, place := rapid.SliceOfN(mt.anyList(user), 1, 3).Draw(mt.T, "lists"), mt.anyPlace(user)
	links := rapid.SliceOfN(anyIDOf(mt.links), 1, 6).Draw(mt.T, "links")
	linkInput, listInput, tagInput, bulk := mt.linkInput(), mt.listInput(), mt.tagInput(), mt.bulkEdit()
	noteInput := waymark.NoteInput{Text: "undone", VisibilityInput: mt.visibilityInput()}
	list, note := anyIDOf(mt.lists).Draw(mt.T, "list"), anyIDOf(mt.notes).Draw(mt.T, "note")
	tags := rapid.SliceOfN(anyIDOf(mt.tags), 1, 3).Draw(mt.T, "tags")
	type change = func(ctx context.Context, s *service.Service, user waymark.User) error
	return rapid.SampledFrom([]change{
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			_, err := s.EditLink(ctx, user, links[0], linkInput)
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			_, err := s.EditLinks(ctx, user, plainIDs(links), bulk)
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			_, err := s.EditList(ctx, user, list, listInput)
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			_, err := s.EditTags(ctx, user, plainIDs(tags), waymark.BulkEdit{Visibility: bulk.Visibility})
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			_, err := s.EditTag(ctx, user, tags[0], tagInput)
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			_, err := s.EditNote(ctx, user, note, noteInput)
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			_, err := s.DeleteMany(ctx, user, kind, ids)
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			if kind == waymark.Lists {
				mt.restoredLists = ids
			}
			_, err := s.RestoreMany(ctx, user, kind, ids)
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			return s.MoveLists(ctx, user, lists, place)
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			if kind == waymark.Lists {
				mt.restoredLists = ids[:1]
			}
			return s.Restore(ctx, user, kind, ids[0])
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			return s.RemoveFromList(ctx, user, list, links[0])
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			return s.RemoveTag(ctx, user, tags[0], links[0])
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			_, err := s.MergeTags(ctx, user, tags[0], tags[1:])
			return err
		},
	}).Draw(mt.T, "change")
}

// mergeTags merges up to three tags.
func (mt *modelTest) mergeTags() {
	user := mt.anyUser()
	ids := rapid.SliceOfN(anyIDOf(mt.tags), 1, 4).Draw(mt.T, "tags")
	var want error
	for _, id := range ids {
		if tag := mt.tags[id]; tag == nil || tag.DeletedAt != 0 {
			want = waymark.ErrNotFound
		} else if tag.Owner != user.ID && want == nil {
			want = waymark.ErrForbidden
		}
	}
	links := 0
	for _, link := range mt.links {
		had := false
		for _, id := range ids[1:] {
			had = had || id != ids[0] && link.hasTags[id]
		}
		if had && want == nil {
			link.hasTags[ids[0]] = true
			if link.DeletedAt == 0 {
				links++
			}
		}
	}
	got, err := mt.service.MergeTags(mt.ctx, user, ids[0], ids[1:])
	if want != nil {
		if !errors.Is(err, waymark.ErrNotFound) && !errors.Is(err, waymark.ErrForbidden) {
			mt.Fatalf("merge tags %v: got %v, want %v", ids, err, want)
		}
		return
	}
	mt.wantError("merge tags", err, nil)
	mt.wantEqual("links of the merged tags", got, links)
	for _, id := range ids[1:] {
		if id != ids[0] {
			mt.tags[id].DeletedAt = trashed
		}
	}
}
