package web

import (
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// usedNames are the lists or tags that the selected links have.
type usedNames struct {
	Kind  string // lists or tags
	Names []usedName
	More  bool // there are others
}

type usedName struct {
	ID   int64
	Name string
	Hue  int // of the dot of a list, -1 for none
	On   string
}

// shownSelection returns the ids of the links that the parameters of the URL select.
func shownSelection(r *page.Request) ([]int64, error) { return selectedLinks(r, r.Parameters) }

// showUsedLists shows the lists of the selected links, for the menu that changes them.
func showUsedLists(r *page.Request, ids []int64) error {
	found, err := r.Store.ListsOfLinks(r.Context(), r.User.ID, ids, maxUsed+1)
	if err != nil {
		return err
	}
	paths, err := r.Store.ListPaths(r.Context(), r.User.ID, waymark.Map(found, func(list waymark.List) waymark.ListID { return list.ID }))
	if err != nil {
		return err
	}
	used := usedNames{Kind: "lists"}
	for _, list := range found {
		names := waymark.Map(paths[list.ID], func(above waymark.ListName) string { return above.Name })
		used.add(r, len(ids), usedName{ID: int64(list.ID), Name: strings.Join(names, " › "), Hue: page.Hue(list.Name)}, list.LinkCount)
	}
	return r.RenderPart("used-names", used)
}

// showUsedTags is showUsedLists for tags.
func showUsedTags(r *page.Request, ids []int64) error {
	found, err := r.Store.TagsOfLinks(r.Context(), r.User.ID, ids, maxUsed+1)
	if err != nil {
		return err
	}
	used := usedNames{Kind: "tags"}
	for _, tag := range found {
		used.add(r, len(ids), usedName{ID: int64(tag.ID), Name: tag.Name, Hue: -1}, tag.LinkCount)
	}
	return r.RenderPart("used-names", used)
}

// add adds a list or tag that n of the selected links have.
func (u *usedNames) add(r *page.Request, selected int, name usedName, n int) {
	if u.More = len(u.Names) == maxUsed; u.More {
		return
	}
	if name.On = r.T("bulk.on", "n", n); n == selected {
		name.On = r.T("bulk.on-all")
	}
	u.Names = append(u.Names, name)
}
