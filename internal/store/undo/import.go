package undo

import (
	"bytes"
	"compress/gzip"
	"encoding/json"

	"waymark/internal/waymark"
)

// Import is what one step of an import added. It has no texts: it is kept as long as the import.
type Import struct {
	Links []Added `json:",omitempty"`
	Lists []Added `json:",omitempty"`
	Tags  []Added `json:",omitempty"`
	Notes []Added `json:",omitempty"`
	// Changed are links of earlier steps that the step has changed, as it left them.
	Changed []Added `json:",omitempty"`

	InLists  [][2]int64 `json:",omitempty"` // the pairs of a link and a list that were attached
	WithTags [][2]int64 `json:",omitempty"`

	// Those of links that were there before the import.
	TextSnapshots []Snapshot `json:",omitempty"`
	FullSnapshots []Snapshot `json:",omitempty"`

	Attachments []waymark.AttachmentID `json:",omitempty"` // of links that were there before the import
	Bundles     []waymark.BundleID     `json:",omitempty"`

	Accounts      []Row[Account]          `json:",omitempty"`
	SavedSearches []waymark.SavedSearchID `json:",omitempty"`
}

// Add adds links, lists, tags or notes.
func (i *Import) Add(kind waymark.EntityKind, ids ...int64) {
	into := i.Of(kind)
	for _, id := range ids {
		*into = append(*into, Added{ID: id})
	}
}

// Of returns the entities of one kind.
func (i *Import) Of(kind waymark.EntityKind) *[]Added {
	switch kind {
	case waymark.Lists:
		return &i.Lists
	case waymark.Tags:
		return &i.Tags
	case waymark.Notes:
		return &i.Notes
	}
	return &i.Links
}

// Pairs returns the pairs of links with lists, or with tags.
func (i *Import) Pairs(kind waymark.EntityKind) *[][2]int64 {
	if kind == waymark.Tags {
		return &i.WithTags
	}
	return &i.InLists
}

// Added is an entity that an import added.
type Added struct {
	ID      int64
	Link    int64  `json:",omitempty"` // of a note
	Content uint64 `json:",omitempty"` // a hash of what people can edit
}

// Snapshot is what an import added to an existing link, until another one replaces it.
type Snapshot struct {
	Link      waymark.LinkID
	FetchedAt waymark.Time
}

// Account is what an import changes of an account.
type Account struct {
	Settings          waymark.Settings
	DefaultVisibility waymark.DefaultVisibility
}

// Encode returns the step as compressed JSON, nil if it added nothing.
func (i *Import) Encode() ([]byte, error) { return encode(i, Import{}) }

// DecodeImport returns what Import.Encode has encoded.
func DecodeImport(compressed []byte) (i Import, err error) {
	err = decode(compressed, &i)
	return i, err
}

// encode returns a value as compressed JSON, nil if it is equal to nothing.
func encode(value, nothing any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if nothing, err := json.Marshal(nothing); err != nil || bytes.Equal(text, nothing) {
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

// decode sets into to what encode has encoded.
func decode(compressed []byte, into any) error {
	text, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	return json.NewDecoder(text).Decode(into)
}
