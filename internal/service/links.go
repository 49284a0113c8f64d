package service

import (
	"context"

	"waymark/internal/waymark"
)

// AddLink creates a link of owner and attaches its lists and tags. Missing fields get a
// default; the page of the link is not fetched.
func (s *Service) AddLink(ctx context.Context, owner waymark.User, in waymark.LinkInput) (waymark.Link, error) {
	links, err := s.AddLinks(ctx, owner, []waymark.LinkInput{in})
	if err != nil {
		return waymark.Link{}, err
	}
	return links[0], nil
}

// AddLinks creates all of the links, or none. The problems of a ValidationError have the
// index of the input.
func (s *Service) AddLinks(ctx context.Context, owner waymark.User, inputs []waymark.LinkInput) ([]waymark.Link, error) {
	drafts, err := newDrafts(inputs, func(in waymark.LinkInput) (waymark.LinkDraft, error) { return newLinkDraft(owner, in) })
	if err != nil {
		return nil, s.appendDuplicateURLs(ctx, err, owner.ID, 0, inputs...)
	}
	links, err := s.store.CreateLinks(ctx, owner, drafts)
	return links, conflictToValidation(err, waymark.FieldURL)
}

func newLinkDraft(owner waymark.User, in waymark.LinkInput) (waymark.LinkDraft, error) {
	link, err := waymark.NewLink(owner, in)
	draft := waymark.LinkDraft{Link: link}
	if in.Lists != nil {
		draft.Lists = *in.Lists
	}
	if in.Tags != nil {
		draft.Tags = *in.Tags
	}
	return draft, err
}

// EditLink changes a link.
func (s *Service) EditLink(ctx context.Context, editor waymark.User, id waymark.LinkID, in waymark.LinkInput) (waymark.Link, error) {
	permit := ownerOnly(editor)
	link, err := s.store.ChangeLink(ctx, editor, id, in.Lists, in.Tags, func(link *waymark.Link) error {
		if err := permit(link.Owner); err != nil {
			return err
		}
		return in.Apply(link)
	})
	return link, s.appendDuplicateURLs(ctx, conflictToValidation(err, waymark.FieldURL), editor.ID, id, in)
}

// appendDuplicateURLs adds the duplicate URLs among inputs to the problems of err. The
// link with the id except does not count.
func (s *Service) appendDuplicateURLs(ctx context.Context, err error, owner waymark.UserID, except waymark.LinkID, inputs ...waymark.LinkInput) error {
	return appendDuplicates(err, waymark.FieldURL, func() ([]int, error) {
		urls := make([]string, len(inputs))
		for i, in := range inputs {
			urls[i] = in.URL
		}
		return s.store.DuplicateURLs(ctx, owner, urls, except)
	})
}

// EditLinks makes one change to the editor's own active links among ids. It returns these
// links in the order of ids, each once.
func (s *Service) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) ([]waymark.Link, error) {
	if err := edit.Validate(); err != nil {
		return nil, err
	}
	return s.store.EditLinks(ctx, editor, ids, edit, ownerOnly(editor))
}

// DeleteLink moves a link into the trash.
func (s *Service) DeleteLink(ctx context.Context, user waymark.User, id waymark.LinkID) error {
	return s.store.Delete(ctx, waymark.Links, int64(id), ownerOnly(user))
}
