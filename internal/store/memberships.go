package store

import (
	"context"
	"database/sql"
	"iter"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// membership is a link and a list or tag that it has. bySaver says that the owner of the link has put it into the list.
type membership struct {
	pair    [2]int64
	bySaver bool
}

func pairsOf(all []membership) [][2]int64 {
	return waymark.Map(all, func(m membership) [2]int64 { return m.pair })
}

// changePairs runs a statement that changes associations. If the store records changes, or others may want to know
// them, it returns those that the statement has changed.
func (s *Store) changePairs(ctx context.Context, q database.Querier, assoc *query.Association, text string, args ...any) ([]membership, error) {
	if s.recording == nil && assoc.Kind != waymark.Lists {
		_, err := q.Exec(ctx, text, args...)
		return nil, err
	}
	return returnPairs(ctx, q, assoc, text, args...)
}

// returnPairs runs a statement on associations, and returns those that it has changed.
func returnPairs(ctx context.Context, q database.Querier, assoc *query.Association, text string, args ...any) ([]membership, error) {
	return database.QueryAll(ctx, q, scanMembership, text+`
		RETURNING `+membershipColumns(assoc), args...)
}

// memberships returns those of some links.
func memberships(ctx context.Context, q database.Querier, assoc *query.Association, links []int64) iter.Seq2[membership, error] {
	if len(links) == 0 {
		return func(func(membership, error) bool) {}
	}
	a := q.Args()
	return database.QueryEach(ctx, q, scanMembership, `
		SELECT `+membershipColumns(assoc)+`
		FROM `+assoc.Table+`
		WHERE link_id `+database.In(a, table.Unique(links)), a.Values...)
}

func membershipColumns(assoc *query.Association) string {
	columns := "link_id, " + assoc.Column
	if assoc.Kind == waymark.Lists {
		return columns + ", by_saver"
	}
	return columns + ", FALSE"
}

func scanMembership(rows *sql.Rows, m *membership) error {
	return rows.Scan(&m.pair[0], &m.pair[1], &m.bySaver)
}

func scanPair(rows *sql.Rows, pair *[2]int64) error { return rows.Scan(&pair[0], &pair[1]) }

// insertAssociations inserts pairs of a link and a list or tag. Existing ones are kept. bySaver is as in membership.
func insertAssociations(ctx context.Context, q database.Querier, assoc *query.Association, pairs [][2]int64, bySaver bool) error {
	if len(pairs) == 0 {
		return nil
	}
	a := q.Args()
	_, err := q.Exec(ctx, insertAssociationsSQL(a, assoc, pairs, bySaver), a.Values...)
	return err
}

func insertAssociationsSQL(a *database.Args, assoc *query.Association, pairs [][2]int64, bySaver bool) string {
	column, value := "", ""
	if assoc.Kind == waymark.Lists {
		column, value = ", by_saver", ", "+strings.ToUpper(strconv.FormatBool(bySaver))
	}
	// Without WHERE SQLite would parse ON as a part of a join.
	return `
		INSERT INTO ` + assoc.Table + ` (link_id, ` + assoc.Column + column + `)
		SELECT CAST(value->>0 AS BIGINT), CAST(value->>1 AS BIGINT)` + value + `
		FROM ` + a.Rows(pairs) + `
		WHERE true
		ON CONFLICT DO NOTHING`
}
