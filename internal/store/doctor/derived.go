package doctor

// This file checks what is computed from the rows: folded texts and hashes of URLs.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// checkFolded computes the folded texts and the hashes of URLs again. They differ after a change of the rules of Unicode.
func (d *doctor) checkFolded(ctx context.Context) (finding, error) {
	var all derivedRows
	err := errors.Join(
		checkDerived(ctx, d, &table.Users, func(u *table.UserRow) int64 { return int64(u.ID) }, &all),
		checkDerived(ctx, d, &table.Links, func(e *waymark.Link) int64 { return int64(e.ID) }, &all),
		checkDerived(ctx, d, &table.Lists, func(e *waymark.List) int64 { return int64(e.ID) }, &all),
		checkDerived(ctx, d, &table.Tags, func(e *waymark.Tag) int64 { return int64(e.ID) }, &all),
	)
	return finding{
		right:    fmt.Sprintf("the folded texts of %d rows are right", all.checked),
		wrong:    all.wrong,
		repaired: "computed again",
		repair: func(ctx context.Context) error {
			var failed []string
			for i, rewrite := range all.rewrite {
				if err := d.db.WriteTx(ctx, rewrite); err != nil { // a user can have two tags with one folded name, for example
					failed = append(failed, all.wrong[i]+": "+err.Error())
				}
			}
			if len(failed) > 0 {
				return errors.New(fewOf(failed))
			}
			return nil
		},
	}, err
}

// derivedBatch is the number of rows that one statement reads.
const derivedBatch = 500

// derivedRows describes the rows whose derived columns were checked.
type derivedRows struct {
	checked int
	wrong   []string // those that differ from what is computed
	rewrite []func(ctx context.Context, q database.Querier) error
}

// checkDerived computes derived columns again and adds the rows that differ to all.
func checkDerived[T any](ctx context.Context, d *doctor, t *table.Table[T], idOf func(*T) int64, all *derivedRows) error {
	var columns []table.Column[T]
	var names strings.Builder
	for _, c := range t.Columns {
		if c.Target == nil {
			columns = append(columns, c)
			names.WriteString(", e." + c.Name)
		}
	}
	type stored struct {
		row    T
		values []any
	}
	scan := func(rows *sql.Rows, r *stored) error {
		r.values = make([]any, len(columns))
		targets := t.Targets(&r.row, len(columns))
		for i := range r.values {
			targets = append(targets, &r.values[i])
		}
		return rows.Scan(targets...)
	}
	for last := int64(0); ; {
		batch, err := database.QueryAll(ctx, d.db.Querier(), scan, `
			SELECT `+t.Selected+names.String()+`
			FROM `+t.Name+` AS e
			WHERE e.id > $1
			ORDER BY e.id
			LIMIT $2`, last, derivedBatch)
		if err != nil || len(batch) == 0 {
			return err
		}
		for i := range batch {
			row := &batch[i].row
			id := idOf(row)
			last = id
			all.checked++
			for n, c := range columns {
				if storedValue(batch[i].values[n]) != c.Value(row) {
					all.wrong = append(all.wrong, fmt.Sprintf("%s of row %d of %s", c.Name, last, t.Name))
					all.rewrite = append(all.rewrite, func(ctx context.Context, q database.Querier) error { return rewriteRow(ctx, q, t, id) })
					break
				}
			}
		}
	}
}

// storedValue returns the value of a derived column as column.value does.
func storedValue(value any) any {
	if bytes, ok := value.([]byte); ok {
		return database.NewHex(bytes)
	}
	return value
}

// rewriteRow writes a row as it is, with its derived columns computed again.
func rewriteRow[T any](ctx context.Context, q database.Querier, t *table.Table[T], id int64) error {
	row, err := t.Get(ctx, q, "e.id = $1"+q.RowLock(), id)
	if err != nil {
		return err
	}
	return t.Update(ctx, q, id, &row)
}
