// Package undo has the records that say how to undo changes. It runs no statements: package store records
// changes and undoes them.
package undo

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"slices"
)

// Step is a statement that changed rows of one table: it inserted all of them, deleted all, or updated all.
type Step struct {
	Table string
	// ForLinks is for lists and tags that were inserted because links got them. Undo removes them if no other
	// link has them.
	ForLinks bool `json:",omitempty"`
	// ForGood is for inserted notes that undo deletes, instead of moving them to the trash.
	ForGood bool `json:",omitempty"`
	Rows    []Row
}

// Row is a row before and after a change, of an updated one the columns that differ. Before is nil if it was
// inserted, and After if it was deleted.
type Row struct {
	ID            int64
	Before, After Values `json:",omitempty"`
}

// Values are columns of a row as JSON, by their names.
type Values map[string]json.RawMessage

// Record collects the steps of a change. It keeps them compressed, in parts that can be undone one after
// the other, the last one first.
type Record struct {
	parts [][]byte
	bytes int
	steps []Step
	rows  int // of steps

	// Changes says that the steps change more than the times of the last edits.
	Changes bool
}

// maxPartRows is how many rows a part has at most, except for those of its last step.
const maxPartRows = 1000

// Add adds a step.
func (r *Record) Add(step Step) error {
	if len(step.Rows) == 0 {
		return nil
	}
	r.Changes = r.Changes || slices.ContainsFunc(step.Rows, func(row Row) bool {
		return row.Before == nil || row.After == nil || len(row.After) > 1 || row.After["updated_at"] == nil
	})
	r.steps = append(slices.Clip(r.steps), step) // a copy of the record can be the one that counts
	if r.rows += len(step.Rows); r.rows < maxPartRows {
		return nil
	}
	return r.flush()
}

func (r *Record) flush() error {
	if len(r.steps) == 0 {
		return nil
	}
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	if err := json.NewEncoder(w).Encode(r.steps); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	r.parts = append(slices.Clip(r.parts), compressed.Bytes())
	r.bytes += compressed.Len()
	r.steps, r.rows = nil, 0
	return nil
}

// Parts returns all steps, encoded, and the number of their bytes.
func (r *Record) Parts() ([][]byte, int, error) {
	err := r.flush()
	return r.parts, r.bytes, err
}

// Decode returns the steps of a part.
func Decode(part []byte) (steps []Step, err error) {
	text, err := gzip.NewReader(bytes.NewReader(part))
	if err != nil {
		return nil, err
	}
	return steps, json.NewDecoder(text).Decode(&steps)
}
