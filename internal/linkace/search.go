package linkace

import (
	"context"
	"net/http"
	"strconv"

	"waymark/internal/waymark"
)

// searchLinks searches links by text and filters.
func (a *API) searchLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := query(r)
	filter := q.linkFilter()
	if err := q.errors.err(); err != nil {
		return err
	}
	page := q.pageRequest()
	return a.store.SearchLinks(user.ID, filter, q.searchOrder(), page.pagination()).Stream(r.Context(), writePage(a, w, r, q, page, appendLink))
}

// linkFilter decodes the filters of a search. At least one of them must restrict it.
func (q *params) linkFilter() waymark.LinkFilter {
	filter := waymark.LinkFilter{
		Text:              q.text("query"),
		SearchTitle:       q.bool("search_title"),
		SearchDescription: q.bool("search_description"),
		Visibility:        q.visibility(),
		PrivateOnly:       q.bool("private_only"),
		BrokenOnly:        q.bool("broken_only"),
		WithoutLists:      q.bool("empty_lists"),
		WithoutTags:       q.bool("empty_tags"),
		Lists:             q.refs("only_lists"),
		Tags:              q.refs("only_tags"),
		AllLists:          q.is("list_mode", "all"),
		AllTags:           q.is("tag_mode", "all"),
		ExcludeLists:      q.refs("exclude_lists"),
		ExcludeTags:       q.refs("exclude_tags"),
	}
	if filter.Text == "" && len(filter.Lists) == 0 && len(filter.Tags) == 0 && !filter.BrokenOnly && !filter.WithoutLists && !filter.WithoutTags {
		for _, field := range []string{"query", "only_lists", "only_tags", "broken_only"} {
			q.errors.add(field, "You must either enter a search query, or select a list, a tag or enable searching for broken links.")
		}
	}
	return filter
}

func (a *API) searchLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return searchNames(w, r, user, a.store.SuggestLists, func(l *waymark.List) (int64, string) { return int64(l.ID), l.Name })
}

func (a *API) searchTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return searchNames(w, r, user, a.store.SuggestTags, func(t *waymark.Tag) (int64, string) { return int64(t.ID), t.Name })
}

// searchNames writes an object that maps ids to names, sorted by name.
func searchNames[T any](w http.ResponseWriter, r *http.Request, user waymark.User,
	suggest func(ctx context.Context, owner waymark.UserID, text string, limit int) ([]T, error), idAndName func(*T) (id int64, name string),
) error {
	q := query(r)
	b := []byte{'{'}
	if text := q.text("query"); text != "" {
		limit := waymark.NoLimit
		if n, ok := q.int("per_page"); ok && n > 0 {
			limit = n
		}
		found, err := suggest(r.Context(), user.ID, text, limit)
		if err != nil {
			return err
		}
		for i := range found {
			id, name := idAndName(&found[i])
			b = strconv.AppendInt(append(comma(b, i), '"'), id, 10)
			b = appendString(append(b, `":`...), name)
		}
	}
	writeBody(w, http.StatusOK, append(b, '}'))
	return nil
}
