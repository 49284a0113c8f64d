package api

import (
	"bytes"
	"iter"
	"net/http"
	"strconv"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// searchLinks searches links by text and filters.
func (a *API) searchLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := queryParams(r)
	filter := q.linkFilter()
	if err := q.errors.err(); err != nil {
		return err
	}
	page := q.pageRequest()
	return a.store.SearchLinks(user.ID, filter, q.searchOrder(), page.pagination()).Stream(r.Context(), writePage(a, w, r, q, page, newLinkJSON))
}

// linkFilter decodes the filters of a search. At least one of them must restrict it.
func (q *params) linkFilter() waymark.LinkFilter {
	filter := waymark.LinkFilter{
		Text:              q.text("query"),
		SearchTitle:       q.bool("search_title"),
		SearchDescription: q.bool("search_description"),
		SearchContent:     q.bool("search_content"),
		Visibility:        q.visibility(),
		PrivateOnly:       q.bool("private_only"),
		BrokenOnly:        q.bool("broken_only"),
		CheckResult:       q.result(),
		Flags:             q.flags(),
		WithoutLists:      q.bool("empty_lists"),
		WithoutTags:       q.bool("empty_tags"),
		Lists:             q.refs("only_lists"),
		Tags:              q.refs("only_tags"),
		AllLists:          q.is("list_mode", "all"),
		AllTags:           q.is("tag_mode", "all"),
		ExcludeLists:      q.refs("exclude_lists"),
		ExcludeTags:       q.refs("exclude_tags"),
	}
	if filter.Text == "" && len(filter.Lists) == 0 && len(filter.Tags) == 0 && !filter.BrokenOnly && filter.CheckResult == waymark.CheckNone && !filter.WithoutLists && !filter.WithoutTags && filter.Flags == (waymark.FlagsInput{}) {
		for _, field := range []string{"query", "only_lists", "only_tags", "broken_only"} {
			q.errors.add(field, "You must either enter a search query, or select a list, a tag or enable searching for broken links.")
		}
	}
	return filter
}

func (a *API) searchLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return searchNames(a, w, r, user, a.store.SuggestLists, func(l *waymark.List) member { return newNamed(l.ID, l.Name) })
}

func (a *API) searchTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return searchNames(a, w, r, user, a.store.SuggestTags, func(t *waymark.Tag) member { return newNamed(t.ID, t.Name) })
}

// newNamed returns a name as the value of its id.
func newNamed[ID waymark.ID](id ID, name string) member {
	return member{strconv.FormatInt(int64(id), 10), name}
}

// searchNames writes an object that maps ids to names, sorted by name.
func searchNames[T any](a *API, w http.ResponseWriter, r *http.Request, user waymark.User,
	suggest func(owner waymark.UserID, text string, limit int) store.Listing[T], named func(*T) member,
) error {
	q := queryParams(r)
	text := q.text("query")
	if text == "" {
		return writeEmpty(w)
	}
	limit := waymark.NoLimit
	if n, ok := q.int("per_page"); ok && n > 0 {
		limit = n
	}
	return suggest(user.ID, text, limit).Stream(r.Context(), func(_ int, entities iter.Seq2[T, error]) error {
		encode := func(b *bytes.Buffer, entity *T) error { return named(entity).encode(b) }
		return writeStream(a, w, r, "{", entities, encode, "}")
	})
}
