package web

import (
	"maps"
	"slices"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// labels are the lists and tags that searches name.
type labels struct {
	found  map[labelRef]label
	owners map[waymark.UserID]string // the names of those who are not the user
	smart  map[string]bool           // the folded names of the viewer's smart lists, if a list was not found
	same   map[string][]waymark.Ref  // the ids of the viewer's lists, by a name that several have
}

// labelRef is how a search names a list or tag.
type labelRef struct {
	kind waymark.EntityKind
	waymark.Ref
}

// label is a list or tag that a search names.
type label struct {
	id    int64
	name  string // of a list, its path if another list has the same name
	owner waymark.UserID
}

// of returns the list or tag of a ref. ok is false if the viewer sees none.
func (l labels) of(kind waymark.EntityKind, ref waymark.Ref) (found label, ok bool) {
	found, ok = l.found[labelRef{kind, ref}]
	return found, ok
}

// mapLabels returns a condition in which each list or tag is replaced.
func mapLabels(c waymark.Condition, replace func(waymark.Labeled) waymark.Condition) waymark.Condition {
	return waymark.MapLeaves(c, func(c waymark.Condition) waymark.Condition {
		if labeled, ok := c.(waymark.Labeled); ok && !labeled.Prefix {
			return replace(labeled)
		}
		return c
	})
}

// withNames returns a condition with names in place of ids, unless a name means another list or tag.
func (l labels) withNames(c waymark.Condition) waymark.Condition {
	return mapLabels(c, func(labeled waymark.Labeled) waymark.Condition {
		found, ok := l.of(labeled.Kind, labeled.Refs[0])
		named := waymark.Ref{Name: found.name}
		if same, known := l.of(labeled.Kind, named); ok && known && same.id == found.id {
			labeled.Refs = []waymark.Ref{named}
		}
		return labeled
	})
}

// labelsIn looks up those of the lists and tags in a condition that a viewer sees.
func labelsIn(r *page.Request, viewer waymark.UserID, c waymark.Condition) (found labels, err error) {
	wanted := map[waymark.EntityKind][]waymark.Ref{}
	var ids bool
	mapLabels(c, func(labeled waymark.Labeled) waymark.Condition {
		wanted[labeled.Kind] = append(wanted[labeled.Kind], labeled.Refs...)
		ids = ids || labeled.Refs[0].ID != 0
		return labeled
	})
	if err := found.find(r, viewer, wanted); err != nil {
		return found, err
	}
	var owners []waymark.UserID
	names := map[waymark.EntityKind][]waymark.Ref{}
	for ref, label := range found.found {
		owners = append(owners, label.owner)
		names[ref.kind] = append(names[ref.kind], waymark.Ref{Name: label.name})
	}
	if ids { // shown by name if the name means the same
		if err := found.find(r, viewer, names); err != nil {
			return found, err
		}
	}
	found.owners, err = otherOwners(r, owners)
	return found, err
}

// find adds lists and tags that a viewer sees, each by the ref that names it and by its id.
func (l *labels) find(r *page.Request, viewer waymark.UserID, wanted map[waymark.EntityKind][]waymark.Ref) error {
	if l.found == nil {
		l.found = map[labelRef]label{}
	}
	add := func(kind waymark.EntityKind, ref waymark.Ref, found label) {
		l.found[labelRef{kind, ref}] = found
		l.found[labelRef{kind, waymark.Ref{ID: found.id}}] = found
	}
	if named := wanted[waymark.Lists]; len(named) > 0 {
		lists, err := r.Store.FindLists(r.Context(), viewer, named)
		if err != nil {
			return err
		}
		texts, err := r.Store.ListTexts(r.Context(), viewer, slices.Collect(maps.Values(lists)))
		if err != nil {
			return err
		}
		if len(lists) < len(named) && l.smart == nil {
			if l.smart, err = smartNames(r, viewer); err != nil {
				return err
			}
		}
		for ref, list := range lists {
			add(waymark.Lists, ref, label{int64(list.ID), texts[list.ID], list.Owner})
			if list.Owner == viewer && texts[list.ID] != list.Name && waymark.Fold(ref.Name) == waymark.Fold(list.Name) && l.same[ref.Name] == nil {
				if err := l.findSame(r, viewer, ref.Name); err != nil {
					return err
				}
			}
		}
	}
	if named := wanted[waymark.Tags]; len(named) > 0 {
		tags, err := r.Store.FindTags(r.Context(), viewer, named)
		if err != nil {
			return err
		}
		for ref, tag := range tags {
			add(waymark.Tags, ref, label{int64(tag.ID), tag.Name, tag.Owner})
		}
	}
	return nil
}

// findSame adds the viewer's lists with one name.
func (l *labels) findSame(r *page.Request, viewer waymark.UserID, name string) error {
	ids, err := r.Store.ListsOfName(r.Context(), viewer, name)
	if err != nil {
		return err
	}
	if l.same == nil {
		l.same = map[string][]waymark.Ref{}
	}
	l.same[name] = ids
	return l.find(r, viewer, map[waymark.EntityKind][]waymark.Ref{waymark.Lists: ids})
}

// smartNames returns the folded names of a user's smart lists.
func smartNames(r *page.Request, owner waymark.UserID) (map[string]bool, error) {
	all, err := r.Store.Accounts.SavedSearches(r.Context(), owner)
	names := map[string]bool{}
	for _, search := range all {
		if search.InLists {
			names[waymark.Fold(search.Name)] = true
		}
	}
	return names, err
}

// hasID returns the condition that links have a list or tag.
func hasID(kind waymark.EntityKind, id int64) waymark.Labeled {
	return waymark.Labeled{Kind: kind, Refs: refsOf([]int64{id})}
}

func refsOf(ids []int64) []waymark.Ref {
	return waymark.Map(ids, func(id int64) waymark.Ref { return waymark.Ref{ID: id} })
}
