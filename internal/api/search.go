package api

import (
	"bytes"
	"iter"
	"net/http"
	"strconv"

	"waymark/internal/httpx"
	"waymark/internal/query"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// searchLinks searches links by text and filters.
func (a *API) searchLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := queryParams(r)
	filter, problems := q.linkFilter()
	if len(problems) > 0 {
		q.errors.addProblem("q", problems[0])
	}
	if err := q.errors.err(); err != nil {
		return err
	}
	page, order := q.pageRequest(), q.searchOrder()
	if q.text("q") != "" && q.text("order_by") == "" {
		order = waymark.BestMatch
	}
	return a.Store.SearchLinks(user.ID, filter, order, page.pagination()).Stream(r.Context(), func(total int, links iter.Seq2[waymark.Link, error]) error {
		var err error
		if total < store.FewLinks && q.bool("instead") && q.text("q") != "" {
			page.instead, err = a.instead(r, user, filter, total)
		}
		if err != nil {
			return err
		}
		return writePage(a, w, r, q, page, newLinkJSON)(total, links)
	})
}

// instead returns searches that find more than a filter whose first condition is the query in q.
func (a *API) instead(r *http.Request, user waymark.User, filter waymark.LinkFilter, total int) ([]insteadJSON, error) {
	all := filter.Where.(waymark.And) //nolint:forcetypeassert // linkFilter has made it
	parts := query.Parts(all[0])
	filter.Where = all[1:]
	found, err := a.Store.Instead(r.Context(), user.ID, filter, parts, total)
	return waymark.Map(found, func(in store.Instead) insteadJSON { return insteadJSON{query.Print(in.Apply(parts)), in.Total} }), err
}

// linkFilter decodes the filters of a search. At least one of them must restrict it. A part of the query in
// q that cannot be read is a problem, unlike in the pages: a program must not get what it has not asked for.
func (q *params) linkFilter() (waymark.LinkFilter, []query.Problem) {
	text := waymark.Contains{Text: q.text("query"), In: waymark.InURL}
	for _, place := range []struct {
		name string
		in   waymark.TextFields
	}{{"search_title", waymark.InTitle}, {"search_description", waymark.InDescription}, {"search_content", waymark.InSnapshot}} {
		if q.bool(place.name) {
			text.In |= place.in
		}
	}
	visibility, private, broken, result := q.visibility(), q.bool("private_only"), q.bool("broken_only"), q.result()
	flags := q.flags()
	lists := waymark.Labeled{Kind: waymark.Lists, Refs: q.refs("only_lists"), All: q.is("list_mode", "all")}
	tags := waymark.Labeled{Kind: waymark.Tags, Refs: q.refs("only_tags"), All: q.is("tag_mode", "all")}
	unfiled, untagged := q.bool("empty_lists"), q.bool("empty_tags")
	withoutLists := waymark.Labeled{Kind: waymark.Lists, Refs: q.refs("exclude_lists")}
	withoutTags := waymark.Labeled{Kind: waymark.Tags, Refs: q.refs("exclude_tags")}

	var where waymark.And
	add := func(wanted bool, c waymark.Condition) {
		if wanted {
			where = append(where, c)
		}
	}
	typed, problems := query.Parse(q.text("q"))
	hasQuery := !(waymark.LinkFilter{Where: typed}).IsZero()
	add(hasQuery, typed)
	add(text.Text != "", text)
	add(broken, waymark.IsBroken)
	add(result != waymark.CheckNone, waymark.Is(result.String()))
	for _, flag := range flags.Values() {
		if state := waymark.Is(flag.Flag.String()); flag.On {
			add(true, state)
		} else {
			add(true, waymark.Not{Condition: state})
		}
	}
	add(unfiled, waymark.IsUnfiled)
	add(untagged, waymark.IsUntagged)
	add(len(lists.Refs) > 0 && !unfiled, lists)
	add(len(tags.Refs) > 0 && !untagged, tags)
	if len(where) == 0 {
		for _, field := range []string{"query", "only_lists", "only_tags", "broken_only"} {
			q.errors.add(field, "You must either enter a search query, or select a list, a tag or enable searching for broken links.")
		}
	}
	add(visibility != 0, waymark.Is(visibility.String()))
	add(private, waymark.IsPrivate)
	add(len(withoutLists.Refs) > 0, waymark.Not{Condition: withoutLists})
	add(len(withoutTags.Refs) > 0, waymark.Not{Condition: withoutTags})
	return waymark.LinkFilter{Where: where, OwnNames: !hasQuery}, problems
}

// searchNames returns the handler that writes an object that maps ids to names, sorted by name.
func searchNames[ID waymark.ID, T any](suggest func(s *store.Store, owner waymark.UserID, text string, limit int) store.Listing[T], named func(*T) (ID, string)) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		q := queryParams(r)
		text := q.text("query")
		if text == "" {
			return writeEmpty(w, nil)
		}
		limit := waymark.NoLimit
		if n, ok := q.int("per_page"); ok && n > 0 {
			limit = n
		}
		return suggest(a.Store, user.ID, text, limit).Stream(r.Context(), func(_ int, entities iter.Seq2[T, error]) error {
			encode := func(b *bytes.Buffer, entity T) error {
				id, name := named(&entity)
				return httpx.Member{Name: strconv.FormatInt(int64(id), 10), Value: name}.Encode(b)
			}
			return httpx.StreamJSON(w, "{", entities, encode, httpx.End("}"))
		})
	}
}
