package service

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// BookmarkInput is the input for a link with one text of notes and no lists, shared or not.
type BookmarkInput struct {
	waymark.LinkInput         // without Visibility and Private
	Shared            *bool   // whether others see the link
	Notes             *string // "" for none
}

// SaveBookmark adds a bookmark of owner. If owner has a link with the URL, its texts, tags, visibility and
// mark as unread are replaced instead; it keeps its lists, its other notes, its other flags and its dates.
// That is waymark.ErrForbidden unless mayEdit is set. created says which of both has happened.
func (s *Service) SaveBookmark(ctx context.Context, owner waymark.User, in BookmarkInput, mayEdit bool) (link waymark.Link, created bool, err error) {
	err = s.InTransaction(ctx, owner.ID, func(ctx context.Context, tx *store.Store) error {
		svc := s.within(tx)
		known, err := svc.KnownLink(ctx, owner, in.URL)
		switch created = errors.Is(err, waymark.ErrNotFound); {
		case created:
			link, err = svc.addBookmark(ctx, owner, in)
		case err != nil:
		case !mayEdit:
			err = waymark.ErrForbidden
		default:
			link, err = svc.changeBookmark(ctx, owner, known, in.replacing())
		}
		return err
	})
	return link, created, err
}

// KnownLink returns the owner's active link that has the URL or, as linkding finds it, the oldest one with the
// same linkdingURL. It returns waymark.ErrNotFound if there is none.
func (s *Service) KnownLink(ctx context.Context, owner waymark.User, rawURL string) (waymark.Link, error) {
	rawURL = strings.TrimSpace(rawURL)
	similar, err := s.SimilarURLs(ctx, owner.ID, rawURL)
	if err != nil {
		return waymark.Link{}, err
	}
	known := waymark.LinkID(0)
	for _, saved := range similar {
		switch {
		case saved.URL == rawURL:
			return s.Link(ctx, owner.ID, saved.Link)
		case known == 0 && linkdingURL(saved.URL) == linkdingURL(rawURL):
			known = saved.Link
		}
	}
	if known == 0 {
		return waymark.Link{}, waymark.ErrNotFound
	}
	return s.Link(ctx, owner.ID, known)
}

// linkdingURL returns what linkding compares: the URL with its scheme and host in lower case, without slashes at
// the end of the path, and with the parameters sorted. waymark.URLKey is the same for more URLs. SaveBookmark
// must not use it: it would replace the texts of links with another scheme or parameter.
func linkdingURL(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" {
		return text
	}
	parameters := u.Query()
	for _, values := range parameters {
		slices.Sort(values)
	}
	u.Host, u.RawQuery, u.ForceQuery = strings.TrimSuffix(strings.ToLower(u.Host), ":"), parameters.Encode(), false
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u.String()
}

// replacing returns the input that removes what is missing, except for what SaveBookmark keeps.
func (in BookmarkInput) replacing() BookmarkInput {
	var none string
	var no bool
	in.URL, in.CreatedAt, in.Snapshots = "", nil, nil
	in.Title, in.Description, in.Notes = cmp.Or(in.Title, &none), cmp.Or(in.Description, &none), cmp.Or(in.Notes, &none)
	in.Shared = cmp.Or(in.Shared, &no)
	in.FlagsInput = waymark.FlagsInput{Unread: cmp.Or(in.Unread, &no)}
	in.Tags = cmp.Or(in.Tags, &[]waymark.Ref{})
	return in
}

// EditBookmark changes a bookmark of the editor's own. Nil fields are kept.
func (s *Service) EditBookmark(ctx context.Context, editor waymark.User, id waymark.LinkID, in BookmarkInput) (link waymark.Link, err error) {
	err = s.InTransaction(ctx, editor.ID, func(ctx context.Context, tx *store.Store) error {
		svc := s.within(tx)
		known, err := tx.OwnLink(ctx, editor, id)
		if err == nil {
			link, err = svc.changeBookmark(ctx, editor, known, in)
		}
		return err
	})
	return link, err
}

// addBookmark adds a bookmark in a transaction.
func (s *Service) addBookmark(ctx context.Context, owner waymark.User, in BookmarkInput) (waymark.Link, error) {
	in.Visibility = in.visibility(owner, owner.DefaultVisibility.Links)
	link, err := s.AddLink(ctx, owner, in.LinkInput)
	if err != nil {
		return link, err
	}
	return link, s.setOldestNote(ctx, owner, link, in.Notes)
}

// changeBookmark changes a bookmark in a transaction.
func (s *Service) changeBookmark(ctx context.Context, editor waymark.User, link waymark.Link, in BookmarkInput) (waymark.Link, error) {
	in.URL = cmp.Or(in.URL, link.URL)
	if in.Title == nil && link.TypedTitle() == "" {
		in.Title = new(string) // so that the default title is that of a new URL
	}
	in.Visibility = in.visibility(editor, link.Visibility)
	link, err := s.EditLink(ctx, editor, link.ID, in.LinkInput)
	if err != nil {
		return link, err
	}
	return link, s.setOldestNote(ctx, editor, link, in.Notes)
}

// visibility returns the visibility for Shared. A private link that is to be shared is shown to all users
// of the server, not to guests.
func (in BookmarkInput) visibility(owner waymark.User, current waymark.Visibility) *waymark.Visibility {
	switch {
	case in.Shared == nil:
		return nil
	case !*in.Shared:
		current = waymark.Private
	case current == waymark.Private:
		current = waymark.Internal
	}
	return &current
}

// setOldestNote replaces the text of the oldest note of the owner on a link. The others stay.
func (s *Service) setOldestNote(ctx context.Context, owner waymark.User, link waymark.Link, text *string) error {
	if text == nil {
		return nil
	}
	notes, err := s.FirstNotes(ctx, owner.ID, []waymark.LinkID{link.ID})
	if err != nil {
		return err
	}
	note, ok := notes[link.ID]
	in := waymark.NoteInput{Text: *text}
	switch {
	case strings.TrimSpace(note.Text) == *text:
	case !ok:
		in.Visibility = &link.Visibility
		_, err = s.AddNote(ctx, owner, link.ID, in)
	case *text == "":
		err = s.Delete(ctx, owner, waymark.Notes, int64(note.ID))
	default:
		_, err = s.EditNote(ctx, owner, note.ID, in)
	}
	return err
}
