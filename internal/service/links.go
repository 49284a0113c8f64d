package service

import (
	"context"
	"errors"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// AddLink creates a link with its lists and tags. Package crawl fetches missing texts later.
func (s *Service) AddLink(ctx context.Context, owner waymark.User, in waymark.LinkInput) (waymark.Link, error) {
	draft, err := newLinkDraft(owner, in)
	if err != nil {
		return waymark.Link{}, s.appendDuplicateURLs(ctx, err, owner.ID, 0, in)
	}
	link, err := s.CreateLink(ctx, owner, draft)
	return link, conflictToValidation(err, waymark.FieldURL)
}

// AddLinks creates all of the links, or none. Problems have the index of their input.
func (s *Service) AddLinks(ctx context.Context, owner waymark.User, inputs []waymark.LinkInput) (store.Changed[waymark.Link], error) {
	drafts, err := newDrafts(inputs, func(in waymark.LinkInput) (waymark.LinkDraft, error) { return newLinkDraft(owner, in) })
	if err != nil {
		return store.Changed[waymark.Link]{}, s.appendDuplicateURLs(ctx, err, owner.ID, 0, inputs...)
	}
	links, err := s.CreateLinks(ctx, owner, drafts)
	return links, conflictToValidation(err, waymark.FieldURL)
}

func newLinkDraft(owner waymark.User, in waymark.LinkInput) (waymark.LinkDraft, error) {
	link, err := waymark.NewLink(owner, in)
	draft := waymark.LinkDraft{Link: link, NoTexts: in.NoTexts, AsLists: in.VisibilityInput == (waymark.VisibilityInput{})}
	if in.Lists != nil {
		draft.Lists = *in.Lists
	}
	if in.Tags != nil {
		draft.Tags = *in.Tags
	}
	return draft, err
}

// EditLink changes a link. An editor of a list into which its owner has put it may change its texts and its URL, the lists
// that they edit, and their own tags. It returns waymark.ErrForbidden if they would change more.
func (s *Service) EditLink(ctx context.Context, editor waymark.User, id waymark.LinkID, in waymark.LinkInput) (waymark.Link, error) {
	link, err := s.ChangeLink(ctx, editor, id, in.Lists, in.Tags, func(link *waymark.Link, target waymark.Target) error {
		if in.ChangesMore(*link) {
			target.Part = waymark.Whole
		}
		if err := editor.MayWrite(target); err != nil {
			return err
		}
		return in.Apply(link)
	})
	err = s.appendDuplicateURLs(ctx, conflictToValidation(err, waymark.FieldURL), link.Owner, id, in)
	return link, s.appendUnusableRefs(ctx, err, editor.ID, in.Lists, in.Tags)
}

// appendUnusableRefs adds a problem to err for each field that would replace lists or tags with
// some that cannot be used. An empty field removes all, but a field without a usable id is a
// mistake. A nil field replaces nothing.
func (s *Service) appendUnusableRefs(ctx context.Context, err error, editor waymark.UserID, lists, tags *[]waymark.Ref) error {
	add := func(kind waymark.EntityKind, field waymark.Field, refs *[]waymark.Ref) {
		if refs == nil || len(*refs) == 0 {
			return
		}
		err = appendProblems(err, field, waymark.RuleExists, func() ([]int, error) {
			if ok, err := s.AnyUsable(ctx, editor, kind, *refs); ok || err != nil {
				return nil, err
			}
			return []int{0}, nil
		})
	}
	add(waymark.Lists, waymark.FieldLists, lists)
	add(waymark.Tags, waymark.FieldTags, tags)
	return err
}

// appendDuplicateURLs adds the duplicate URLs, but for the link except, to the problems of err.
func (s *Service) appendDuplicateURLs(ctx context.Context, err error, owner waymark.UserID, except waymark.LinkID, inputs ...waymark.LinkInput) error {
	return appendProblems(err, waymark.FieldURL, waymark.RuleUnique, func() ([]int, error) {
		urls := waymark.Map(inputs, func(in waymark.LinkInput) string { return in.URL })
		return s.DuplicateURLs(ctx, owner, urls, except)
	})
}

// EditLinks makes one change to the editor's own active links, and returns them in order, each once.
func (s *Service) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) (store.Changed[waymark.Link], error) {
	err := edit.Validate()
	var links store.Changed[waymark.Link]
	if err == nil {
		links, err = s.Store.EditLinks(ctx, editor, ids, edit)
	}
	var lists, tags *[]waymark.Ref
	if edit.ListsMode == waymark.ReplaceRefs {
		lists = &edit.Lists
	}
	if edit.TagsMode == waymark.ReplaceRefs {
		tags = &edit.Tags
	}
	return links, s.appendUnusableRefs(ctx, err, editor.ID, lists, tags)
}

// SelectLinks returns the ids of the links of a selection, to change them with EditLinks or
// DeleteMany. Those of a filter are the user's own, because others may not be changed.
func (s *Service) SelectLinks(ctx context.Context, user waymark.User, selection waymark.LinkSelection) ([]int64, error) {
	if selection.Filter == nil {
		return selection.IDs, nil
	}
	filter := *selection.Filter
	filter.Where = waymark.AndOf(waymark.IsMine, filter.Where)
	return s.MatchingLinks(ctx, user.ID, filter)
}

// ChooseSnapshots sets which snapshots are made of a user's own link. Existing ones are kept.
func (s *Service) ChooseSnapshots(ctx context.Context, user waymark.User, id waymark.LinkID, choice waymark.SnapshotChoice) (waymark.Link, error) {
	return s.ChangeLink(ctx, user, id, nil, nil, func(link *waymark.Link, _ waymark.Target) error {
		if err := user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: link.Owner}); err != nil {
			return err
		}
		if !choice.Valid() {
			return waymark.Invalid(waymark.FieldSnapshots, waymark.RuleExists)
		}
		link.Snapshots = choice
		return nil
	})
}

// CheckPage returns the error of LinkOfPage for a page of this URL, so that a page that is refused need not be read.
func (s *Service) CheckPage(ctx context.Context, user waymark.User, url string, mayEdit bool) error {
	_, err := s.KnownLink(ctx, user, url)
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		_, err = newLinkDraft(user, waymark.LinkInput{URL: url})
	case err == nil && !mayEdit:
		err = waymark.ErrForbidden
	}
	return err
}

// LinkOfPage returns the user's own link for a page that a browser has saved: the link with the URL of in,
// or a new one. It returns waymark.ErrForbidden for a known one unless mayEdit.
func (s *Service) LinkOfPage(ctx context.Context, user waymark.User, in waymark.LinkInput, mayEdit bool) (link waymark.Link, err error) {
	err = s.InTransaction(ctx, user.ID, func(ctx context.Context, tx *store.Store) error {
		svc := s.within(tx)
		link, err = svc.KnownLink(ctx, user, in.URL)
		switch {
		case errors.Is(err, waymark.ErrNotFound):
			link, err = svc.AddLink(ctx, user, in)
		case err == nil && !mayEdit:
			err = waymark.ErrForbidden
		}
		return err
	})
	return link, err
}

// AcceptMoves gives the user's links of a host, at most limit, the URLs to which their pages have
// moved. A link stays as it is if the user has another one with that URL.
func (s *Service) AcceptMoves(ctx context.Context, user waymark.User, host string, limit int) (store.AcceptedMoves, error) {
	return s.Store.AcceptMoves(ctx, user.ID, host, limit, func(link *waymark.Link, url string) error {
		return (waymark.LinkInput{URL: url}).Apply(link)
	})
}

// ErrNotMoved means that no new URL of a link is known.
var ErrNotMoved = errors.New("no check has found a new URL of the link")

// AcceptMove gives a link the URL of its page. Errors are those of EditLink, and ErrNotMoved.
func (s *Service) AcceptMove(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, error) {
	link, err := s.OwnLink(ctx, user, id)
	if err != nil {
		return link, err
	}
	checks, err := s.Queue.LinkChecks(ctx, user.ID, id)
	if err != nil {
		return link, err
	}
	if checks.NewURL == "" {
		return link, ErrNotMoved
	}
	return s.EditLink(ctx, user, id, waymark.LinkInput{URL: checks.NewURL})
}

// Restore makes an entity of the user active again; an active one stays as it is. It
// returns a ValidationError if the URL or the name exists again. Another user's entity is
// waymark.ErrNotFound, so that the response does not reveal what is in their trash.
func (s *Service) Restore(ctx context.Context, user waymark.User, kind waymark.EntityKind, id int64) error {
	err := s.Store.Restore(ctx, user, kind, id)
	switch {
	case errors.Is(err, waymark.ErrForbidden):
		return waymark.ErrNotFound
	case errors.Is(err, waymark.ErrConflict) && kind == waymark.Tags:
		return waymark.Invalid(waymark.FieldName, waymark.RuleUnique)
	case errors.Is(err, waymark.ErrConflict):
		return waymark.Invalid(waymark.FieldURL, waymark.RuleUnique)
	}
	return err
}
