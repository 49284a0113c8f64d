package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
)

// totals counts the rows of a plan in each of its scopes.
func (s *Store) totals(ctx context.Context, q database.Querier, p query.Plan) ([]int, error) {
	if len(p.Predicates) == 0 {
		return scopeSizes(ctx, q, p)
	}
	a := q.Args()
	text := p.CountSQL(a, s.search)
	return database.QueryOne(ctx, q, scanInts(len(p.BranchScopes())), text, a.Values...)
}

// scopeSizes returns the number of active entities in each scope of a plan, from the
// counters.
func scopeSizes(ctx context.Context, q database.Querier, p query.Plan) ([]int, error) {
	sizes := make([]int, len(p.Scopes))
	type size struct {
		scope query.Scope
		count int
	}
	scan := func(rows *sql.Rows, s *size) error { return rows.Scan(&s.scope, &s.count) }
	a := q.Args(p.Table)
	parameters := make([]string, len(p.Scopes))
	for i, s := range p.Scopes {
		parameters[i] = a.Add(s)
	}
	for size, err := range database.QueryEach(ctx, q, scan, `
		SELECT visible_to, CAST(sum(count) AS BIGINT)
		FROM counters
		WHERE entity = $1 AND visible_to IN (`+strings.Join(parameters, ", ")+`)
		GROUP BY visible_to`, a.Values...) {
		if err != nil {
			return nil, err
		}
		if i := slices.Index(p.Scopes, size.scope); i >= 0 {
			sizes[i] = size.count
		}
	}
	return sizes, nil
}

// scanInts scans rows of n integers.
func scanInts(n int) func(*sql.Rows, *[]int) error {
	return func(rows *sql.Rows, ints *[]int) error {
		*ints = make([]int, n)
		targets := make([]any, n)
		for i := range targets {
			targets[i] = &(*ints)[i]
		}
		return rows.Scan(targets...)
	}
}
