package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// mergePage is the data of the page that merges tags: it asks for their names, then which one
// remains.
type mergePage struct {
	Names    string // with commas between them
	Known    []string
	Tags     []labelView // to choose from, none before the names are right
	Into     int64       // the one that remains
	Links    int         // that have one of them, -1 if it is not known
	Problems page.Problems
}

// tagsAlikePath is the path of the page of tags that look alike, to which a merge returns.
const tagsAlikePath = "/tidy/tags"

// maxMerged limits the tags that are merged at once.
const maxMerged = 50

func showMergeTags(r *page.Request) error {
	p := mergePage{Names: r.Parameters.Get("tags")}
	if r.Parameters.Has("models") || r.Parameters.Has("all") {
		var err error
		if p.Names, err = selectedTagNames(r); err != nil {
			return err
		}
	}
	names := parseNames(p.Names)
	if len(names) > maxMerged {
		names = names[:maxMerged]
		p.Problems = page.Problems{{Field: "tags", Text: r.T("merge-tags.too-many", "n", maxMerged)}}
	}
	seen := map[waymark.TagID]bool{}
	for _, name := range names {
		found, err := r.Store.CompleteTags(r.Context(), r.User.ID, name)
		if err != nil {
			return err
		}
		if len(found) == 0 || waymark.Fold(found[0].Name) != waymark.Fold(name) {
			p.Problems = append(p.Problems, page.Problem{Field: "tags", Text: r.T("merge-tags.unknown", "name", page.Quoted(name))})
			continue
		}
		if tag := found[0]; !seen[tag.ID] {
			seen[tag.ID] = true
			p.Tags = append(p.Tags, labelView{nameView: nameView{ID: int64(tag.ID), Name: tag.Name}, Count: tag.LinkCount})
		}
	}
	if len(p.Tags) > 0 {
		p.Into = slices.MaxFunc(p.Tags, func(a, b labelView) int { return cmp.Compare(a.Count, b.Count) }).ID
	}
	status := http.StatusOK
	// One tag is a mistake if the form was sent, but not if the link on the page of a tag was followed.
	if r.Parameters.Has("next") && len(p.Tags) < 2 && len(p.Problems) == 0 {
		p.Problems = page.Problems{{Field: "tags", Text: r.T("merge-tags.two")}}
	}
	if len(p.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if len(p.Problems) > 0 || len(p.Tags) < 2 {
		p.Tags = nil
		var err error
		if _, p.Known, err = knownNames(r); err != nil {
			return err
		}
	}
	if len(p.Tags) > 0 {
		tagged := waymark.Labeled{Kind: waymark.Tags}
		for _, tag := range p.Tags {
			tagged.Refs = append(tagged.Refs, waymark.Ref{ID: tag.ID})
		}
		counts, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: tagged}})
		if err != nil {
			return err
		}
		p.Links = counts[0]
	}
	return r.RenderStatus(status, "merge-tags", p)
}

// selectedTagNames returns the names of the tags that were selected on the page with all tags, at most one more than
// can be merged.
func selectedTagNames(r *page.Request) (string, error) {
	ids, err := selectedLabels(r, waymark.Tags, r.Parameters)
	var names []string
	for _, id := range ids[:min(len(ids), maxMerged+1)] {
		tag, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(id))
		if err != nil {
			return "", err
		}
		names = append(names, tag.Name)
	}
	return strings.Join(names, ", "), err
}

// mergeTags merges the selected tags into one of them.
func mergeTags(r *page.Request) error {
	into := parseIDs(r.HTTP.PostForm["into"], 1)
	ids := parseIDs(r.HTTP.PostForm["models"], maxMerged)
	if len(into) == 0 || len(ids) < 2 {
		return page.Error{Status: http.StatusBadRequest}
	}
	others := make([]waymark.TagID, 0, len(ids))
	for _, id := range ids {
		if id != into[0] {
			others = append(others, waymark.TagID(id))
		}
	}
	remaining, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(into[0]))
	if err != nil {
		return err
	}
	links, undo, err := undoableChange(r, true, func(ctx context.Context, s *service.Service) (int, error) {
		return s.MergeTags(ctx, r.User, remaining.ID, others)
	})
	if err != nil {
		return err
	}
	message := r.T("merge-tags.merged", "name", page.Quoted(remaining.Name), "n", links)
	path := r.Back(tagPath(remaining.ID))
	back := "/tags"
	if path == tagsAlikePath {
		back = path
	}
	return r.Changed(path, page.Toast{Text: message, Undo: undo, Back: back})
}
