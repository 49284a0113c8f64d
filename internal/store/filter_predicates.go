package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// filterPredicates returns the predicates of a filter, with its names and ids looked up.
func (s *Store) filterPredicates(ctx context.Context, q database.Querier, viewer waymark.UserID, filter waymark.LinkFilter) ([]query.Predicate, error) {
	f, err := s.filteringOf(ctx, q, viewer, filter)
	if err != nil {
		return nil, err
	}
	return f.predicates(filter.Where), nil
}

// filteringOf looks up the names and ids of filters that differ only in their conditions.
func (s *Store) filteringOf(ctx context.Context, q database.Querier, viewer waymark.UserID, filters ...waymark.LinkFilter) (f filtering, err error) {
	all := waymark.LinkFilter{}
	if len(filters) > 0 {
		all = filters[0]
	}
	conditions := make(waymark.Or, len(filters))
	for i, filter := range filters {
		conditions[i] = filter.Where
	}
	all.Where = conditions
	f = filtering{viewer: cmp.Or(all.As, viewer), now: s.now().Time()}
	if all.Zone != nil {
		f.now = f.now.In(all.Zone)
	}
	return f, f.lookUp(ctx, s, q, all)
}

// predicates returns the predicates that a condition consists of.
func (f *filtering) predicates(where waymark.Condition) []query.Predicate {
	p := f.predicate(where)
	if p.Kind == query.And {
		return p.Parts
	}
	return []query.Predicate{p}
}

// filtering makes predicates of conditions.
type filtering struct {
	viewer waymark.UserID // or LinkFilter.As
	now    time.Time      // in the zone of the filter
	lists  resolvedRefs
	tags   resolvedRefs
	owners map[string]waymark.UserID // by folded name

	sublists map[int64][]int64 // all that stand in a list and that the viewer sees
}

// lookUp looks up the lists, tags and users of a filter.
func (f *filtering) lookUp(ctx context.Context, s *Store, q database.Querier, filter waymark.LinkFilter) (err error) {
	refs := map[waymark.EntityKind][]waymark.Ref{}
	var owners []string
	for c := range waymark.Leaves(filter.Where) {
		switch c := c.(type) {
		case waymark.Labeled:
			if !c.Prefix {
				refs[c.Kind] = append(refs[c.Kind], c.Refs...)
			}
		case waymark.OwnedBy:
			if c.ID == 0 && table.StorableText(c.Name) {
				owners = append(owners, waymark.Fold(c.Name))
			}
		}
	}
	find := resolveVisible
	if filter.OwnNames {
		find = resolve
	}
	if f.lists, err = find(ctx, q, &query.LinkLists, f.viewer, refs[waymark.Lists]); err != nil {
		return err
	}
	if f.tags, err = find(ctx, q, &query.LinkTags, f.viewer, refs[waymark.Tags]); err != nil {
		return err
	}
	if f.owners, err = usersNamed(ctx, q, owners); err != nil {
		return err
	}
	return f.lookUpSublists(ctx, s, q, filter)
}

// lookUpSublists looks up the lists that stand in those of a filter. Their ids are resolved before the search, so that
// the search index need not know the tree.
func (f *filtering) lookUpSublists(ctx context.Context, s *Store, q database.Querier, filter waymark.LinkFilter) (err error) {
	var ids []int64
	for c := range waymark.Leaves(filter.Where) {
		labeled, ok := c.(waymark.Labeled)
		if !ok || labeled.Kind != waymark.Lists || labeled.Direct || labeled.Prefix {
			continue
		}
		ids = append(ids, f.lists.ids(labeled.Refs)...)
	}
	if len(ids) == 0 {
		return nil
	}
	ids = table.Unique(ids)
	read := func() (map[int64][]int64, error) { return readSublists(ctx, q, f.viewer, ids) }
	view, err := s.index.Sync(ctx)
	switch {
	case err != nil:
		return err
	case view == nil:
		f.sublists, err = read()
	default:
		f.sublists, err = view.Sublists(f.viewer, ids, read)
	}
	return err
}

// inLists returns the predicate that a link is in one of these lists or their sublists.
func (f *filtering) inLists(ids []int64) query.Predicate {
	all := slices.Clone(ids)
	for _, id := range ids {
		all = append(all, f.sublists[id]...)
	}
	return query.Predicate{Kind: query.InAny, Association: &query.LinkLists, IDs: table.Unique(all)}
}

// usersNamed returns the ids of the users with some folded names.
func usersNamed(ctx context.Context, q database.Querier, folded []string) (map[string]waymark.UserID, error) {
	if len(folded) == 0 {
		return nil, nil
	}
	a := q.Args()
	return database.QueryMap[string, waymark.UserID](ctx, q, `
		SELECT name_folded, id
		FROM users
		WHERE name_folded `+database.In(a, table.Unique(folded)), a.Values...)
}

// predicate returns the predicate of a condition.
func (f *filtering) predicate(c waymark.Condition) query.Predicate {
	switch c := c.(type) {
	case nil:
		return query.Predicate{}
	case waymark.And:
		return query.Predicate{Kind: query.And, Parts: f.all(c)}
	case waymark.Or:
		return query.Predicate{Kind: query.Or, Parts: f.all(c)}
	case waymark.Not:
		return query.Predicate{Kind: query.Not, Parts: []query.Predicate{f.predicate(c.Condition)}}
	case waymark.Contains:
		return f.contains(c)
	case waymark.Labeled:
		return f.labeled(c)
	case waymark.Dated:
		p := query.Predicate{Kind: query.SavedBetween}
		if c.Field == waymark.EditedOn {
			p.Kind = query.EditedBetween
		}
		p.From, p.Before = c.Bounds(f.now)
		return p
	case waymark.Since:
		p := query.Predicate{Kind: query.SavedBetween, From: c.After + 1, Before: waymark.MaxTime}
		if c.Edited {
			p.Kind = query.EditedBetween
		}
		return p
	case waymark.OwnedBy:
		if c.ID == 0 {
			c.ID = f.owners[waymark.Fold(c.Name)]
		}
		return f.ownedBy(c.ID)
	case waymark.OnSite:
		if !table.StorableText(string(c)) {
			return query.Never
		}
		return query.Predicate{Kind: query.OnSite, Text: query.TextPredicate{Text: waymark.Fold(string(c))}}
	case waymark.Is:
		return f.is(c)
	case waymark.Has:
		return f.has(c)
	}
	panic(fmt.Sprintf("store: unknown condition %T", c))
}

func (f *filtering) all(conditions []waymark.Condition) []query.Predicate {
	return waymark.Map(conditions, f.predicate)
}

// anyOf returns the predicate that one of some predicates is satisfied.
func anyOf(parts []query.Predicate) query.Predicate {
	if len(parts) == 1 {
		return parts[0]
	}
	return query.Predicate{Kind: query.Or, Parts: parts}
}

// contains returns the predicate of a text. Guests see no snapshots.
func (f *filtering) contains(c waymark.Contains) query.Predicate {
	if !table.StorableText(c.Text) {
		return query.Never
	}
	text := waymark.Fold(c.Text)
	var parts []query.Predicate
	if columns := columnsOf(c.In); len(columns) > 0 {
		parts = append(parts, query.Predicate{Kind: query.ContainsText, Text: query.TextPredicate{Text: text, Columns: columns}})
	}
	if c.In&waymark.InNames != 0 {
		for _, assoc := range []*query.Association{&query.LinkLists, &query.LinkTags} {
			parts = append(parts, query.Predicate{Kind: query.InNamed, Association: assoc, User: f.viewer, Text: query.TextPredicate{Text: text}})
		}
	}
	if c.In&waymark.InNotes != 0 {
		parts = append(parts, query.Predicate{Kind: query.NoteContains, User: f.viewer, Text: query.TextPredicate{Text: text}})
	}
	if words := waymark.QueryWords(text); c.In&waymark.InSnapshot != 0 && f.viewer != waymark.Guest && len(words) > 0 {
		parts = append(parts, query.Predicate{Kind: query.SnapshotContains, Text: query.TextPredicate{Words: words}})
	}
	return anyOf(parts)
}

// columnsOf returns the columns of a link that have its texts.
func columnsOf(in waymark.TextFields) (columns []string) {
	for _, text := range []struct {
		field  waymark.TextFields
		column string
	}{{waymark.InURL, "url"}, {waymark.InTitle, "title"}, {waymark.InDescription, "description"}} {
		if in&text.field != 0 {
			columns = append(columns, text.column)
		}
	}
	return columns
}

func (f *filtering) labeled(c waymark.Labeled) query.Predicate {
	assoc, refs := &query.LinkLists, f.lists
	if c.Kind == waymark.Tags {
		assoc, refs = &query.LinkTags, f.tags
	}
	if c.Prefix {
		name := c.Refs[0].Name
		if !table.StorableText(name) {
			return query.Never
		}
		return query.Predicate{Kind: query.InNamed, Association: assoc, User: f.viewer, Text: query.TextPredicate{Text: waymark.Fold(name), Prefix: true}}
	}
	ids := refs.ids(c.Refs)
	nested := c.Kind == waymark.Lists && !c.Direct && slices.ContainsFunc(ids, func(id int64) bool { return len(f.sublists[id]) > 0 })
	switch {
	case len(ids) == 0, c.All && slices.ContainsFunc(c.Refs, refs.missing):
		return query.Never
	case nested && c.All:
		all := query.Predicate{Kind: query.And}
		for _, id := range ids {
			all.Parts = append(all.Parts, f.inLists([]int64{id}))
		}
		return all
	case nested:
		return f.inLists(ids)
	case c.All && len(ids) > 1:
		return query.Predicate{Kind: query.InAll, Association: assoc, IDs: ids}
	}
	return query.Predicate{Kind: query.InAny, Association: assoc, IDs: ids}
}

func (f *filtering) ownedBy(owner waymark.UserID) query.Predicate {
	if owner == 0 {
		return query.Never
	}
	return query.Predicate{Kind: query.OwnedBy, User: owner}
}

func (f *filtering) is(state waymark.Is) query.Predicate {
	if visibility, err := waymark.ParseVisibility(string(state)); err == nil {
		return query.Predicate{Kind: query.VisibleAs, Visibility: visibility}
	}
	if result, ok := waymark.ParseCheckResult(string(state)); ok {
		return query.Predicate{Kind: query.HasCheckResult, CheckResult: result}
	}
	if flag, ok := waymark.ParseLinkFlag(string(state)); ok {
		return query.Predicate{Kind: query.HasFlag, Flag: waymark.FlagValue{Flag: flag, On: true}}
	}
	switch state {
	case waymark.IsBroken:
		return query.Predicate{Kind: query.IsBroken}
	case waymark.IsMine:
		return f.ownedBy(f.viewer) // a guest has no links
	case waymark.IsUnfiled:
		return query.Predicate{Kind: query.InNoneVisible, Association: &query.LinkLists, User: f.viewer}
	case waymark.IsDuplicate:
		return query.Predicate{Kind: query.IsDuplicate, User: f.viewer}
	case waymark.IsUntagged:
		return query.Predicate{Kind: query.InNoneVisible, Association: &query.LinkTags, User: f.viewer}
	}
	panic("store: unknown state " + string(state))
}

func (f *filtering) has(thing waymark.Has) query.Predicate {
	switch thing {
	case waymark.HasNote:
		return query.Predicate{Kind: query.HasNote, User: f.viewer}
	case waymark.HasSnapshot:
		if f.viewer == waymark.Guest {
			return query.Never
		}
		return query.Predicate{Kind: query.HasSnapshot}
	case waymark.HasPicture:
		return query.Predicate{Kind: query.HasThumbnail}
	case waymark.HasDescription:
		return query.Predicate{Kind: query.HasDescription}
	}
	panic("store: cannot tell whether a link has a " + string(thing))
}

// addLinkIDs returns predicates with the ids of those links that the index does not know.
func (s *Store) addLinkIDs(ctx context.Context, q database.Querier, predicates []query.Predicate) ([]query.Predicate, error) {
	added := slices.Clone(predicates)
	for i, p := range added {
		var err error
		if len(p.Parts) > 0 {
			added[i].Parts, err = s.addLinkIDs(ctx, q, p.Parts)
		} else if p.SelectsLinks() {
			added[i].LinkIDs, err = s.linkIDs(ctx, q, p)
		}
		if err != nil {
			return nil, err
		}
	}
	return added, nil
}

// linkIDs returns the ids that LinkIDsSQL selects, read as one text: rows take longer.
func (s *Store) linkIDs(ctx context.Context, q database.Querier, p query.Predicate) ([]int64, error) {
	a := q.Args()
	text := p.LinkIDsSQL(a, s.dialect)
	ids, err := database.QueryOne(ctx, q, database.ScanValue[sql.NullString], `
		SELECT string_agg(CAST(link_id AS text), ':')
		FROM (`+text+`) AS found`, a.Values...)
	if err != nil {
		return nil, err
	}
	return database.DecodeIDs(ids.String)
}

// readSublists returns the lists that stand in each of some lists, at any depth, and that viewer sees. Those in a list
// that the viewer does not see are left out.
func readSublists(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) (map[int64][]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	a := q.Args()
	visible := query.VisibleTo(a, database.Unindexed("l.visible_to"), viewer)
	sublists := map[int64][]int64{}
	for pair, err := range database.QueryEach(ctx, q, scanPair, `
		WITH RECURSIVE below (top, id) AS (
			SELECT l.parent_id, l.id
			FROM lists AS l
			WHERE l.parent_id `+database.In(a, ids)+` AND `+visible+`
			UNION
			SELECT below.top, l.id
			FROM below`+database.JoinInOrder+`lists AS l
			WHERE l.parent_id = below.id AND `+visible+`
		)
		SELECT top, id
		FROM below`, a.Values...) {
		if err != nil {
			return nil, err
		}
		sublists[pair[0]] = append(sublists[pair[0]], pair[1])
	}
	return sublists, nil
}
