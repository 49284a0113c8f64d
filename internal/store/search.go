package store

import (
	"context"
	"math"
	"slices"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// SearchLinks lists the links that viewer sees and that satisfy a filter.
func (s *Store) SearchLinks(viewer waymark.UserID, filter waymark.LinkFilter, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	l.filter = &filter
	return l
}

// LinksOfList lists the links in a list.
func (s *Store) LinksOfList(viewer waymark.UserID, list waymark.ListID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	l.predicates = []predicate{{kind: inAny, assoc: &linkLists, ids: []int64{int64(list)}}}
	return l
}

// LinksOfTag lists the links with a tag.
func (s *Store) LinksOfTag(viewer waymark.UserID, tag waymark.TagID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	l.predicates = []predicate{{kind: inAny, assoc: &linkTags, ids: []int64{int64(tag)}}}
	return l
}

// scopesOfFilter returns those of the scopes that have the visibility that a filter
// asks for.
func scopesOfFilter(scopes []scope, filter waymark.LinkFilter) []scope {
	return slices.DeleteFunc(slices.Clone(scopes), func(s scope) bool {
		return filter.Visibility != 0 && s.visibility() != filter.Visibility ||
			filter.PrivateOnly && s.visibility() != waymark.Private
	})
}

// predicates returns what a filter asks for, its names and ids looked up. ok is false
// where no link can satisfy it.
func (s *Store) predicates(ctx context.Context, q database.Querier, viewer waymark.UserID, filter waymark.LinkFilter) (predicates []predicate, ok bool, err error) {
	if !storableText(filter.Text) {
		return nil, false, nil
	}
	if filter.Text != "" {
		predicates = append(predicates, predicate{kind: containsText, text: newTextPredicate(filter)})
	}
	for _, about := range []struct {
		assoc            *association
		without          bool
		wanted, excluded []waymark.Ref
		all              bool
	}{
		{&linkTags, filter.WithoutTags, filter.Tags, filter.ExcludeTags, filter.AllTags},
		{&linkLists, filter.WithoutLists, filter.Lists, filter.ExcludeLists, filter.AllLists},
	} {
		refs, err := s.resolve(ctx, q, about.assoc, viewer, slices.Concat(about.wanted, about.excluded))
		if err != nil {
			return nil, false, err
		}
		switch ids := refs.ids(about.wanted); {
		case about.without:
			predicates = append(predicates, predicate{kind: inNoneVisible, assoc: about.assoc, user: viewer})
		case len(about.wanted) == 0:
		case len(ids) == 0, about.all && slices.ContainsFunc(about.wanted, refs.missing):
			return nil, false, nil
		case about.all:
			rare, err := s.rarest(ctx, q, viewer, about.assoc, ids)
			if err != nil {
				return nil, false, err
			}
			predicates = append(predicates, predicate{kind: inAny, assoc: about.assoc, ids: []int64{rare}})
			if len(ids) > 1 {
				others := slices.DeleteFunc(ids, func(id int64) bool { return id == rare })
				predicates = append(predicates, predicate{kind: inAll, assoc: about.assoc, ids: others})
			}
		default:
			predicates = append(predicates, predicate{kind: inAny, assoc: about.assoc, ids: ids})
		}
		if ids := refs.ids(about.excluded); len(ids) > 0 {
			predicates = append(predicates, predicate{kind: inNone, assoc: about.assoc, ids: ids})
		}
	}
	if filter.BrokenOnly {
		predicates = append(predicates, predicate{kind: isBroken})
	}
	return predicates, true, nil
}

func newTextPredicate(filter waymark.LinkFilter) textPredicate {
	t := textPredicate{text: waymark.Fold(filter.Text), columns: []string{"url_folded"}}
	if filter.SearchTitle {
		t.columns = append(t.columns, "title_folded")
	}
	if filter.SearchDescription {
		t.columns = append(t.columns, "description_folded")
	}
	return t
}

// maxProbed bounds how many lists or tags are counted to find the rarest.
const maxProbed = 10

// rarest returns the list or tag with the fewest links.
func (s *Store) rarest(ctx context.Context, q database.Querier, viewer waymark.UserID, assoc *association, ids []int64) (int64, error) {
	if len(ids) == 1 {
		return ids[0], nil
	}
	p := plan{table: "links", scopes: scopesOf(viewer)}
	for _, id := range ids[:min(len(ids), maxProbed)] {
		p.predicates = append(p.predicates, predicate{kind: inAny, assoc: assoc, ids: []int64{id}})
	}
	candidates, err := s.probe(ctx, q, p, math.MaxInt)
	return ids[cheapest(candidates)], err
}

// smallResult is a number of links that are found and tested so quickly that the
// choice of the driver does not matter.
const smallResult = 1000

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
