package web

import (
	"context"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// maxTagGroups is the number of groups on the page of tags that look alike.
const maxTagGroups = 100

// tagsAlikePage is the data of the page of tags that look alike.
type tagsAlikePage struct {
	Total  int
	Groups [][]waymark.Tag // the first tag of each stays, unless a person chooses another one
}

func showTagsAlike(r *page.Request) error {
	groups, err := r.Store.TagsAlike(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	return r.Render("tags-alike", tagsAlikePage{len(groups), groups[:min(len(groups), maxTagGroups)]})
}

// keepTagsApart remembers that tags are not to be merged.
func keepTagsApart(r *page.Request) error {
	ids := waymark.Map(parseIDs(r.HTTP.PostForm["models"], maxMerged), func(id int64) waymark.TagID { return waymark.TagID(id) })
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error { return s.KeepTagsApart(ctx, r.User, ids) })
	if err != nil {
		return err
	}
	return r.Changed(tagsAlikePath, page.Toast{Text: r.T("duplicates.apart"), Undo: undo, Back: tagsAlikePath})
}
