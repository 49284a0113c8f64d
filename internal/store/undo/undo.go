// Package undo has the records that say how to undo changes of entities. It runs no statements:
// package store records changes and undoes them.
package undo

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"slices"

	"waymark/internal/waymark"
)

// Record says how to undo changes. It is stored as JSON.
type Record struct {
	// Created are entities that are moved to the trash, and Trashed those that are restored.
	Created, Trashed []IDs
	Visibility       []Visibility

	Links []Row[waymark.Link]
	Lists []Row[waymark.List]
	Tags  []Row[waymark.Tag]
	Notes []Row[waymark.Note]

	InLists, WithTags Pairs

	Touched       []Touched               `json:",omitempty"`
	Accounts      []Row[Account]          `json:",omitempty"`
	SavedSearches []waymark.SavedSearchID `json:",omitempty"` // that were created
	TextSnapshots []Snapshot              `json:",omitempty"`
	FullSnapshots []Snapshot              `json:",omitempty"`
	Checks        []Check                 `json:",omitempty"`

	// FirstNote is the lowest id of the notes that were written after a step of an import. Links that
	// the step created are kept if their owner has written a note on them since.
	FirstNote waymark.NoteID `json:",omitempty"`
	// LinkNotes are notes that an import created on links that it had created. They are undone with
	// their links, which are kept if such a note was edited.
	LinkNotes []IDs `json:",omitempty"`
}

// Snapshot is a snapshot that an import added to a link that existed before.
// It is deleted unless another one has replaced it.
type Snapshot struct {
	Link      waymark.LinkID
	FetchedAt waymark.Time
}

// Check is what visits have found about the URL that a link had. A link with a new URL loses it.
type Check struct {
	Link   waymark.LinkID
	URL    string
	Health waymark.LinkHealth
}

// Account is what an import changes of an account.
type Account struct {
	Settings          waymark.Settings
	DefaultVisibility waymark.DefaultVisibility
}

// IDs are entities of one kind that were changed at a time: their updated_at if they
// were created or restored, their deleted_at if they were moved to the trash.
type IDs struct {
	Kind waymark.EntityKind
	At   waymark.Time
	IDs  []int64

	// Times replaces At if each of the entities has a time of its own, as those of a file have.
	Times []waymark.Time `json:",omitempty"`
	// IfUnused is for lists and tags that were created for links. They are moved to the trash
	// last, and only if they have no active link.
	IfUnused bool `json:",omitempty"`
}

// Add adds an entity and its time.
func (c *IDs) Add(id int64, at waymark.Time) {
	c.IDs, c.Times = append(c.IDs, id), append(c.Times, at)
}

// TakeUnused removes the lists and tags that are moved to the trash if they are not used, and
// returns a record of them.
func (r *Record) TakeUnused() Record {
	var unused, others []IDs
	for _, c := range r.Created {
		if c.IfUnused {
			unused = append(unused, c)
		} else {
			others = append(others, c)
		}
	}
	r.Created = others
	return Record{Created: unused}
}

// Touched are entities of one kind whose updated_at was changed. It is reverted unless they were
// changed since.
type Touched struct {
	Kind     waymark.EntityKind
	IDs      []int64
	From, To []waymark.Time // of each
}

// TimeOf returns the time at which each entity was changed, by id.
func (c *IDs) TimeOf() map[int64]waymark.Time {
	times := make(map[int64]waymark.Time, len(c.IDs))
	for i, id := range c.IDs {
		times[id] = c.At
		if c.Times != nil {
			times[id] = c.Times[i]
		}
	}
	return times
}

// Visibility are entities whose visibility was changed.
type Visibility struct {
	Kind     waymark.EntityKind
	From, To waymark.Visibility
	IDs      []int64
}

// Row is a row before and after a change.
type Row[T any] struct{ Before, After T }

// Pairs are pairs of a link and a list, or a tag, that were attached or detached.
type Pairs struct {
	Attached, Detached [][2]int64

	// AboveLimit are links of Detached that had more lists or tags than the limit, with their number.
	AboveLimit map[int64]int `json:",omitempty"`
}

// Add adds pairs that were attached and detached. A pair in both was not changed. before has the
// links that had more lists or tags than the limit before the change.
func (p *Pairs) Add(attached, detached [][2]int64, before map[int64]int) {
	p.Attached = append(p.Attached, without(attached, detached)...)
	detached = without(detached, attached)
	p.Detached = append(p.Detached, detached...)
	for _, pair := range detached {
		link := pair[0]
		if before[link] > p.AboveLimit[link] {
			if p.AboveLimit == nil {
				p.AboveLimit = map[int64]int{}
			}
			p.AboveLimit[link] = before[link]
		}
	}
}

// without returns the pairs that are not in others.
func without(pairs, others [][2]int64) [][2]int64 {
	if len(others) == 0 {
		return pairs
	}
	skip := make(map[[2]int64]bool, len(others))
	for _, pair := range others {
		skip[pair] = true
	}
	return slices.DeleteFunc(slices.Clone(pairs), func(pair [2]int64) bool { return skip[pair] })
}

// Encode returns the record as compressed JSON, nil if nothing was changed.
func (r *Record) Encode() ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if nothing, err := json.Marshal(Record{}); err != nil || bytes.Equal(text, nothing) {
		return nil, err
	}
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return compressed.Bytes(), nil
}

// Decode returns what Encode has encoded.
func Decode(compressed []byte) (r Record, err error) {
	text, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return r, err
	}
	err = json.NewDecoder(text).Decode(&r)
	return r, err
}
