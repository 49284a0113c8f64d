package linkding

import (
	"context"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// shownTagName returns the name of a tag for clients: with a hyphen for each space, because they separate
// names by spaces.
func shownTagName(name string) string { return strings.ReplaceAll(name, " ", "-") }

// shownKey is the same for two names that are shown as the same, without regard to case.
func shownKey(name string) string { return waymark.Fold(shownTagName(name)) }

// tagsByName returns the tags that viewer sees, by the shownKey of their names.
func (a *API) tagsByName(ctx context.Context, viewer waymark.UserID, names []string) (map[string][]waymark.Tag, error) {
	found, err := a.Store.HyphenatedTags(ctx, viewer, names)
	byName := map[string][]waymark.Tag{}
	for _, tag := range found {
		byName[shownKey(tag.Name)] = append(byName[shownKey(tag.Name)], tag)
	}
	return byName, err
}

// splitTagNames returns the names that a client means. One text can have several names, with commas between
// them. They are sorted without regard to case: linkding adds new tags in this order.
func splitTagNames(texts []string) (names []string) {
	at := map[string]int{}
	for name := range strings.SplitSeq(strings.Join(texts, ","), ",") {
		name = shownTagName(strings.TrimSpace(name))
		if name == "" {
			continue
		}
		if i, ok := at[shownKey(name)]; ok {
			names[i] = name
			continue
		}
		at[shownKey(name)] = len(names)
		names = append(names, name)
	}
	slices.SortStableFunc(names, waymark.CompareNames)
	return names
}

// tagRefs returns the tags that texts name, nil for nil. A name means, in this order: the user's own tag
// with exactly that name, an own tag that is shown with it, a current tag of the link.
func (a *API) tagRefs(ctx context.Context, user waymark.User, texts *[]string, current []waymark.Tag) (*[]waymark.Ref, error) {
	if texts == nil {
		return nil, nil
	}
	names := splitTagNames(*texts)
	known, err := a.tagsByName(ctx, user.ID, names)
	if err != nil {
		return nil, err
	}
	isCurrent := map[waymark.TagID]bool{}
	for i := range current {
		isCurrent[current[i].ID] = true
	}
	refs := make([]waymark.Ref, len(names))
	for i, name := range names {
		refs[i].Name = name
		best := 0
		for _, tag := range known[shownKey(name)] {
			rank := 0
			switch {
			case tag.Owner == user.ID && waymark.Fold(tag.Name) == waymark.Fold(name):
				rank = 3
			case tag.Owner == user.ID:
				rank = 2
			case isCurrent[tag.ID]:
				rank = 1
			}
			if rank > best {
				best, refs[i] = rank, waymark.Ref{ID: int64(tag.ID)}
			}
		}
	}
	return &refs, nil
}
