package web

import (
	"maps"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// queryLabels are the lists and tags that queries name.
type queryLabels struct {
	lists  map[waymark.Ref]waymark.List
	tags   map[waymark.Ref]waymark.Tag
	owners map[waymark.UserID]string // the names of those who are not the user
}

// queryLabel is a list or tag that a query names.
type queryLabel struct {
	id    int64
	name  string
	owner waymark.UserID
}

// of returns the list or tag of a ref. ok is false if the visitor sees none.
func (l queryLabels) of(kind waymark.EntityKind, ref waymark.Ref) (label queryLabel, ok bool) {
	if kind == waymark.Tags {
		tag, ok := l.tags[ref]
		return queryLabel{int64(tag.ID), tag.Name, tag.Owner}, ok
	}
	list, ok := l.lists[ref]
	return queryLabel{int64(list.ID), list.Name, list.Owner}, ok
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

// withIDs returns a condition with the ids of the lists and tags that the visitor sees.
func (l queryLabels) withIDs(c waymark.Condition) waymark.Condition {
	return mapLabels(c, func(labeled waymark.Labeled) waymark.Condition {
		if label, ok := l.of(labeled.Kind, labeled.Refs[0]); ok {
			labeled.Refs = []waymark.Ref{{ID: label.id}}
		}
		return labeled
	})
}

// withNames returns a condition with names in place of ids, unless a name means another list or tag.
func (l queryLabels) withNames(c waymark.Condition) waymark.Condition {
	return mapLabels(c, func(labeled waymark.Labeled) waymark.Condition {
		label, ok := l.of(labeled.Kind, labeled.Refs[0])
		named := waymark.Ref{Name: label.name}
		if same, found := l.of(labeled.Kind, named); ok && found && same.id == label.id {
			labeled.Refs = []waymark.Ref{named}
		}
		return labeled
	})
}

// labelsOf looks up the lists and tags of queries.
func labelsOf(r *page.Request, queries ...linksQuery) (found queryLabels, err error) {
	return labelsFor(r, r.Viewer(), queries...)
}

// labelsFor looks up those of the lists and tags of queries that a viewer sees.
func labelsFor(r *page.Request, viewer waymark.UserID, queries ...linksQuery) (found queryLabels, err error) {
	wanted := map[waymark.EntityKind][]waymark.Ref{}
	var ids bool // in a text
	for _, q := range queries {
		condition, _ := q.condition()
		mapLabels(condition, func(labeled waymark.Labeled) waymark.Condition {
			wanted[labeled.Kind] = append(wanted[labeled.Kind], labeled.Refs...)
			ids = ids || labeled.Refs[0].ID != 0
			return labeled
		})
		wanted[waymark.Lists] = append(wanted[waymark.Lists], refsOf(q.Lists)...)
		wanted[waymark.Tags] = append(wanted[waymark.Tags], refsOf(q.Tags)...)
	}
	if err := found.find(r, viewer, wanted); err != nil {
		return found, err
	}
	var owners []waymark.UserID
	names := map[waymark.EntityKind][]waymark.Ref{}
	for _, list := range found.lists {
		owners = append(owners, list.Owner)
		names[waymark.Lists] = append(names[waymark.Lists], waymark.Ref{Name: list.Name})
	}
	for _, tag := range found.tags {
		owners = append(owners, tag.Owner)
		names[waymark.Tags] = append(names[waymark.Tags], waymark.Ref{Name: tag.Name})
	}
	if ids { // shown by name if the name means the same
		if err := found.find(r, viewer, names); err != nil {
			return found, err
		}
	}
	found.owners, err = otherOwners(r, owners)
	return found, err
}

// find adds lists and tags that a viewer sees.
func (l *queryLabels) find(r *page.Request, viewer waymark.UserID, wanted map[waymark.EntityKind][]waymark.Ref) error {
	if wanted := wanted[waymark.Lists]; len(wanted) > 0 {
		lists, err := r.Store.FindLists(r.Context(), viewer, wanted)
		if err != nil {
			return err
		}
		for _, list := range lists {
			lists[waymark.Ref{ID: int64(list.ID)}] = list
		}
		l.lists = merged(l.lists, lists)
	}
	if wanted := wanted[waymark.Tags]; len(wanted) > 0 {
		tags, err := r.Store.FindTags(r.Context(), viewer, wanted)
		if err != nil {
			return err
		}
		for _, tag := range tags {
			tags[waymark.Ref{ID: int64(tag.ID)}] = tag
		}
		l.tags = merged(l.tags, tags)
	}
	return nil
}

// merged returns a map with the entries of both.
func merged[K comparable, V any](a, b map[K]V) map[K]V {
	all := maps.Clone(b)
	maps.Copy(all, a)
	return all
}

func refsOf(ids []int64) []waymark.Ref {
	return waymark.Map(ids, func(id int64) waymark.Ref { return waymark.Ref{ID: id} })
}

// byText returns the text of the condition that links are a user's.
func byText(r *page.Request, name string) string {
	if waymark.Fold(name) == waymark.Fold(r.User.Name) {
		return r.T("filter.mine")
	}
	return r.T("filter.by", "name", name)
}
