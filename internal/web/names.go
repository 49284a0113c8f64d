package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// parseNames returns the names of lists or tags in a text field, which has commas between them. No
// name contains a comma: waymark.NormalizeName removes it.
func parseNames(text string) []string {
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// refs returns references to the lists or tags with these names. current are those that the
// link has, which can be another user's: a name means one of them if there is one, and not a new
// one. A link can be in several lists of one name: it stays in as many of them as there are names.
func refs(names []string, current []nameView) *[]waymark.Ref {
	all := make([]waymark.Ref, 0, len(names))
	sameName := map[string][]waymark.Ref{} // the lists or tags of a name that are left
	for _, c := range current {
		folded := waymark.Fold(c.Name)
		sameName[folded] = append(sameName[folded], waymark.Ref{ID: c.ID, Name: c.Name})
	}
	for _, name := range names {
		folded := waymark.Fold(name)
		left, known := sameName[folded]
		if len(left) > 0 {
			all = append(all, left[0])
			sameName[folded] = left[1:]
		} else if name = waymark.NormalizeName(name); !known && name != "" {
			all = append(all, waymark.Ref{Name: name})
		}
	}
	return &all
}

// listNames returns texts that each mean one of some lists, with their ids.
func listNames(r *page.Request, lists []waymark.List) ([]nameView, error) {
	texts, err := r.Store.ListTexts(r.Context(), r.Viewer(), lists)
	return waymark.Map(lists, func(list waymark.List) nameView {
		return nameView{ID: int64(list.ID), Name: texts[list.ID], Hue: page.Hue(list.Name)}
	}), err
}

// listRefs is refs for lists. Their names can be texts of listNames, or ids as in #12. A name of several lists of the
// user is a page.Problem with their texts.
func listRefs(r *page.Request, names []string, current []nameView) (*[]waymark.Ref, error) {
	all := *refs(names, current)
	var wanted []waymark.Ref
	for _, ref := range all {
		if ref.ID == 0 {
			wanted = append(wanted, ref, onlyID(ref.Name))
		}
	}
	found, err := r.Store.FindLists(r.Context(), r.User.ID, wanted)
	if err != nil {
		return &all, err
	}
	texts, err := r.Store.ListTexts(r.Context(), r.Viewer(), slices.Collect(maps.Values(found)))
	for i, ref := range all {
		if ref.ID != 0 {
			continue
		}
		if list, ok := found[onlyID(ref.Name)]; ok {
			all[i] = waymark.Ref{ID: int64(list.ID), Name: list.Name}
			continue
		}
		list, ok := found[ref]
		if _, id := waymark.NumberedName(ref.Name); !ok || list.Owner != r.User.ID && id != int64(list.ID) {
			continue
		}
		all[i] = waymark.Ref{ID: int64(list.ID), Name: list.Name}
		if waymark.Fold(ref.Name) == waymark.Fold(list.Name) && texts[list.ID] != list.Name {
			if err := severalLists(r, list.Name); err != nil {
				return &all, err
			}
		}
	}
	return &all, err
}

// onlyID returns the ref of the list that a text such as #12 means.
func onlyID(text string) waymark.Ref {
	if name, id := waymark.NumberedName(text); name == "" {
		return waymark.Ref{ID: id}
	}
	return waymark.Ref{}
}

// severalLists returns the problem that a user has several lists of a name, nil for one.
func severalLists(r *page.Request, name string) error {
	lists, err := r.Store.CompleteLists(r.Context(), r.User.ID, name)
	if err != nil {
		return err
	}
	lists = slices.DeleteFunc(lists, func(list waymark.List) bool { return waymark.Fold(list.Name) != waymark.Fold(name) })
	same, err := listNames(r, lists)
	if err != nil || len(lists) < 2 {
		return err
	}
	return page.Problems{{Field: "lists", Text: r.T("problem.several-lists", "value", page.Quoted(name), "paths", page.Cut(formatViews(same), 400))}}
}

func tagNames(tags []waymark.Tag) []nameView {
	return waymark.Map(tags, func(tag waymark.Tag) nameView { return nameView{ID: int64(tag.ID), Name: tag.Name} })
}

// formatViews returns names as parseNames reads them.
func formatViews(views []nameView) string {
	names := waymark.Map(views, func(view nameView) string { return view.Name })
	return strings.Join(names, ", ")
}

// nameView is a list or a tag of a link.
type nameView struct {
	ID   int64
	Name string
	Hue  int
	place
	Marked []textPart // the name in a row, with the words of a search marked
}

// place is where a name in a row leads.
type place struct {
	Path  string
	Alone string // the path of its own page if Path narrows the view, otherwise ""
}

func listPath(id waymark.ListID) string { return fmt.Sprintf("/lists/%d", id) }

func tagPath(id waymark.TagID) string { return fmt.Sprintf("/tags/%d", id) }

// textOfOther returns the text in fields of forms that means a list of another person.
func textOfOther(list waymark.List) string { return fmt.Sprintf("%s #%d", list.Name, list.ID) }

func linkOwner(l waymark.Link) waymark.UserID { return l.Owner }

func listOwner(l waymark.List) waymark.UserID { return l.Owner }

func tagOwner(t waymark.Tag) waymark.UserID { return t.Owner }

// userNames returns the names of users. A user can be in ids several times. It changes ids.
func userNames(r *page.Request, ids []waymark.UserID) (map[waymark.UserID]string, error) {
	slices.Sort(ids)
	return r.Store.Accounts.UserNames(r.Context(), slices.Compact(ids))
}

// otherOwners is userNames without the user of the request.
func otherOwners(r *page.Request, ids []waymark.UserID) (map[waymark.UserID]string, error) {
	return userNames(r, slices.DeleteFunc(ids, func(id waymark.UserID) bool { return id == r.User.ID }))
}

func pagination(r *page.Request, perPage int) waymark.Pagination {
	return waymark.Pagination{Offset: (page.NumberOf(r) - 1) * perPage, Limit: perPage}
}

var newestFirst = waymark.Order{By: waymark.SortByCreatedAt, Desc: true}

var mostLinks = waymark.Order{By: waymark.SortByLinks, Desc: true}

var byName = waymark.Order{By: waymark.SortByName}

// linkOrders are the orders of links by their name in the query.
var linkOrders = map[string]waymark.Order{
	"best":     waymark.BestMatch,
	"newest":   newestFirst,
	"oldest":   {By: waymark.SortByCreatedAt},
	"title":    {By: waymark.SortByTitle},
	"edited":   {By: waymark.SortByUpdatedAt, Desc: true},
	"shortest": {By: waymark.SortByMinutes},
}

// matchingLinks lists the links that a filter selects.
func matchingLinks(r *page.Request, filter waymark.LinkFilter, order waymark.Order, part waymark.Pagination) store.Listing[waymark.Link] {
	if filter.Where == waymark.Condition(waymark.Not{Condition: waymark.IsArchived}) {
		return r.Store.UnarchivedLinks(r.Viewer(), order, part)
	}
	return r.Store.SearchLinks(r.Viewer(), filter, order, part)
}
