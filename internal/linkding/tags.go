package linkding

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// tagJSON is a tag in responses.
type tagJSON struct {
	ID        waymark.TagID `json:"id"`
	Name      string        `json:"name"`
	DateAdded string        `json:"date_added"`
}

func newTagJSON(t waymark.Tag) tagJSON {
	return tagJSON{t.ID, shownTagName(t.Name), timeText(t.CreatedAt)}
}

// listTags lists the user's own tags.
func (a *API) listTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	p := a.newPageWriter(w, r)
	listing := a.Store.OwnTags(user.ID, waymark.Order{By: waymark.SortByID}, p.pagination)
	return listing.Stream(r.Context(), func(total int, tags iter.Seq2[waymark.Tag, error]) error {
		return writePage(p, total, tags, newTagJSON)
	})
}

func (a *API) getTag(w http.ResponseWriter, _ *http.Request, _ waymark.User, tag waymark.Tag) error {
	return httpx.WriteJSON(w, http.StatusOK, newTagJSON(tag))
}

// maxTagName is the maximum length of the name of a tag, in characters.
const maxTagName = 64

// addTag adds a tag. If the user has one with this name, that is the result.
func (a *API) addTag(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body struct {
		Name text `json:"name"`
	}
	invalid, err := a.readBody(w, r, &body)
	if err != nil {
		return err
	}
	name := body.Name.check("name", textRules{required: true, limit: maxTagName}, &invalid)
	if err := invalid.err(); err != nil {
		return err
	}
	tag, err := a.ensureTag(r.Context(), user, *name)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, newTagJSON(tag))
}

// ensureTag returns the user's tag with a name, and adds it if there is none.
func (a *API) ensureTag(ctx context.Context, user waymark.User, name string) (waymark.Tag, error) {
	for retried := false; ; retried = true {
		known, err := a.tagsByName(ctx, user.ID, []string{name})
		if err != nil {
			return waymark.Tag{}, err
		}
		for _, tag := range known[shownKey(name)] {
			if tag.Owner == user.ID {
				return tag, nil
			}
		}
		tag, err := a.Service.AddTag(ctx, user, waymark.TagInput{Name: shownTagName(name)})
		invalid, ok := errors.AsType[*waymark.ValidationError](err)
		if !ok || invalid.Problems[0].Rule != waymark.RuleUnique || retried {
			return tag, err
		}
	}
}

func (a *API) deleteTag(w http.ResponseWriter, r *http.Request, user waymark.User, tag waymark.Tag) error {
	return writeNothing(w, a.Service.Delete(r.Context(), user, waymark.Tags, int64(tag.ID)))
}

// ownTag returns the user's own tag with the id in the path.
func (a *API) ownTag(r *http.Request, user waymark.User) (waymark.Tag, error) {
	id, err := rest.PathID[waymark.TagID](r, "id")
	if err != nil {
		return waymark.Tag{}, err
	}
	tag, err := a.Store.Tag(r.Context(), user.ID, id)
	switch {
	case errors.Is(err, waymark.ErrNotFound), errors.Is(err, waymark.ErrForbidden), err == nil && tag.Owner != user.ID:
		return waymark.Tag{}, errNoTag
	}
	return tag, err
}

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
