// Package undo has the records that say how to undo changes of entities. It runs no statements:
// package store records changes and undoes them.
package undo

import (
	"slices"

	"waymark/internal/waymark"
)

// Record says how to undo changes. It is stored as JSON.
type Record struct {
	// Undo moves the entities in Created to the trash, and restores those in Trashed.
	Created, Trashed []IDs
	Visibility       []Visibility
	Flags            []Flag `json:",omitempty"`

	Links []Row[waymark.Link]
	Lists []Row[waymark.List]
	Tags  []Row[waymark.Tag]
	Notes []Row[waymark.Note]

	Places []Place `json:",omitempty"`

	InLists, WithTags Pairs

	Checks []Check `json:",omitempty"`
}

// Check is what checks have found about the URL that a link had. A link with a new URL loses it.
type Check struct {
	Link   waymark.LinkID
	URL    string
	Checks waymark.LinkChecks
}

// IDs are entities of one kind that were changed at a time: their updated_at if they
// were created or restored, their deleted_at if they were moved to the trash.
type IDs struct {
	Kind waymark.EntityKind
	At   waymark.Time
	IDs  []int64

	// IfUnused is for lists and tags that were created for links. They are moved to the trash
	// last, and only if they have no active link.
	IfUnused bool `json:",omitempty"`
}

// Visibility are entities whose visibility was changed.
type Visibility struct {
	Kind     waymark.EntityKind
	From, To waymark.Visibility
	IDs      []int64
}

// Flag are links whose flag was set to a value that it did not have.
type Flag struct {
	waymark.FlagValue
	IDs []waymark.LinkID
}

// Place is where a list stood before and after a change. Those that are not Moved made room.
type Place struct {
	List          waymark.ListID
	Before, After ListPosition
	Moved         bool `json:",omitempty"`
}

// PlacesInCreated returns the places of lists that were moved into lists that were created, and the other ones.
func (r *Record) PlacesInCreated() (inCreated, others []Place) {
	created := map[waymark.ListID]bool{}
	for _, c := range r.Created {
		for _, id := range c.IDs {
			created[waymark.ListID(id)] = c.Kind == waymark.Lists || created[waymark.ListID(id)]
		}
	}
	for _, p := range r.Places {
		if created[p.After.Parent] && !created[p.List] {
			inCreated = append(inCreated, p)
		} else {
			others = append(others, p)
		}
	}
	return inCreated, others
}

// ListPosition is a list's place in the tree: see waymark.List.
type ListPosition struct {
	Parent   waymark.ListID `json:",omitempty"`
	Position int            `json:",omitempty"`
}

// Row is a row before and after a change.
type Row[T any] struct{ Before, After T }

// Pairs are pairs of a link and a list, or a tag, that were attached or detached.
type Pairs struct{ Attached, Detached [][2]int64 }

// Add adds pairs that were attached and detached. A pair in both was not changed.
func (p *Pairs) Add(attached, detached [][2]int64) {
	p.Attached = append(p.Attached, without(attached, detached)...)
	p.Detached = append(p.Detached, without(detached, attached)...)
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
func (r *Record) Encode() ([]byte, error) { return encode(r, Record{}) }

// Decode returns what Encode has encoded.
func Decode(compressed []byte) (r Record, err error) {
	err = decode(compressed, &r)
	return r, err
}
