package service

import (
	"context"

	"waymark/internal/waymark"
)

// AddLink saves a link for owner, with its lists and tags. It never waits for the
// link's page: what is not said gets a default, the host as the title.
func (s *Service) AddLink(ctx context.Context, owner waymark.User, in waymark.LinkInput) (waymark.Link, error) {
	draft, err := newDraft(owner, in)
	if err != nil {
		return waymark.Link{}, s.appendDuplicateURLs(ctx, err, owner.ID, 0, single, in)
	}
	links, err := s.store.CreateLinks(ctx, owner, []waymark.LinkDraft{draft})
	if err != nil {
		return waymark.Link{}, conflictToValidation(err, "url", single)
	}
	return links[0], nil
}

// AddLinks saves many links, all of them or none. The fields of an ValidationError
// name the link they are about: models.0.url.
func (s *Service) AddLinks(ctx context.Context, owner waymark.User, inputs []waymark.LinkInput) ([]waymark.Link, error) {
	drafts, err := draftAll(inputs, func(in waymark.LinkInput) (waymark.LinkDraft, error) { return newDraft(owner, in) })
	if err != nil {
		return nil, s.appendDuplicateURLs(ctx, err, owner.ID, 0, oneOfMany, inputs...)
	}
	links, err := s.store.CreateLinks(ctx, owner, drafts)
	return links, conflictToValidation(err, "url", oneOfMany)
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
func (s *Service) EditLink(ctx context.Context, editor waymark.User, id waymark.LinkID, in waymark.LinkInput) (waymark.Link, error) {
	link, err := s.store.ChangeLink(ctx, editor, id, in.Lists, in.Tags, func(link *waymark.Link) error {
		if !editor.ID.MayEdit(link.Owner) {
			return waymark.ErrForbidden
		}
		return in.Apply(link)
	})
	return link, s.appendDuplicateURLs(ctx, conflictToValidation(err, "url", single), editor.ID, id, single, in)
}

// appendDuplicateURLs adds to the mistakes that err names those addresses that are taken.
func (s *Service) appendDuplicateURLs(ctx context.Context, err error, owner waymark.UserID, except waymark.LinkID, name fieldName, inputs ...waymark.LinkInput) error {
	return appendDuplicates(err, "url", name, func() ([]int, error) {
		urls := make([]string, len(inputs))
		for i, in := range inputs {
			urls[i] = in.URL
		}
		return s.store.DuplicateURLs(ctx, owner, urls, except)
	})
}

// EditLinks makes one change to many links: see store.Store.EditLinks for what
// comes back.
func (s *Service) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) ([]*waymark.Link, error) {
	return s.store.EditLinks(ctx, editor, ids, edit)
}

// draftAll makes a draft of each input, and names every rule that any breaks.
func draftAll[In, Draft any](inputs []In, draft func(In) (Draft, error)) ([]Draft, error) {
	problems := &waymark.ValidationError{}
	drafts := make([]Draft, len(inputs))
	for i, in := range inputs {
		var err error
		if drafts[i], err = draft(in); err != nil {
			if err := problems.Merge(oneOfMany(i, ""), err); err != nil {
				return nil, err
			}
		}
	}
	return drafts, problems.Err()
}
