package web

import (
	"context"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// mergePage is the data of the page that merges tags: first the names of the tags, then the
// question which of them remains.
type mergePage struct {
	Names    string // with commas between them
	Known    []string
	Tags     []labelView // to choose from, none before the names are right
	Into     int64       // the one that remains
	Links    int         // that have one of them, -1 if it is not known
	Problems problems
}

// maxMerged limits the tags that are merged at once.
const maxMerged = 50

func showMergeTags(v *visit) error {
	p := mergePage{Names: v.parameters.Get("tags")}
	names := parseNames(p.Names)
	if len(names) > maxMerged {
		names = names[:maxMerged]
	}
	seen := map[waymark.TagID]bool{}
	for _, name := range names {
		found, err := v.Store.CompleteTags(v.ctx(), v.user.ID, name)
		if err != nil {
			return err
		}
		if len(found) == 0 || waymark.Fold(found[0].Name) != waymark.Fold(name) {
			p.Problems = append(p.Problems, problem{"tags", v.t("merge-tags.unknown", "name", cut(name, maxQuoted))})
			continue
		}
		if tag := found[0]; !seen[tag.ID] {
			seen[tag.ID] = true
			p.Tags = append(p.Tags, labelView{nameView: nameView{int64(tag.ID), tag.Name, 0}, Count: tag.LinkCount})
		}
	}
	most := -1
	for _, tag := range p.Tags {
		if tag.Count > most {
			p.Into, most = tag.ID, tag.Count
		}
	}
	status := http.StatusOK
	// One tag is a mistake if the form was sent, but not if the link on the page of a tag was followed.
	if v.parameters.Has("next") && len(p.Tags) < 2 && len(p.Problems) == 0 {
		p.Problems = problems{{"tags", v.t("merge-tags.two")}}
	}
	if len(p.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if len(p.Problems) > 0 || len(p.Tags) < 2 {
		p.Tags = nil
		var err error
		if _, p.Known, err = knownNames(v); err != nil {
			return err
		}
	}
	if len(p.Tags) > 0 {
		var filter waymark.LinkFilter
		for _, tag := range p.Tags {
			filter.Tags = append(filter.Tags, waymark.Ref{ID: tag.ID})
		}
		counts, err := v.Store.CountLinks(v.ctx(), v.user.ID, []waymark.LinkFilter{filter})
		if err != nil {
			return err
		}
		p.Links = counts[0]
	}
	return v.renderStatus(status, "merge-tags", p)
}

// mergeTags merges the selected tags into one of them.
func mergeTags(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	into := parseIDs(v.r.PostForm["into"], 1)
	ids := parseIDs(v.r.PostForm["models"], maxMerged)
	if len(into) == 0 || len(ids) < 2 {
		return pageError{http.StatusBadRequest}
	}
	others := make([]waymark.TagID, 0, len(ids))
	for _, id := range ids {
		if id != into[0] {
			others = append(others, waymark.TagID(id))
		}
	}
	remaining, err := v.Store.Tag(v.ctx(), v.user.ID, waymark.TagID(into[0]))
	if err != nil {
		return err
	}
	var links int
	undo, err := withUndoOptions(v, service.UndoOptions{Bulk: true}, func(ctx context.Context, s *service.Service) (err error) {
		links, err = s.MergeTags(ctx, v.user, remaining.ID, others)
		return err
	})
	if err != nil {
		return err
	}
	message := v.t("merge-tags.merged", "name", cut(remaining.Name, maxQuoted), "n", links)
	return v.changed(tagPath(remaining.ID), toast{Text: message, Undo: undo, Back: "/tags"})
}
