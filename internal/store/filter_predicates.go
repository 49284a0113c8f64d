package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// filterPredicates returns the predicates of a filter, with its names and ids looked up. ok is
// false if no link can satisfy the filter.
func filterPredicates(ctx context.Context, q database.Querier, viewer waymark.UserID, filter waymark.LinkFilter) (predicates []query.Predicate, ok bool, err error) {
	if len(filter.Words)+len(filter.ExcludeWords) > waymark.MaxWords {
		return nil, false, waymark.TooMany(waymark.FieldQuery, 0, waymark.MaxWords)
	}
	if !table.StorableText(filter.Text) || slices.ContainsFunc(filter.Words, func(word string) bool { return !table.StorableText(word) }) {
		return nil, false, nil
	}
	if filter.Text != "" {
		predicates = append(predicates, query.Predicate{Kind: query.ContainsText, Text: newTextPredicate(filter)})
	}
	predicates = append(predicates, wordPredicates(query.ContainsText, filter.Words)...)
	if filter.SearchContent && viewer != waymark.Guest {
		for i := range predicates {
			predicates[i].Text.SnapshotWords = waymark.QueryWords(predicates[i].Text.Text)
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
	for _, labels := range []labelConditions{
		{&query.LinkTags, filter.WithoutTags, filter.Tags, filter.ExcludeTags, filter.AllTags},
		{&query.LinkLists, filter.WithoutLists, filter.Lists, filter.ExcludeLists, filter.AllLists},
	} {
		added, ok, err := labelPredicates(ctx, q, viewer, labels)
		if err != nil || !ok {
			return nil, false, err
		}
		predicates = append(predicates, added...)
	}
	if filter.BrokenOnly {
		predicates = append(predicates, query.Predicate{Kind: query.IsBroken})
	}
	if filter.CheckResult != waymark.CheckNone {
		predicates = append(predicates, query.Predicate{Kind: query.HasCheckResult, CheckResult: filter.CheckResult})
	}
	predicates = append(predicates, flagPredicates(filter.Flags)...)
	predicates = append(predicates, wordPredicates(query.LacksText, filter.ExcludeWords)...)
	return predicates, true, nil
}

func flagPredicates(flags waymark.FlagsInput) (predicates []query.Predicate) {
	for _, flag := range flags.Values() {
		predicates = append(predicates, query.Predicate{Kind: query.HasFlag, Flag: flag})
	}
	return predicates
}

// labelConditions are the conditions of a filter on the tags, or on the lists, of links.
type labelConditions struct {
	assoc            *query.Association
	without          bool // links of which the viewer sees none
	wanted, excluded []waymark.Ref
	all              bool // all that are wanted, not one of them
}

// labelPredicates returns the predicates of conditions on tags, or on lists. ok is false if no link
// can satisfy them.
func labelPredicates(ctx context.Context, q database.Querier, viewer waymark.UserID, c labelConditions) (predicates []query.Predicate, ok bool, err error) {
	refs, err := resolve(ctx, q, c.assoc, viewer, slices.Concat(c.wanted, c.excluded))
	if err != nil {
		return nil, false, err
	}
	switch ids := refs.ids(c.wanted); {
	case c.without:
		predicates = append(predicates, query.Predicate{Kind: query.InNoneVisible, Association: c.assoc, User: viewer})
	case len(c.wanted) == 0:
	case len(ids) == 0, c.all && slices.ContainsFunc(c.wanted, refs.missing):
		return nil, false, nil
	case c.all:
		predicates = append(predicates, query.Predicate{Kind: query.InAll, Association: c.assoc, IDs: ids})
	default:
		predicates = append(predicates, query.Predicate{Kind: query.InAny, Association: c.assoc, IDs: ids})
	}
	if ids := refs.ids(c.excluded); len(ids) > 0 {
		predicates = append(predicates, query.Predicate{Kind: query.InNone, Association: c.assoc, IDs: ids})
	}
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
		if word != "" && table.StorableText(word) {
			text := query.TextPredicate{Text: waymark.Fold(word), Columns: []string{"url", "title", "description"}}
			predicates = append(predicates, query.Predicate{Kind: kind, Text: text})
		}
	}
	return predicates
}
