package store

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"time"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// undoAge is how long a change can be taken back.
const undoAge = time.Hour

// undoBytes is the default of Options.UndoBytes. A change of all tags of 100,000 links takes
// about 2 MiB.
const undoBytes = 16 << 20

// minUndoBytes is the smallest size that a record counts as, which limits the number of
// records.
const minUndoBytes = 512

// undoRecorder collects what takes back the changes of a transaction.
type undoRecorder struct{ reverse reverse }

// reverse takes back changes. It is stored as JSON.
type reverse struct {
	// Created are entities that are moved to the trash, and Trashed those that are restored.
	Created, Trashed []changedIDs
	Visibility       []changedVisibility

	Links []changedRow[waymark.Link]
	Lists []changedRow[waymark.List]
	Tags  []changedRow[waymark.Tag]
	Notes []changedRow[waymark.Note]

	InLists, WithTags changedPairs
}

// changedIDs are entities of one kind that were changed at a time: their updated_at if they
// were created or restored, their deleted_at if they were moved to the trash.
type changedIDs struct {
	Kind waymark.EntityKind
	At   waymark.Time
	IDs  []int64
}

// changedVisibility are entities whose visibility was changed.
type changedVisibility struct {
	Kind     waymark.EntityKind
	From, To waymark.Visibility
	IDs      []int64
}

// changedRow is a row before and after a change.
type changedRow[T any] struct{ Before, After T }

// changedPairs are pairs of a link and a list, or a tag, that were attached or detached, and
// the lists or tags that were created for it.
type changedPairs struct {
	Attached, Detached [][2]int64
	Created            []int64
}

func (r *reverse) pairs(assoc *query.Association) *changedPairs {
	if assoc == &query.LinkTags {
		return &r.WithTags
	}
	return &r.InLists
}

// encode returns the reverse as compressed JSON, nil if nothing was changed.
func (r *reverse) encode() ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if nothing, err := json.Marshal(reverse{}); err != nil || bytes.Equal(text, nothing) {
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

// decodeReverse returns what encode has encoded.
func decodeReverse(compressed []byte) (r reverse, err error) {
	text, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return r, err
	}
	err = json.NewDecoder(text).Decode(&r)
	return r, err
}
