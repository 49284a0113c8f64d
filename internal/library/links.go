package library

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/waymark"
)

// AddLink saves a link for owner, with its lists and tags. It never waits for the
// link's page: what is not said gets a default, the host as the title.
func (l *Library) AddLink(ctx context.Context, owner waymark.User, in waymark.LinkInput) (waymark.Link, error) {
	draft, err := newDraft(owner, in)
	if err != nil {
		return waymark.Link{}, err
	}
	links, err := l.store.CreateLinks(ctx, owner, []waymark.LinkDraft{draft})
	if err != nil {
		return waymark.Link{}, taken(err, "url")
	}
	return links[0], nil
}

// AddLinks saves many links, all of them or none. The fields of an InvalidError
// name the link they are about: models.0.url.
func (l *Library) AddLinks(ctx context.Context, owner waymark.User, inputs []waymark.LinkInput) ([]waymark.Link, error) {
	drafts, err := draftAll(inputs, func(in waymark.LinkInput) (waymark.LinkDraft, error) { return newDraft(owner, in) })
	if err != nil {
		return nil, err
	}
	links, err := l.store.CreateLinks(ctx, owner, drafts)
	return links, takenAmong(err, "url")
}

func newDraft(owner waymark.User, in waymark.LinkInput) (waymark.LinkDraft, error) {
	link, err := waymark.NewLink(owner, in)
	draft := waymark.LinkDraft{Link: link}
	if in.Lists != nil {
		draft.IntoLists = *in.Lists
	}
	if in.Tags != nil {
		draft.WithTags = *in.Tags
	}
	return draft, err
}

// EditLink changes a link of the editor's own.
func (l *Library) EditLink(ctx context.Context, editor waymark.User, id waymark.LinkID, in waymark.LinkInput) (waymark.Link, error) {
	link, err := l.store.ChangeLink(ctx, editor, id, in.Lists, in.Tags, func(link *waymark.Link) error {
		if !editor.ID.MayEdit(link.Owner) {
			return waymark.ErrForbidden
		}
		return in.Apply(link)
	})
	return link, taken(err, "url")
}

// EditLinks makes one change to many links: see store.Store.EditLinks for what
// comes back.
func (l *Library) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) ([]*waymark.Link, error) {
	return l.store.EditLinks(ctx, editor, ids, edit)
}

// draftAll makes a draft of each input, and names every rule that any breaks.
func draftAll[In, Draft any](inputs []In, draft func(In) (Draft, error)) ([]Draft, error) {
	problems := &waymark.InvalidError{}
	drafts := make([]Draft, len(inputs))
	for i, in := range inputs {
		var err error
		if drafts[i], err = draft(in); err != nil {
			if err := problems.Include(model(i, ""), err); err != nil {
				return nil, err
			}
		}
	}
	return drafts, problems.OrNil()
}

// takenAmong turns a conflict over a unique field of several entries into broken
// rules about each.
func takenAmong(err error, field string) error {
	var conflict *waymark.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	problems := &waymark.InvalidError{}
	for _, i := range conflict.At {
		problems.Add(model(i, field), "The %s has already been taken.", field)
	}
	return problems
}

// model is how a field of one entry of many is named.
func model(i int, field string) string { return fmt.Sprintf("models.%d.%s", i, field) }
