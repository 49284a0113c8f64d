package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"

	"pgregory.net/rapid"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// updatedAt matches the time of an entity's last change in the text of a collection.
var updatedAt = regexp.MustCompile(`"UpdatedAt": \d+`)

// undoneChange makes changes and undoes them, the last one first. Then everything is as it was, also the time of
// each entity's last change, unless an edit set nothing but that time: such an edit cannot be undone.
func (mt *modelTest) undoneChange() {
	user := mt.anyUser()
	before := mt.collection(user)
	const session = 7
	var tokens []string
	onlyTimes := false
	for range rapid.IntRange(1, 4).Draw(mt.T, "changes") {
		change := mt.change(user)
		undo, err := mt.service.WithUndo(mt.ctx, service.UndoOptions{User: user, Session: session, Bulk: rapid.Bool().Draw(mt.T, "bulk")}, func(ctx context.Context, s *service.Service) error {
			return change(ctx, s, user)
		})
		var invalid *waymark.ValidationError
		if err != nil && !errors.As(err, &invalid) && !errors.Is(err, waymark.ErrNotFound) && !errors.Is(err, waymark.ErrForbidden) && !errors.Is(err, waymark.ErrConflict) {
			mt.Fatal(err)
		}
		if err == nil && undo.Token != "" { // something was changed
			tokens = append(tokens, undo.Token)
		}
		onlyTimes = onlyTimes || err == nil && undo.Token == ""
	}
	for _, token := range slices.Backward(tokens) {
		_, err := mt.service.Undo(mt.ctx, service.UndoOptions{User: user, Session: session + 1}, token)
		mt.wantError("undo in another session", err, waymark.ErrNotFound)
		result, err := mt.service.Undo(mt.ctx, service.UndoOptions{User: user, Session: session}, token)
		mt.wantError("undo", err, nil)
		if result.Skipped > 0 {
			mt.Fatalf("undo: %+v", result)
		}
		_, err = mt.service.Undo(mt.ctx, service.UndoOptions{User: user, Session: session}, token)
		mt.wantError("undo again", err, waymark.ErrNotFound)
	}
	after := mt.collection(user)
	if onlyTimes {
		before, after = updatedAt.ReplaceAllString(before, ""), updatedAt.ReplaceAllString(after, "")
	}
	mt.wantEqual("collection", after, before)
	for _, check := range mt.checks() {
		check(user.ID)
	}
}

// collection returns all that a user has, the trash included.
func (mt *modelTest) collection(user waymark.User) string {
	var all []any
	add := func(entity any, err error) {
		mt.wantError("collection", err, nil)
		all = append(all, entity)
	}
	err := mt.store.ReadCollection(mt.ctx, user.ID, func(c *store.Collection) error {
		for list, err := range c.Lists() {
			add(list, err)
		}
		for tag, err := range c.Tags() {
			add(tag, err)
		}
		for link, err := range c.Links() {
			add(link, err)
		}
		for note, err := range c.NotesOnOtherLinks() {
			add(note, err)
		}
		return nil
	})
	text, jsonErr := json.MarshalIndent(all, "", " ")
	mt.wantError("collection", errors.Join(err, jsonErr), nil)
	return string(text)
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
			_, err := s.RestoreMany(ctx, user, kind, ids)
			return err
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
			return s.MoveLists(ctx, user, lists, place)
		},
		func(ctx context.Context, s *service.Service, user waymark.User) error {
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
