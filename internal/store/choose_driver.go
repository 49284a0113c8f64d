package store

import (
	"context"
	"math"
	"slices"

	"waymark/internal/database"
)

// chooseDriver returns the plan with the driver that has the fewest rows. A driver
// that must scan all links (a text too short for the index) is replaced by the ids
// that it finds, where they are few: else they would be searched once to count them
// and once more to read them.
func (s *Store) chooseDriver(ctx context.Context, q database.Querier, p plan) (plan, error) {
	drivers := p.drivers()
	switch len(drivers) {
	case 0:
		return p, nil
	case 1:
		p = p.drivenBy(drivers[0])
	default:
		driver := noDriver
		for _, limit := range []int{s.smallResult, math.MaxInt} {
			candidates, err := s.probe(ctx, q, p, limit)
			if err != nil {
				return p, err
			}
			if driver = cheapest(candidates); driver != noDriver {
				break
			}
		}
		if driver == noDriver {
			driver = drivers[0]
		}
		p = p.drivenBy(driver)
	}
	if driver := p.predicates[p.driver]; driver.kind != containsText || driver.indexed(s.search) != notIndexed {
		return p, nil
	}
	a := q.Args()
	text := p.idsSQL(a, s.search, s.smallResult+1)
	ids, err := database.QueryAll(ctx, q, database.ScanValue[int64], text, a.Values...)
	if err != nil || len(ids) > s.smallResult {
		return p, err
	}
	p.predicates = append(slices.Clone(p.predicates), predicate{kind: hasID, ids: ids})
	return p.drivenBy(len(p.predicates) - 1), nil
}

// probe counts the index entries of each possible driver, in reverse order (a text
// comes last, since it takes longest), each only up to the fewest so far. Those with
// fewer than the limit are the candidates.
func (s *Store) probe(ctx context.Context, q database.Querier, p plan, limit int) ([]candidate, error) {
	var candidates []candidate
	for _, place := range slices.Backward(p.drivers()) {
		if p.predicates[place].indexed(s.search) == notIndexed {
			continue
		}
		a := q.Args()
		text := p.boundSQL(a, s.search, place, limit)
		n, err := database.QueryOne(ctx, q, database.ScanValue[int], text, a.Values...)
		if err != nil {
			return nil, err
		}
		if n < limit {
			candidates = append(candidates, candidate{place, n})
			limit = n
		}
	}
	return candidates, nil
}
