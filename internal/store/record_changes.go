package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// Columns of rows in a record. A version changes when a person edits the entity.
const (
	versionColumn  = "version"
	linkColumn     = "link_id"
	fetchedColumn  = "fetched_at"
	deletedColumn  = "deleted_at"
	uploadedColumn = "full_snapshot"
	updatedColumn  = "updated_at"
	seenColumn     = "seen_at"
	bySaverColumn  = "by_saver"
)

// record adds a step to the record of the transaction, if there is one.
func (s *Store) record(step undo.Step) error {
	if s.recording == nil {
		return nil
	}
	return s.recording.Add(step)
}

// recorded calls update, which changes rows of a table, and records the columns that differ then.
func recorded[T any](ctx context.Context, s *Store, q database.Querier, t *table.Table[T], ids []int64, update func() error) error {
	if s.recording == nil || len(ids) == 0 {
		return update()
	}
	read := func() ([]T, error) {
		a := q.Args()
		return t.All(ctx, q, "e.id "+database.In(a, ids)+" ORDER BY e.id"+q.RowLock(), a.Values...)
	}
	before, err := read()
	if err != nil {
		return err
	}
	if err := update(); err != nil {
		return err
	}
	after, err := read()
	if err != nil {
		return err
	}
	step := undo.Step{Table: t.Name}
	for i := range min(len(before), len(after)) {
		row := undo.Row{ID: t.ID(&after[i]), Before: undo.Values{}, After: undo.Values{}}
		for _, c := range t.Read {
			if c.Value != nil && c.Value(&before[i]) != c.Value(&after[i]) {
				row.Before[c.Name], row.After[c.Name] = c.JSON(&before[i]), c.JSON(&after[i])
			}
		}
		if len(row.After) > 0 {
			step.Rows = append(step.Rows, row)
		}
	}
	return s.record(step)
}

// recordedEntities is recorded for entities of a kind.
func (s *Store) recordedEntities(ctx context.Context, q database.Querier, kind waymark.EntityKind, ids []int64, update func() error) error {
	switch kind {
	case waymark.Lists:
		return recorded(ctx, s, q, &lists.Table, ids, update)
	case waymark.Tags:
		return recorded(ctx, s, q, &tags.Table, ids, update)
	case waymark.Notes:
		return recorded(ctx, s, q, &notes.Table, ids, update)
	}
	return recorded(ctx, s, q, &links.Table, ids, update)
}

// recordInserted records entities that were inserted, without those in the trash. forLinks is as in undo.Step.
func recordInserted[T any](ctx context.Context, s *Store, q database.Querier, t *entityTable[T], ids []int64, forLinks bool) error {
	if s.recording == nil {
		return nil
	}
	return table.InBatches(ctx, ids, func(ids []int64) error {
		a := q.Args()
		rows, err := t.All(ctx, q, "e.id "+database.In(a, ids)+" AND e.visible_to IS NOT NULL", a.Values...)
		if err != nil {
			return err
		}
		step := undo.Step{Table: t.Name, ForLinks: forLinks}
		for i := range rows {
			values := undo.Values{versionColumn: integerJSON(t.version(&rows[i]))}
			if t.linkOf != nil {
				values[linkColumn] = integerJSON(t.linkOf(&rows[i]))
			}
			step.Rows = append(step.Rows, undo.Row{ID: t.idOf(&rows[i]), After: values})
		}
		return s.record(step)
	})
}

// recordLabels is recordInserted for lists or tags that were inserted because links got them.
func (s *Store) recordLabels(ctx context.Context, q database.Querier, kind waymark.EntityKind, ids []int64) error {
	if kind == waymark.Tags {
		return recordInserted(ctx, s, q, &tags, ids, true)
	}
	return recordInserted(ctx, s, q, &lists, ids, true)
}

// recordPairs records pairs that were attached and memberships that were detached.
func (s *Store) recordPairs(assoc *query.Association, attached [][2]int64, detached []membership) error {
	if s.recording == nil {
		return nil
	}
	type label struct {
		id      int64
		bySaver bool
	}
	labels := map[label]undo.Values{}
	valuesOf := func(l label) undo.Values {
		if labels[l] == nil {
			labels[l] = undo.Values{assoc.Column: integerJSON(l.id)}
			if l.bySaver {
				labels[l][bySaverColumn] = integerJSON(1)
			}
		}
		return labels[l]
	}
	for chunk := range slices.Chunk(detached, query.BatchSize) {
		if err := s.record(undo.Step{Table: assoc.Table, Rows: waymark.Map(chunk, func(m membership) undo.Row {
			return undo.Row{ID: m.pair[0], Before: valuesOf(label{m.pair[1], m.bySaver})}
		})}); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(attached, query.BatchSize) {
		if err := s.record(undo.Step{Table: assoc.Table, Rows: waymark.Map(chunk, func(pair [2]int64) undo.Row {
			return undo.Row{ID: pair[0], After: valuesOf(label{pair[1], false})}
		})}); err != nil {
			return err
		}
	}
	return nil
}

// recordAdded records a row of another table that was inserted.
func (s *Store) recordAdded(name string, id int64, after undo.Values) error {
	return s.record(undo.Step{Table: name, Rows: []undo.Row{{ID: id, After: after}}})
}

// recordCheck records what was found about a link, before another URL deletes it.
func (s *Store) recordCheck(ctx context.Context, q database.Querier, link waymark.Link) error {
	if s.recording == nil {
		return nil
	}
	checks, err := queue.ChecksOf(ctx, q, link.ID)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	found, err := json.Marshal(checks)
	if err != nil {
		return err
	}
	url, err := json.Marshal(link.URL)
	if err != nil {
		return err
	}
	return s.record(undo.Step{Table: queue.LinkChecks.Name, Rows: []undo.Row{{ID: int64(link.ID), Before: undo.Values{"url": url, "checks": found}}}})
}

func integerJSON(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

// integerOf returns an integer of a record, 0 if there is none.
func integerOf(value json.RawMessage) int64 {
	n, _ := strconv.ParseInt(string(value), 10, 64)
	return n
}

// assocOf returns the association of links with lists, or with tags.
func assocOf(kind waymark.EntityKind) *query.Association {
	if kind == waymark.Tags {
		return &query.LinkTags
	}
	return &query.LinkLists
}
