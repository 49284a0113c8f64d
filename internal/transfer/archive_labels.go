package transfer

import (
	"context"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// archivedLabels are lists or tags of an archive. One that the owner has is kept: one with the same name
// and time of creation, or an active one with the same name, which stands in the same list. Each list of the archive is
// another one; the name of a tag is unique.
type archivedLabels[ID waymark.ID, E any] struct {
	owner    waymark.UserID
	kind     waymark.EntityKind
	entities []E
	labels   []archivedLabel[ID]
	parentOf func(i int) (parent waymark.ListID, known bool) // of a list; nil for tags
	inserted map[ID]bool                                     // those that the owner did not have
	used     map[ID]bool                                     // lists that another list of the archive is already
}

// archivedLabel is what identifies a list or tag.
type archivedLabel[ID waymark.ID] struct {
	folded  string // the name
	created waymark.Time
	inTrash bool
	id      ID // 0 until it is known
}

func (in *archiveImport) archivedLists() *archivedLabels[waymark.ListID, store.CollectedList] {
	all := &archivedLabels[waymark.ListID, store.CollectedList]{owner: in.batch.owner.ID, kind: waymark.Lists, entities: in.newLists, used: in.usedLists}
	numbers := make(map[int]int, len(in.numbers)) // indexes of lists of this step
	for i, number := range in.numbers {
		numbers[number] = i
	}
	all.parentOf = func(i int) (waymark.ListID, bool) {
		if at, ok := numbers[in.parents[i]]; ok && in.parents[i] != 0 {
			return all.labels[at].id, all.labels[at].id != 0
		}
		return in.lists[in.parents[i]], true
	}
	for _, l := range in.newLists {
		all.labels = append(all.labels, archivedLabel[waymark.ListID]{waymark.Fold(l.Name), l.CreatedAt, l.DeletedAt != 0, 0})
	}
	return all
}

func (in *archiveImport) archivedTags() *archivedLabels[waymark.TagID, store.CollectedTag] {
	all := &archivedLabels[waymark.TagID, store.CollectedTag]{owner: in.batch.owner.ID, kind: waymark.Tags, entities: in.newTags}
	for _, t := range in.newTags {
		all.labels = append(all.labels, archivedLabel[waymark.TagID]{waymark.Fold(t.Name), t.CreatedAt, t.DeletedAt != 0, 0})
	}
	return all
}

// save inserts missing ones, and returns the ids of all.
func (a *archivedLabels[ID, E]) save(ctx context.Context, s *store.Store, insert func(context.Context, []E) ([]ID, error)) ([]ID, error) {
	names := waymark.Map(a.labels, func(l archivedLabel[ID]) string { return l.folded })
	existing, err := s.LabelsNamed(ctx, a.owner, a.kind, names)
	if err != nil {
		return nil, err
	}
	a.match(existing)
	var missing []E
	var indexes []int
	first := map[string]int{} // of each name that is unique
	for i, l := range a.labels {
		if l.id != 0 {
			continue
		}
		if a.isUnique(l.inTrash) {
			if _, ok := first[l.folded]; ok {
				continue
			}
			first[l.folded] = i
		}
		missing, indexes = append(missing, a.entities[i]), append(indexes, i)
	}
	inserted, err := insert(ctx, missing)
	if err != nil {
		return nil, err
	}
	a.inserted = make(map[ID]bool, len(inserted))
	for i, id := range inserted {
		a.labels[indexes[i]].id = id
		a.inserted[id] = true
	}
	ids := make([]ID, len(a.labels))
	for i, l := range a.labels {
		if ids[i] = l.id; ids[i] == 0 {
			ids[i] = a.labels[first[l.folded]].id
		}
	}
	return ids, nil
}

// match sets the ids of existing ones.
func (a *archivedLabels[ID, E]) match(existing []store.SavedLabel) {
	byName := map[string][]store.SavedLabel{}
	for _, e := range existing {
		byName[e.Folded] = append(byName[e.Folded], e)
	}
	taken := map[ID]bool{}
	for _, fits := range []func(i int, l archivedLabel[ID], e store.SavedLabel) bool{
		func(_ int, l archivedLabel[ID], e store.SavedLabel) bool {
			return e.CreatedAt == l.created && e.InTrash == l.inTrash
		},
		func(i int, l archivedLabel[ID], e store.SavedLabel) bool {
			return !l.inTrash && !e.InTrash && a.isAtPlace(i, e)
		},
	} {
		for i := range a.labels {
			l := &a.labels[i]
			for _, e := range byName[l.folded] {
				id := ID(e.ID)
				isFree := a.isUnique(e.InTrash) || !taken[id] && !a.used[id]
				if l.id == 0 && isFree && fits(i, *l, e) {
					l.id, taken[id] = id, true
				}
			}
		}
	}
}

// isAtPlace reports whether a list that the owner has stands where one of the archive is to stand: in a list that the
// owner has, too, or in none.
func (a *archivedLabels[ID, E]) isAtPlace(i int, e store.SavedLabel) bool {
	if a.parentOf == nil {
		return true
	}
	parent, known := a.parentOf(i)
	return known && parent == e.Parent
}

// isUnique reports whether only one can have a name.
func (a *archivedLabels[ID, E]) isUnique(inTrash bool) bool {
	return a.kind == waymark.Tags && !inTrash
}
