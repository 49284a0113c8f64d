package web

import (
	"strings"

	"waymark/internal/waymark"
)

// jumpPage is the data of the results of the dialog to jump: the lists, tags and pages whose names
// contain the text, and the links that have its words.
type jumpPage struct {
	Text  string
	Lists []jumpLabel
	Tags  []jumpLabel
	Links []linkView
	Pages []jumpTarget
}

// jumpLabel is a list or a tag. Two lists can have the same name.
type jumpLabel struct {
	completion
	ID int64
}

// jumpTarget is a page of the navigation.
type jumpTarget struct{ Path, Name, Icon string }

// maxJumpLinks is the maximum number of links among the results.
const maxJumpLinks = 6

// showJump shows the results: in the dialog, or as a page if the browser runs no scripts.
func (v *visit) showJump() error {
	data, err := v.jumpTo(strings.TrimSpace(v.parameters.Get("q")))
	if err != nil {
		return err
	}
	if v.r.Header.Get("HX-Request") == "true" {
		return v.renderPart("jump-results", data)
	}
	return v.render("jump", data)
}

func (v *visit) jumpTo(text string) (jumpPage, error) {
	data := jumpPage{Text: text}
	for _, target := range []jumpTarget{
		{"/links", v.t("shell.links"), "link"}, {"/lists", v.t("shell.lists"), "library"}, {"/tags", v.t("shell.tags"), "tags"},
		{"/trash", v.t("shell.trash"), "trash-2"}, {"/settings", v.t("shell.settings"), "settings"}, {"/links/create", v.t("shell.add-link"), "plus"},
		{"/lists/create", v.t("shell.new-list"), "plus"},
	} {
		if strings.Contains(waymark.Fold(target.Name), waymark.Fold(text)) {
			data.Pages = append(data.Pages, target)
		}
	}
	if text == "" {
		return data, nil
	}
	lists, err := v.Store.CompleteLists(v.ctx(), v.user.ID, text)
	if err != nil {
		return data, err
	}
	for _, list := range lists {
		data.Lists = append(data.Lists, jumpLabel{newCompletion(list.Name, text, hue(list.Name), list.LinkCount), int64(list.ID)})
	}
	tags, err := v.Store.CompleteTags(v.ctx(), v.user.ID, text)
	if err != nil {
		return data, err
	}
	for _, tag := range tags {
		data.Tags = append(data.Tags, jumpLabel{newCompletion(tag.Name, text, -1, tag.LinkCount), int64(tag.ID)})
	}
	filter := waymark.LinkFilter{Words: parsePlainWords(text)}
	links, err := v.Store.SearchLinks(v.user.ID, filter, newestFirst, waymark.Pagination{Limit: maxJumpLinks}).Page(v.ctx())
	for _, link := range links.Entities {
		data.Links = append(data.Links, v.markedLinkView(link, foldAll(filter.Words)))
	}
	return data, err
}

// parsePlainWords returns the words of a text, none of which is a filter.
func parsePlainWords(text string) []string {
	words := strings.Fields(text)
	return words[:min(len(words), waymark.MaxWords)]
}
