package store

import (
	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// reverter undoes steps in one transaction.
type reverter struct {
	s             *Store
	q             database.Querier
	user          waymark.UserID
	done, skipped map[entityID]bool
	inserted
	notRestored       bool // an entity could not leave the trash
	edited, withNotes int  // links that were inserted and stay, because they were edited, or got notes
}

// inserted is what a record has inserted.
type inserted struct {
	links  map[int64]int64 // the versions as the last step left them
	notes  map[int64]int64 // likewise
	labels []undo.Step     // lists and tags that were inserted for links
}

// trashedVersion is the version of a link that the record has inserted and moved to the trash.
const trashedVersion = -1

// noKind is the kind of rows that are no entities, which are neither done nor skipped.
const noKind waymark.EntityKind = 0

// entityID is the id of an entity of any kind.
type entityID struct {
	kind waymark.EntityKind
	id   int64
}

func newReverter(s *Store, q database.Querier, user waymark.UserID) *reverter {
	return &reverter{s: s, q: q, user: user, done: map[entityID]bool{}, skipped: map[entityID]bool{}, inserted: newInserted()}
}

func newInserted() inserted { return inserted{links: map[int64]int64{}, notes: map[int64]int64{}} }

// learn adds what steps have inserted. Call it for all steps in their order before the first one is reverted.
func (i *inserted) learn(steps []undo.Step) {
	for _, step := range steps {
		if step.ForLinks {
			i.labels = append(i.labels, step)
		}
		for _, row := range step.Rows {
			version := integerOf(row.After[versionColumn])
			switch {
			case step.Table == links.Name && row.Before == nil:
				i.links[row.ID] = version
			case step.Table == notes.Name && row.Before == nil:
				i.notes[row.ID] = version
			case step.Table == notes.Name && i.notes[row.ID] != 0 && row.After[updatedColumn] != nil:
				i.notes[row.ID] = integerOf(row.After[updatedColumn])
			case step.Table != links.Name || !i.isOfNewLink(step.Table, row):
			case integerOf(row.After[deletedColumn]) != 0:
				i.links[row.ID] = trashedVersion
			case row.After[updatedColumn] != nil:
				i.links[row.ID] = integerOf(row.After[updatedColumn])
			}
		}
	}
}

// isOfNewLink reports whether a row belongs to an inserted link. It stays with the link, or goes with it.
func (i *inserted) isOfNewLink(name string, row undo.Row) bool {
	id := row.ID
	switch name {
	case notes.Name, table.Passages.Name:
		id = integerOf(row.After[linkColumn])
	case links.Name, query.LinkLists.Table, query.LinkTags.Table, queue.LinkChecks.Name:
	default:
		return false
	}
	_, ok := i.links[id]
	return ok
}

func idsOf(step undo.Step) []int64 {
	return waymark.Map(step.Rows, func(row undo.Row) int64 { return row.ID })
}

func (u *reverter) result() waymark.UndoResult {
	for e := range u.skipped {
		delete(u.done, e)
	}
	return waymark.UndoResult{Done: len(u.done), Skipped: len(u.skipped)}
}

// note counts each of the ids as done if it is in done, and as skipped otherwise.
func (u *reverter) note(kind waymark.EntityKind, ids []int64, done map[int64]bool) {
	for _, id := range ids {
		if done[id] {
			u.done[entityID{kind, id}] = true
		} else {
			u.skip(kind, id)
		}
	}
}

func (u *reverter) skip(kind waymark.EntityKind, id int64) {
	if kind != noKind {
		u.skipped[entityID{kind, id}] = true
	}
}

// linksOf returns the links of pairs, each once.
func linksOf(pairs [][2]int64) []int64 {
	ids := waymark.Map(pairs, func(pair [2]int64) int64 { return pair[0] })
	return table.Unique(ids)
}

func setOf(ids []int64) map[int64]bool {
	set := make(map[int64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
