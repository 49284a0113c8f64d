package undo

import (
	"slices"

	"waymark/internal/waymark"
)

// Append adds the changes of a later record, so that undoing r undoes both. What r has created may have
// been changed by the later one.
func (r *Record) Append(later Record) {
	for i := range later.Trashed {
		trashed := &later.Trashed[i]
		trashed.IDs = slices.DeleteFunc(trashed.IDs, func(id int64) bool { return r.removeCreated(trashed.Kind, id) })
	}
	r.Created = append(r.Created, later.Created...)
	r.Trashed = append(later.Trashed, r.Trashed...)          // undone in this order: a list before the sublists that were deleted before it
	r.Visibility = append(later.Visibility, r.Visibility...) // these are undone in this order
	r.Flags = append(later.Flags, r.Flags...)
	r.Links = append(r.Links, later.Links...)
	r.Lists = append(r.Lists, later.Lists...)
	r.Tags = append(r.Tags, later.Tags...)
	r.Notes = append(r.Notes, later.Notes...)
	r.Places = append(r.Places, later.Places...)
	r.Checks = append(later.Checks, r.Checks...)
	r.InLists.append(later.InLists)
	r.WithTags.append(later.WithTags)
}

// removeCreated removes an entity from those that are created, and reports whether it was one.
func (r *Record) removeCreated(kind waymark.EntityKind, id int64) bool {
	for i := range r.Created {
		if at := slices.Index(r.Created[i].IDs, id); r.Created[i].Kind == kind && at >= 0 {
			r.Created[i].IDs = slices.Delete(r.Created[i].IDs, at, at+1)
			return true
		}
	}
	return false
}

// append adds later pairs. One that was attached and detached again, or the other way round, was not changed.
func (p *Pairs) append(later Pairs) {
	attached, detached := without(later.Attached, p.Detached), without(later.Detached, p.Attached)
	p.Attached, p.Detached = append(without(p.Attached, later.Detached), attached...), append(without(p.Detached, later.Attached), detached...)
}
