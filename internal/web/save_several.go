package web

import (
	"context"
	"errors"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// maxSeveral is the number of URLs that are saved at once. An import saves more.
const maxSeveral = 200

// saveSeveral saves URLs that were pasted, with the lists and tags of the page. Links that the user has get these.
func saveSeveral(r *page.Request) error {
	back := r.Back(r.LinksPath())
	lists, err := listRefs(r, parseNames(r.Field("lists")), nil)
	if err != nil {
		return err
	}
	tags := refs(parseNames(r.Field("tags")), nil)
	added, known, err := severalLinks(r, lists, tags)
	if err != nil {
		return err
	}
	if len(added)+len(known) == 0 {
		return r.Changed(back, page.Toast{Text: r.T("shell.several-none")})
	}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		if len(added) > 0 {
			if _, err := s.AddLinks(ctx, r.User, added); err != nil {
				return err
			}
		}
		if len(known) == 0 || len(*lists)+len(*tags) == 0 {
			return nil
		}
		_, err := s.EditLinks(ctx, r.User, known, waymark.BulkEdit{Lists: *lists, Tags: *tags})
		return err
	})
	if err != nil {
		return err
	}
	text := r.T("shell.several-saved", "n", len(added))
	if len(known) > 0 {
		text += " " + r.T("shell.several-known", "n", len(known))
	}
	saved := page.Toast{Text: text, Undo: undo, Back: back}
	if err := askPrivate(r, &saved, known, *lists); err != nil {
		return err
	}
	return r.Changed(back, saved)
}

// severalLinks returns the links to be added for the URLs of a form, and the ids of those that the user has. What is no
// URL is left out.
func severalLinks(r *page.Request, lists, tags *[]waymark.Ref) (added []waymark.LinkInput, known []int64, err error) {
	seen := map[string]bool{}
	for _, url := range strings.Fields(r.Field("urls")) {
		var link waymark.Link
		if (waymark.LinkInput{URL: url}).Apply(&link) != nil || mistyped(url) || seen[link.URL] || len(seen) == maxSeveral {
			continue
		}
		seen[link.URL] = true
		found, err := r.Store.LinkByURL(r.Context(), r.User.ID, link.URL)
		switch {
		case err == nil && found.DeletedAt == 0:
			known = append(known, int64(found.ID))
		case err == nil || errors.Is(err, waymark.ErrNotFound):
			added = append(added, waymark.LinkInput{URL: url, Lists: lists, Tags: tags})
		default:
			return nil, nil, err
		}
	}
	return added, known, nil
}
