package store

import (
	"context"
	"math"
	"slices"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

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
