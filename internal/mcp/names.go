package mcp

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// maxNames is how many tags one call can name.
const maxNames = 50

// tagRefs returns the user's own tags with some names. An unknown one is an error that names the nearest, unless it may
// be created.
func (a *API) tagRefs(ctx context.Context, user waymark.User, names []string, create bool) ([]waymark.Ref, error) {
	if len(names) > maxNames {
		return nil, refusef("One call can name %d tags.", maxNames)
	}
	refs := waymark.Map(names, func(name string) waymark.Ref {
		return waymark.Ref{Name: waymark.NormalizeName(strings.TrimPrefix(name, "#"))}
	})
	found, err := a.Store.FindTags(ctx, user.ID, refs)
	if err != nil {
		return nil, err
	}
	for i, ref := range refs {
		tag, ok := found[ref]
		switch {
		case ref.Name == "":
			return nil, refusal("The name of a tag cannot be empty.")
		case ok && tag.Owner == user.ID:
			refs[i] = waymark.Ref{ID: int64(tag.ID)}
		case !create:
			own, err := a.Store.OwnTags(user.ID, waymark.Order{By: waymark.SortByName}, waymark.Pagination{}).Page(ctx)
			if err != nil {
				return nil, err
			}
			known := waymark.Map(own.Entities, func(t waymark.Tag) string { return t.Name })
			return nil, refusef("Nothing was changed: there is no tag %q. %s", shortened(ref.Name, maxTitle), nearest(ref.Name, known))
		}
	}
	return refs, nil
}

// ownLists returns the user's own lists with their paths, in the order of the tree.
func (a *API) ownLists(ctx context.Context, user waymark.User) ([]waymark.List, error) {
	all, err := a.Store.ListTree(ctx, user.ID)
	return slices.DeleteFunc(all, func(l waymark.List) bool { return l.Owner != user.ID }), err
}

// listRefs returns the user's own list with an id, a path or a name, and none for an empty text. Lists are never created.
func (a *API) listRefs(ctx context.Context, user waymark.User, text string) ([]waymark.Ref, error) {
	if text == "" {
		return nil, nil
	}
	own, err := a.ownLists(ctx, user)
	if err != nil {
		return nil, err
	}
	wanted := waymark.Fold(strings.TrimPrefix(text, "/"))
	var byID, byPath, byName []waymark.List
	for _, l := range own {
		switch wanted {
		case strconv.FormatInt(int64(l.ID), 10):
			byID = append(byID, l)
		case waymark.Fold(strings.Join(l.Names(), "/")):
			byPath = append(byPath, l)
		case waymark.Fold(l.Name):
			byName = append(byName, l)
		}
	}
	for _, found := range [][]waymark.List{byPath, byName, byID} {
		if len(found) == 1 {
			return []waymark.Ref{{ID: int64(found[0].ID)}}, nil
		}
		if len(found) > 1 {
			paths := waymark.Map(found, func(l waymark.List) string {
				return strings.Join(l.Names(), "/") + " (id " + strconv.FormatInt(int64(l.ID), 10) + ")"
			})
			return nil, refusef("Nothing was changed: several lists are called %q. Use the id of one: %s.", shortened(text, maxTitle), strings.Join(paths[:min(len(paths), 10)], ", "))
		}
	}
	paths := waymark.Map(own, func(l waymark.List) string { return strings.Join(l.Names(), "/") })
	return nil, refusef("Nothing was changed: there is no list %q. %s", shortened(text, maxTitle), nearest(text, paths))
}

// nearest returns a sentence with the names that are most similar to an unknown one.
func nearest(name string, known []string) string {
	const maxNearest = 5
	type candidate struct {
		name  string
		score float64
	}
	var all []candidate
	wanted := pairsOf(name)
	for _, k := range known {
		pairs, common := pairsOf(k), 0
		for pair := range wanted {
			if pairs[pair] {
				common++
			}
		}
		if common > 0 {
			all = append(all, candidate{k, float64(2*common) / float64(len(wanted)+len(pairs))})
		}
	}
	if len(all) == 0 {
		return "No name is similar."
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	names := waymark.Map(all[:min(len(all), maxNearest)], func(c candidate) string { return strconv.Quote(shortened(c.name, maxTitle)) })
	return "The nearest: " + strings.Join(names, ", ") + "."
}

// pairsOf returns the pairs of neighbors among the characters of a name, with spaces around it.
func pairsOf(name string) map[[2]rune]bool {
	pairs, before := map[[2]rune]bool{}, ' '
	for _, r := range waymark.Fold(name) + " " {
		pairs[[2]rune{before, r}] = true
		before = r
	}
	return pairs
}
