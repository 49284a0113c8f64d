package web

import (
	"context"
	"slices"
	"strings"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// jumpPage is the data of the results of the dialog to jump: the lists, tags and pages whose names
// contain the text, those with more links first, and the links that match its words best.
type jumpPage struct {
	Text  string
	Lists []jumpLabel
	Smart []page.SidebarEntry // smart lists
	Tags  []jumpLabel
	Links []linkView
	Pages []jumpTarget
}

// Name is the text without # or >.
func (p jumpPage) Name() string { return strings.TrimSpace(strings.TrimLeft(p.Text, "#>")) }

// Found is the number of results.
func (p jumpPage) Found() int {
	return len(p.Lists) + len(p.Smart) + len(p.Tags) + len(p.Links) + len(p.Pages)
}

// jumpLabel is a list or a tag. Two lists can have the same name.
type jumpLabel struct {
	completion
	ID    int64
	Owner string // "" if it is the user
}

type jumpTarget struct{ Path, Name, Icon string }

// The limits of the results: they fit in the dialog without scrolling.
const maxJumpLists, maxJumpTags, maxJumpLinks = 3, 2, 4

// showJump shows the results: in the dialog, or as a page if the browser runs no scripts.
func showJump(r *page.Request) error {
	data, err := jumpTo(r, strings.TrimSpace(r.Parameters.Get("q")))
	if err != nil {
		return err
	}
	if r.HTTP.Header.Get("HX-Request") == "true" {
		return r.RenderPart("jump-results", data)
	}
	return r.Render("jump", data)
}

// jumpTo returns the results for a text: after # only tags, after > only pages.
func jumpTo(r *page.Request, text string) (jumpPage, error) {
	data := jumpPage{Text: text}
	if name, ok := strings.CutPrefix(text, "#"); ok {
		return data, data.addLabels(r, strings.TrimSpace(name), 0, maxJumpLists+maxJumpTags+maxJumpLinks)
	}
	name, onlyPages := strings.CutPrefix(text, ">")
	name = strings.TrimSpace(name)
	for _, target := range []jumpTarget{
		{r.LinksPath(), r.T("shell.links"), "link"}, {"/lists", r.T("shell.lists"), "library"}, {"/tags", r.T("shell.tags"), "tags"}, {"/tidy", r.T("tidy.title"), "list-checks"},
		{"/trash", r.T("shell.trash"), "trash-2"}, {"/settings", r.T("shell.settings"), "settings"}, {"/links/create", r.T("shell.add-link"), "plus"},
		{"/lists/create", r.T("shell.new-list"), "plus"}, {"/help", r.T("help.title"), "info"},
	} {
		if strings.Contains(waymark.Plain(target.Name), waymark.Plain(name)) {
			data.Pages = append(data.Pages, target)
		}
	}
	if onlyPages {
		return data, nil
	}
	var err error
	if data.Smart, err = smartLists(r, text); err != nil {
		return data, err
	}
	data.Smart = data.Smart[:min(len(data.Smart), maxJumpLists)]
	if text == "" {
		return data, data.addPinned(r)
	}
	if err := data.addLabels(r, text, maxJumpLists, maxJumpTags); err != nil {
		return data, err
	}
	words := strings.Fields(text) // none of them is a filter
	words = words[:min(len(words), waymark.MaxWords)]
	var where waymark.And
	for _, word := range words {
		where = append(where, query.Word(word))
	}
	links, err := r.Store.SearchLinks(r.User.ID, waymark.LinkFilter{Where: where}, waymark.BestMatch, waymark.Pagination{Limit: maxJumpLinks}).Page(r.Context())
	if err != nil {
		return data, err
	}
	views, err := newLinkViews(r, r.Settings.View, foldAll(words), links.Entities)
	for _, link := range links.Entities {
		data.Links = append(data.Links, views.of(link))
	}
	return data, err
}

// addPinned adds the lists that the sidebar shows: the pinned ones, and then those with most links.
func (p *jumpPage) addPinned(r *page.Request) error {
	read, err := r.Store.Sidebar(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	labels := read.Lists[:min(len(read.Lists), maxJumpLists+maxJumpTags)]
	names, err := sidebarNames(r, labels)
	for i, list := range names {
		p.Lists = append(p.Lists, jumpLabel{newCompletion(list.Name, "", list.Hue, labels[i].LinkCount), list.ID, ""})
	}
	return err
}

// addLabels adds lists and tags whose names contain a text.
func (p *jumpPage) addLabels(r *page.Request, text string, maxLists, maxTags int) error {
	lists, err := ownFirst(r, text, maxLists, r.Store.CompleteLists, r.Store.CompleteListsOfOthers)
	if err != nil {
		return err
	}
	tags, err := ownFirst(r, text, maxTags, r.Store.CompleteTags, r.Store.CompleteTagsOfOthers)
	if err != nil {
		return err
	}
	owners, err := otherOwners(r, slices.Concat(waymark.Map(lists, listOwner), waymark.Map(tags, tagOwner)))
	if err != nil {
		return err
	}
	names, err := listNames(r, lists)
	for i, list := range names {
		p.Lists = append(p.Lists, jumpLabel{newCompletion(list.Name, text, list.Hue, lists[i].LinkCount), list.ID, owners[lists[i].Owner]})
	}
	for _, tag := range tags {
		p.Tags = append(p.Tags, jumpLabel{newCompletion(tag.Name, text, -1, tag.LinkCount), int64(tag.ID), owners[tag.Owner]})
	}
	return err
}

// ownFirst returns the lists or tags whose names contain a text: the user's own, and then, if there
// are fewer than limit, those of others.
func ownFirst[T any](r *page.Request, text string, limit int, own, others func(ctx context.Context, user waymark.UserID, text string) ([]T, error)) ([]T, error) {
	found, err := own(r.Context(), r.User.ID, text)
	if err != nil || len(found) >= limit {
		return found[:min(len(found), limit)], err
	}
	more, err := others(r.Context(), r.User.ID, text)
	found = append(found, more...)
	return found[:min(len(found), limit)], err
}
