package store

import (
	"context"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// filed is what a change has put into lists, and taken out of them.
type filed struct{ put, taken []membership }

func (f *filed) add(more filed) {
	f.put, f.taken = append(f.put, more.put...), append(f.taken, more.taken...)
}

// noteFiled stores what a user has put into lists and taken out of them, for others who own the lists or, if ofOthers is
// set, the links. It is called once in a change, which is one entry of each list then.
func (s *Store) noteFiled(ctx context.Context, q database.Querier, user waymark.UserID, ofOthers bool, f filed) error {
	byList := map[int64]filed{}
	for _, m := range f.put {
		of := byList[m.pair[1]]
		of.put = append(of.put, m)
		byList[m.pair[1]] = of
	}
	for _, m := range f.taken {
		of := byList[m.pair[1]]
		of.taken = append(of.taken, m)
		byList[m.pair[1]] = of
	}
	if len(byList) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(byList))
	owners, err := readOwners(ctx, q, "lists", ids, "")
	if err != nil {
		return err
	}
	for _, id := range ids {
		if owners[id] == user && !ofOthers {
			continue
		}
		if err := s.noteChange(ctx, q, user, waymark.ListID(id), waymark.LinksPut, byList[id].put, nil); err != nil {
			return err
		}
		if err := s.noteChange(ctx, q, user, waymark.ListID(id), waymark.LinksTaken, byList[id].taken, nil); err != nil {
			return err
		}
	}
	return nil
}

var changeLinkColumns = table.ParseColumns("change_id BIGINT, link_id BIGINT, by_saver BOOLEAN, steps HEX")

// noteChange stores a change. steps undo an edit.
func (s *Store) noteChange(ctx context.Context, q database.Querier, user waymark.UserID, list waymark.ListID, kind waymark.ChangeKind, of []membership, steps []byte) error {
	if len(of) == 0 {
		return nil
	}
	id, err := database.QueryOne(ctx, q, database.ScanValue[int64], `
		INSERT INTO shared_changes (list_id, user_id, kind, links, created_at)
		VALUES ($1, $2, $3, $4, $5)
		RETURNING id`, list, user, kind, len(of), s.now())
	if err != nil {
		return err
	}
	return table.InBatches(ctx, of, func(of []membership) error {
		rows := waymark.Map(of, func(m membership) []any {
			row := []any{id, m.pair[0], m.bySaver, nil}
			if steps != nil {
				row[3] = database.NewHex(steps)
			}
			return row
		})
		a := q.Args()
		_, err := q.Exec(ctx, table.InsertSQL(a, "shared_change_links", changeLinkColumns, rows), a.Values...)
		return err
	})
}

// editShared calls do, which changes the texts of a link of another user, and stores what it has changed. by is the list
// that gives the right to it.
func (s *Store) editShared(ctx context.Context, q database.Querier, user waymark.UserID, link waymark.LinkID, by waymark.ListID, do func(s *Store) error) error {
	part := *s
	part.recording = &undo.Record{}
	if err := do(&part); err != nil || !part.recording.Changes {
		return err
	}
	encoded, _, err := part.recording.Parts()
	if err != nil {
		return err
	}
	for _, text := range encoded {
		steps, err := undo.Decode(text)
		if err != nil {
			return err
		}
		for _, step := range steps {
			if err := s.record(step); err != nil {
				return err
			}
		}
	}
	return s.noteChange(ctx, q, user, by, waymark.LinksEdited, []membership{{[2]int64{int64(link), int64(by)}, true}}, encoded[0])
}
