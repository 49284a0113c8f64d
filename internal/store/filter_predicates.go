package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// predicates returns the predicates of a filter, with its names and ids looked up. ok is
// false if no link can satisfy the filter.
func (s *Store) predicates(ctx context.Context, q database.Querier, viewer waymark.UserID, filter waymark.LinkFilter) (predicates []query.Predicate, ok bool, err error) {
	if len(filter.Words)+len(filter.ExcludeWords) > waymark.MaxWords {
		return nil, false, waymark.TooMany(waymark.FieldQuery, 0, waymark.MaxWords)
	}
	if !storableText(filter.Text) || slices.ContainsFunc(filter.Words, func(word string) bool { return !storableText(word) }) {
		return nil, false, nil
	}
	if filter.Text != "" {
		predicates = append(predicates, query.Predicate{Kind: query.ContainsText, Text: newTextPredicate(filter)})
	}
	predicates = append(predicates, wordPredicates(query.ContainsText, filter.Words)...)
	if filter.SearchContent && viewer != waymark.Guest {
		for i := range predicates {
			predicates[i].Text.CopyWords = waymark.QueryWords(predicates[i].Text.Text)
		}
	}
	if filter.CreatedFrom != 0 {
		predicates = append(predicates, query.Predicate{Kind: query.CreatedFrom, Time: filter.CreatedFrom})
	}
	if filter.CreatedBefore != 0 {
		predicates = append(predicates, query.Predicate{Kind: query.CreatedBefore, Time: filter.CreatedBefore})
	}
	if filter.Owner != 0 {
		predicates = append(predicates, query.Predicate{Kind: query.OwnedBy, User: filter.Owner})
	}
	for _, about := range []struct {
		assoc            *query.Association
		without          bool
		wanted, excluded []waymark.Ref
		all              bool
	}{
		{&query.LinkTags, filter.WithoutTags, filter.Tags, filter.ExcludeTags, filter.AllTags},
		{&query.LinkLists, filter.WithoutLists, filter.Lists, filter.ExcludeLists, filter.AllLists},
	} {
		refs, err := s.resolve(ctx, q, about.assoc, viewer, slices.Concat(about.wanted, about.excluded))
		if err != nil {
			return nil, false, err
		}
		switch ids := refs.ids(about.wanted); {
		case about.without:
			predicates = append(predicates, query.Predicate{Kind: query.InNoneVisible, Association: about.assoc, User: viewer})
		case len(about.wanted) == 0:
		case len(ids) == 0, about.all && slices.ContainsFunc(about.wanted, refs.missing):
			return nil, false, nil
		case about.all:
			predicates = append(predicates, query.Predicate{Kind: query.InAll, Association: about.assoc, IDs: ids})
		default:
			predicates = append(predicates, query.Predicate{Kind: query.InAny, Association: about.assoc, IDs: ids})
		}
		if ids := refs.ids(about.excluded); len(ids) > 0 {
			predicates = append(predicates, query.Predicate{Kind: query.InNone, Association: about.assoc, IDs: ids})
		}
	}
	if filter.BrokenOnly {
		predicates = append(predicates, query.Predicate{Kind: query.IsBroken})
	}
	if filter.Verdict != waymark.VerdictNone {
		predicates = append(predicates, query.Predicate{Kind: query.HasVerdict, Verdict: filter.Verdict})
	}
	predicates = append(predicates, wordPredicates(query.LacksText, filter.ExcludeWords)...)
	return predicates, true, nil
}

func newTextPredicate(filter waymark.LinkFilter) query.TextPredicate {
	t := query.TextPredicate{Text: waymark.Fold(filter.Text), Columns: []string{"url"}}
	if filter.SearchTitle {
		t.Columns = append(t.Columns, "title")
	}
	if filter.SearchDescription {
		t.Columns = append(t.Columns, "description")
	}
	return t
}

// wordPredicates returns a predicate for each of the words. Empty words are skipped, and
// texts that cannot be stored, which no link contains.
func wordPredicates(kind query.Kind, words []string) (predicates []query.Predicate) {
	for _, word := range words {
		if word != "" && storableText(word) {
			text := query.TextPredicate{Text: waymark.Fold(word), Columns: []string{"url", "title", "description"}}
			predicates = append(predicates, query.Predicate{Kind: kind, Text: text})
		}
	}
	return predicates
}
