package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"waymark/internal/database"
	language "waymark/internal/query"
	"waymark/internal/store/accounts"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// indexQuery returns the query of the index for filters that differ only in their conditions, and these conditions as
// the index reads them: with folded texts, and with ids instead of names. What nothing can satisfy becomes an empty
// waymark.Or.
func (s *Store) indexQuery(ctx context.Context, q database.Querier, viewer waymark.UserID, filters ...waymark.LinkFilter) (linkindex.Query, []waymark.Condition, error) {
	first := filters[0]
	iq := linkindex.Query{Viewer: viewer, As: cmp.Or(first.As, viewer), Now: s.now().Time()}
	if first.Zone != nil {
		iq.Now = iq.Now.In(first.Zone)
	}
	conditions := waymark.Map(filters, func(f waymark.LinkFilter) waymark.Condition { return f.Where })
	names, err := lookUpNames(ctx, q, iq.As, waymark.Or(conditions), first.OwnNames)
	return iq, waymark.Map(conditions, func(c waymark.Condition) waymark.Condition { return waymark.MapLeaves(c, names.idsOf) }), err
}

// namesOfConditions are the lists, tags and users that conditions name.
type namesOfConditions struct {
	as          waymark.UserID // who names them
	lists, tags resolvedRefs
	smart       map[string]waymark.Condition // of the smart lists, by folded name
	left        int                          // how many conditions of smart lists may still be added
	users       map[string]waymark.UserID    // by folded name
}

// maxSmartConditions limits the conditions that smart lists add to a search. Smart lists in smart lists could have more
// than the memory holds.
const maxSmartConditions = 1000

func lookUpNames(ctx context.Context, q database.Querier, as waymark.UserID, where waymark.Condition, ownNames bool) (names namesOfConditions, err error) {
	names.as, names.left = as, maxSmartConditions
	refs, users := namedIn(where)
	find := resolveVisible
	if ownNames {
		find = resolve
	}
	if names.lists, err = find(ctx, q, &query.LinkLists, as, refs[waymark.Lists]); err != nil {
		return names, err
	}
	if !ownNames && slices.ContainsFunc(refs[waymark.Lists], func(ref waymark.Ref) bool { return ref.Name != "" && names.lists.missing(ref) }) {
		if names.smart, err = smartLists(ctx, q, as); err != nil {
			return names, err
		}
		refs, users = namedIn(waymark.Or{where, waymark.Or(slices.Collect(maps.Values(names.smart)))})
		if names.lists, err = find(ctx, q, &query.LinkLists, as, refs[waymark.Lists]); err != nil {
			return names, err
		}
	}
	if names.tags, err = find(ctx, q, &query.LinkTags, as, refs[waymark.Tags]); err != nil || len(users) == 0 {
		return names, err
	}
	a := q.Args()
	names.users, err = database.QueryMap[string, waymark.UserID](ctx, q, `
		SELECT name_folded, id
		FROM users
		WHERE name_folded `+database.In(a, table.Unique(users)), a.Values...)
	return names, err
}

// namedIn returns the lists and tags in a condition, and the folded names of users.
func namedIn(where waymark.Condition) (refs map[waymark.EntityKind][]waymark.Ref, users []string) {
	refs = map[waymark.EntityKind][]waymark.Ref{}
	for c := range waymark.Leaves(where) {
		switch c := c.(type) {
		case waymark.Labeled:
			if !c.Prefix {
				refs[c.Kind] = append(refs[c.Kind], c.Refs...)
			}
		case waymark.OwnedBy:
			if c.ID == 0 && table.StorableText(c.Name) {
				users = append(users, waymark.Fold(c.Name))
			}
		}
	}
	return refs, users
}

// smartLists returns the conditions of a user's smart lists, by folded name. As on their pages, their marks are those
// of the user's own links.
func smartLists(ctx context.Context, q database.Querier, owner waymark.UserID) (map[string]waymark.Condition, error) {
	all, err := accounts.ReadSavedSearches(ctx, q, owner)
	smart := map[string]waymark.Condition{}
	for _, search := range all {
		if search.InLists {
			where, _ := language.Parse(search.Query)
			smart[waymark.Fold(search.Name)] = waymark.MapLeaves(where, func(c waymark.Condition) waymark.Condition {
				if c == waymark.Condition(waymark.IsUnread) || c == waymark.Condition(waymark.IsFavorite) {
					return waymark.And{c, waymark.IsMine}
				}
				return c
			})
		}
	}
	return smart, err
}

// idsOf returns a condition as the index reads it.
func (n *namesOfConditions) idsOf(c waymark.Condition) waymark.Condition {
	switch c := c.(type) {
	case waymark.Contains:
		if !table.StorableText(c.Text) {
			return waymark.Or{}
		}
		c.Text = waymark.Plain(c.Text)
		if n.as == waymark.Guest || len(waymark.QueryWords(c.Text)) == 0 { // guests see no snapshots
			c.In &^= waymark.InSnapshot
		}
		return c
	case waymark.Labeled:
		return n.labeled(c)
	case waymark.OwnedBy:
		if c.ID == 0 {
			c.ID = n.users[waymark.Fold(c.Name)]
		}
		if c.ID == 0 {
			return waymark.Or{}
		}
		return waymark.OwnedBy{ID: c.ID}
	case waymark.OnSite:
		return waymark.OnSite(waymark.Plain(string(c)))
	case waymark.Has:
		if c == waymark.HasSnapshot && n.as == waymark.Guest {
			return waymark.Or{}
		}
	}
	return c
}

func (n *namesOfConditions) labeled(c waymark.Labeled) waymark.Condition {
	if c.Prefix {
		name := c.Refs[0].Name
		if !table.StorableText(name) {
			return waymark.Or{}
		}
		c.Refs = []waymark.Ref{{Name: waymark.Plain(name)}}
		return c
	}
	refs := n.lists
	if c.Kind == waymark.Tags {
		refs = n.tags
	}
	var found []waymark.Ref
	for _, ref := range c.Refs {
		all := refs.all(ref)
		switch {
		case !c.All:
			found = append(found, all...)
		case len(all) == 0:
			return waymark.Or{}
		default:
			found = append(found, all[0])
		}
	}
	if len(found) > 0 {
		c.Refs = found
		return c
	}
	if len(c.Refs) != 1 || c.Kind != waymark.Lists || c.Direct {
		return waymark.Or{}
	}
	smart, ok := n.smart[waymark.Fold(c.Refs[0].Name)]
	if !ok {
		return waymark.Or{}
	}
	for range waymark.Leaves(smart) {
		n.left--
	}
	if n.left < 0 {
		return waymark.Or{}
	}
	return waymark.MapLeaves(smart, n.idsOf)
}

// outsideTexts are the texts that the index does not know.
const outsideTexts = waymark.InNotes | waymark.InSnapshot | waymark.InPassages

// isOutside reports whether a condition has parts about what the index does not know: addOutside replaces them. The log
// of changes does not have all changes of it.
func isOutside(c waymark.Condition) bool {
	for leaf := range waymark.Leaves(c) {
		switch leaf := leaf.(type) {
		case waymark.Contains:
			if leaf.In&outsideTexts != 0 {
				return true
			}
		case waymark.Has:
			if leaf != waymark.HasDescription {
				return true
			}
		case waymark.Is:
			if leaf == waymark.IsDuplicate || leaf == waymark.IsNoted {
				return true
			}
		}
	}
	return false
}

// addOutside replaces the parts of a condition about what the index does not know by the ids of the links that
// satisfy them, each read with one statement.
func (s *Store) addOutside(ctx context.Context, q database.Querier, as waymark.UserID, where waymark.Condition) (waymark.Condition, error) {
	var failed error
	among := func(c waymark.Condition) waymark.Condition {
		a := q.Args()
		links, err := readLinkIDs(ctx, q, linkIDsSQL(a, s.dialect, as, c), a)
		failed = cmp.Or(failed, err)
		return links
	}
	replaced := waymark.MapLeaves(where, func(c waymark.Condition) waymark.Condition {
		if !isOutside(c) {
			return c
		}
		text, ok := c.(waymark.Contains)
		if !ok {
			return among(c)
		}
		any := waymark.Or{waymark.Contains{Text: text.Text, In: text.In &^ outsideTexts}}
		for _, in := range []waymark.TextFields{waymark.InNotes, waymark.InSnapshot, waymark.InPassages} {
			if text.In&in != 0 {
				any = append(any, among(waymark.Contains{Text: text.Text, In: in}))
			}
		}
		return any
	})
	return replaced, failed
}

// linkIDsSQL returns the statement for the ids of the links, active or not, that satisfy a condition about what the
// index does not know.
func linkIDsSQL(a *database.Args, d *query.Dialect, as waymark.UserID, c waymark.Condition) string {
	switch c := c.(type) {
	case waymark.Contains:
		switch c.In {
		case waymark.InSnapshot:
			return d.SnapshotsWith(a.Add(d.SnapshotQuery(waymark.QueryWords(c.Text))))
		case waymark.InPassages:
			return "SELECT p.link_id FROM passages AS p WHERE p.user_id = " + a.Add(as) + " AND " + d.Contains("p.searched", a.Add(c.Text))
		}
		return "SELECT n.link_id FROM notes AS n WHERE " + query.VisibleTo(a, "n.visible_to", as) + " AND " + d.Contains("coalesce(n.note_folded, n.note)", a.Add(c.Text))
	case waymark.Has:
		switch c {
		case waymark.HasNote:
			return "SELECT n.link_id FROM notes AS n WHERE " + query.VisibleTo(a, "n.visible_to", as)
		case waymark.HasSnapshot:
			return "SELECT link_id FROM text_snapshots UNION SELECT link_id FROM full_snapshots"
		case waymark.HasPassage:
			return "SELECT p.link_id FROM passages AS p WHERE p.user_id = " + a.Add(as)
		case waymark.HasPicture:
			return "SELECT link_id FROM link_pictures WHERE kind = " + a.Add(waymark.Thumbnail)
		}
	case waymark.Is:
		switch c {
		case waymark.IsNoted:
			return "SELECT n.link_id FROM notes AS n WHERE n.visible_to IS NOT NULL AND n.user_id = " + a.Add(as)
		case waymark.IsDuplicate:
			owner := a.Add(as)
			return "SELECT l.id AS link_id FROM links AS l WHERE l.user_id = " + owner + " AND l.url_key IN (SELECT k.url_key FROM links AS k WHERE k.user_id = " + owner + " AND k.visible_to IS NOT NULL GROUP BY k.url_key HAVING count(*) > 1)"
		}
	}
	panic(fmt.Sprintf("store: no statement for the condition %#v", c))
}

// readLinkIDs runs a statement of linkIDsSQL. It reads the ids as one text: rows take longer.
func readLinkIDs(ctx context.Context, q database.Querier, text string, a *database.Args) (waymark.Among, error) {
	ids, err := database.QueryOne(ctx, q, database.ScanValue[sql.NullString], `
		SELECT string_agg(CAST(link_id AS text), ':')
		FROM (`+text+`) AS found`, a.Values...)
	if err != nil {
		return nil, err
	}
	decoded, err := database.DecodeIDs(ids.String)
	links := make(waymark.Among, len(decoded))
	for _, id := range decoded {
		links[waymark.LinkID(id)] = true
	}
	return links, err
}
