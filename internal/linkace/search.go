package linkace

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// searchLinks looks for links by their text and by filters.
func (a *API) searchLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := query(r)
	search := q.search()
	if err := q.problems.Err(); err != nil {
		return err
	}
	page := q.pageRequest()
	return a.store.SearchLinks(user.ID, search, q.searchOrder(), page.pagination()).Stream(r.Context(), writePage(a, w, r, page, appendLink))
}

func (q *params) search() waymark.LinkFilter {
	search := waymark.LinkFilter{
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
		AllLists:          strings.EqualFold(q.text("list_mode"), "all"),
		AllTags:           strings.EqualFold(q.text("tag_mode"), "all"),
		ExcludeLists:      q.refs("exclude_lists"),
		ExcludeTags:       q.refs("exclude_tags"),
	}
	if search.Text == "" && len(search.Lists) == 0 && len(search.Tags) == 0 && !search.BrokenOnly && !search.WithoutLists && !search.WithoutTags {
		for _, field := range []string{"query", "only_lists", "only_tags", "broken_only"} {
			q.problems.Add(field, "You must either enter a search query, or select a list, a tag or enable searching for broken links.")
		}
	}
	return search
}

func (a *API) searchLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return searchNames(w, r, user, a.store.SuggestLists, func(l *waymark.List) (int64, string) { return int64(l.ID), l.Name })
}

func (a *API) searchTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return searchNames(w, r, user, a.store.SuggestTags, func(t *waymark.Tag) (int64, string) { return int64(t.ID), t.Name })
}

// searchNames answers with an object of ids and names, in the order of the names.
func searchNames[T any](w http.ResponseWriter, r *http.Request, user waymark.User,
	find func(ctx context.Context, owner waymark.UserID, text string, limit int) ([]T, error), read func(*T) (id int64, name string),
) error {
	q := query(r)
	b := []byte{'{'}
	if text := q.text("query"); text != "" {
		limit := waymark.NoLimit
		if n, ok := q.int("per_page"); ok && n > 0 {
			limit = n
		}
		found, err := find(r.Context(), user.ID, text, limit)
		if err != nil {
			return err
		}
		for i := range found {
			id, name := read(&found[i])
			b = strconv.AppendInt(append(comma(b, i), '"'), id, 10)
			b = appendString(append(b, `":`...), name)
		}
	}
	writeBody(w, http.StatusOK, append(b, '}'))
	return nil
}
