package store

import (
	"context"
	"math"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
)

// chooseDriver returns the plan with the driver that has the fewest rows. If that driver
// must scan all links (a text too short for the index) and finds at most smallResult of
// them, their ids replace it. Otherwise all links would be scanned twice: once to count
// the matches and once to read them.
func (s *Store) chooseDriver(ctx context.Context, q database.Querier, p query.Plan) (query.Plan, error) {
	drivers := p.Drivers()
	switch len(drivers) {
	case 0:
		return p, nil
	case 1:
		p = p.DrivenBy(drivers[0])
	default:
		driver := query.NoDriver
		for _, limit := range []int{s.smallResult, math.MaxInt} {
			candidates, err := s.probe(ctx, q, p, limit)
			if err != nil {
				return p, err
			}
			if driver = query.Cheapest(candidates); driver != query.NoDriver {
				break
			}
		}
		if driver == query.NoDriver {
			driver = drivers[0]
		}
		p = p.DrivenBy(driver)
	}
	if driver := p.Predicates[p.Driver]; driver.Kind != query.ContainsText || driver.Indexed(s.search) != query.NotIndexed {
		return p, nil
	}
	a := q.Args()
	text := p.IDsSQL(a, s.search, s.smallResult+1)
	ids, err := database.QueryAll(ctx, q, database.ScanValue[int64], text, a.Values...)
	if err != nil || len(ids) > s.smallResult {
		return p, err
	}
	p.Predicates = append(slices.Clone(p.Predicates), query.Predicate{Kind: query.HasID, IDs: ids})
	return p.DrivenBy(len(p.Predicates) - 1), nil
}

// probe counts the index entries of each possible driver, each only up to the fewest so
// far, and returns those with fewer than limit. It counts in reverse order, so that the
// text, which takes longest, comes last.
func (s *Store) probe(ctx context.Context, q database.Querier, p query.Plan, limit int) ([]query.Candidate, error) {
	var candidates []query.Candidate
	for _, driver := range slices.Backward(p.Drivers()) {
		if p.Predicates[driver].Indexed(s.search) == query.NotIndexed {
			continue
		}
		a := q.Args()
		text := p.BoundSQL(a, s.search, driver, limit)
		n, err := database.QueryOne(ctx, q, database.ScanValue[int], text, a.Values...)
		if err != nil {
			return nil, err
		}
		if n < limit {
			candidates = append(candidates, query.Candidate{Driver: driver, Rows: n})
			limit = n
		}
	}
	return candidates, nil
}
