package web

import (
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// queryLabels are the lists and tags that queries name.
type queryLabels struct {
	labels map[labelRef]queryLabel
	owners map[waymark.UserID]string // the names of those who are not the user
}

// labelRef is how a query names a list or tag.
type labelRef struct {
	kind waymark.EntityKind
	waymark.Ref
}

// queryLabel is a list or tag that a query names.
type queryLabel struct {
	id    int64
	name  string
	owner waymark.UserID
}

// of returns the list or tag of a ref. ok is false if the visitor sees none.
func (l queryLabels) of(kind waymark.EntityKind, ref waymark.Ref) (label queryLabel, ok bool) {
	label, ok = l.labels[labelRef{kind, ref}]
	return label, ok
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
	for ref, label := range found.labels {
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
func (l *queryLabels) find(r *page.Request, viewer waymark.UserID, wanted map[waymark.EntityKind][]waymark.Ref) error {
	if l.labels == nil {
		l.labels = map[labelRef]queryLabel{}
	}
	add := func(kind waymark.EntityKind, ref waymark.Ref, label queryLabel) {
		l.labels[labelRef{kind, ref}] = label
		l.labels[labelRef{kind, waymark.Ref{ID: label.id}}] = label
	}
	if named := wanted[waymark.Lists]; len(named) > 0 {
		lists, err := r.Store.FindLists(r.Context(), viewer, named)
		if err != nil {
			return err
		}
		for ref, list := range lists {
			add(waymark.Lists, ref, queryLabel{int64(list.ID), list.Name, list.Owner})
		}
	}
	if named := wanted[waymark.Tags]; len(named) > 0 {
		tags, err := r.Store.FindTags(r.Context(), viewer, named)
		if err != nil {
			return err
		}
		for ref, tag := range tags {
			add(waymark.Tags, ref, queryLabel{int64(tag.ID), tag.Name, tag.Owner})
		}
	}
	return nil
}

func refsOf(ids []int64) []waymark.Ref {
	return waymark.Map(ids, func(id int64) waymark.Ref { return waymark.Ref{ID: id} })
}
