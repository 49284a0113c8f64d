package web

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// search is what a page of links shows: a text of the query language, read once, and how its links are shown.
type search struct {
	Path        string            // of the page that shows it
	Typed       string            // the text as the field shows it
	Where       waymark.Condition // of the text; the lists and tags that the viewer sees have ids
	Order, View string            // "" for the default

	name      string // of the list, tag or saved search
	preferred string // the default order, "" for the first that the page offers

	labels labels
	asText []string // parts of the text that have no meaning, and are searched for as text
	gone   bool     // the text has the id of a list or tag that the viewer does not see
}

func readSearch(r *page.Request, path string, parameters url.Values) (search, error) {
	all, err := readSearches(r, r.Viewer(), parameters.Get("q"))
	if err != nil {
		return search{}, err
	}
	s := all[0]
	s.Path = path
	if s.isUnread() {
		s.preferred = r.Settings.UnreadOrder
	}
	s.show(parameters)
	return s, nil
}

// show reads how the links are shown. What is malformed is left out.
func (s *search) show(parameters url.Values) {
	if order := parameters.Get("order"); linkOrders[order] != (waymark.Order{}) {
		s.Order = order
	}
	if view := parameters.Get("view"); waymark.View(view).Valid() {
		s.View = view
	}
}

// readSearches reads texts. The lists and tags in them are those that a viewer sees. A name that is none of theirs is
// text.
func readSearches(r *page.Request, viewer waymark.UserID, texts ...string) ([]search, error) {
	all := make([]search, len(texts))
	var conditions waymark.And
	for i, text := range texts {
		where, problems := query.Parse(text)
		all[i] = search{Path: "/links", Typed: strings.TrimSpace(text), Where: where}
		all[i].asText = waymark.Map(problems, func(p query.Problem) string { return p.Part })
		conditions = append(conditions, where)
	}
	labels, err := labelsIn(r, viewer, conditions)
	for i := range all {
		all[i].identify(labels)
	}
	return all, err
}

// identify replaces the names of lists and tags by ids.
func (s *search) identify(labels labels) {
	s.labels = labels
	hasIDs := false
	s.Where = mapLabels(s.Where, func(c waymark.Labeled) waymark.Condition {
		label, ok := labels.of(c.Kind, c.Refs[0])
		hasIDs = hasIDs || c.Refs[0].ID != 0
		switch {
		case ok && c.Kind == waymark.Lists && len(labels.same[c.Refs[0].Name]) > 1:
			var any waymark.Or
			for _, ref := range labels.same[c.Refs[0].Name] {
				any = append(any, waymark.Labeled{Kind: c.Kind, Refs: []waymark.Ref{ref}, Direct: c.Direct})
			}
			return any
		case ok:
			c.Refs = []waymark.Ref{{ID: label.id}}
			return c
		case c.Refs[0].ID != 0:
			s.gone = true
			return c
		case c.Kind == waymark.Lists && !c.Direct && labels.smart[waymark.Fold(c.Refs[0].Name)]:
			c.Smart = true
			return c
		}
		s.asText = append(s.asText, query.Print(c))
		return c
	})
	if hasIDs {
		s.Typed = query.Print(labels.withNames(s.Where))
	}
}

// isUnknown reports whether a condition of a search is the name of a list or tag that the viewer does not see.
func isUnknown(c waymark.Condition) bool {
	labeled, ok := c.(waymark.Labeled)
	return ok && !labeled.Prefix && !labeled.Smart && labeled.Refs[0].ID == 0
}

// wordsIn returns where else the words of a condition are searched for.
func wordsIn(where waymark.Condition) (in waymark.TextFields) {
	for _, c := range waymark.Wanted(where) {
		if query.IsWord(c) {
			in |= c.In & (waymark.InSnapshot | waymark.InNotes)
		}
	}
	return in
}

// text returns the text of the search, with ids of lists and tags.
func (s search) text() string { return query.Print(s.Where) }

// parts returns the conditions that all links of the search satisfy.
func (s search) parts() []waymark.Condition { return query.Parts(s.Where) }

func (s search) with(where waymark.Condition) search {
	s.Where = where
	return s
}

// without returns the search without one of its parts.
func (s search) without(i int) search {
	parts := s.parts()
	return s.with(waymark.And(slices.Concat(parts[:i], parts[i+1:])))
}

// toggled returns the search with one more part, or without it if it has that.
func (s search) toggled(c waymark.Condition) search {
	if i := slices.IndexFunc(s.parts(), isEqual(c)); i >= 0 {
		return s.without(i)
	}
	return s.with(waymark.AndOf(s.Where, c))
}

func (s search) has(c waymark.Condition) bool { return slices.ContainsFunc(s.parts(), isEqual(c)) }

// isEqual returns what reports whether a condition is equal to c.
func isEqual(c waymark.Condition) func(waymark.Condition) bool {
	text := query.Print(c)
	return func(other waymark.Condition) bool { return query.Print(other) == text }
}

// Values returns the parameters of the URL.
func (s search) Values() url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"q": s.text(), "order": s.Order, "view": s.View} {
		if value != "" || name == "q" && strings.HasPrefix(s.Path, "/searches/") { // without it, the saved search is shown as it is
			values.Set(name, value)
		}
	}
	return values
}

func (s search) path() string { return page.JoinQuery(s.Path, s.Values().Encode()) }

// facetsPath returns the path of what narrows the search. saved, the id of a saved search, leads back to its page.
func (s search) facetsPath() string {
	values := s.Values()
	if id, ok := strings.CutPrefix(s.Path, "/searches/"); ok {
		values.Set("saved", id)
	}
	return page.JoinQuery("/filter", values.Encode())
}

// narrowed returns the path of the search with one more part, "" if it has that. It appends to the text instead of
// printing it, because a page has many such paths.
func (s search) narrowed() func(c waymark.Condition) string {
	if s.showsAll() { // there, a list or tag opens on its own
		return nil
	}
	has := map[string]bool{}
	for _, part := range s.parts() {
		has[query.Print(part)] = true
	}
	all := s.Where
	if _, ok := all.(waymark.Or); ok {
		all = waymark.And{all}
	}
	values := s.Values()
	values.Del("q")
	before := page.JoinQuery(s.Path, values.Encode())
	begin := url.QueryEscape(query.Print(all) + " ")
	return func(c waymark.Condition) string {
		text := query.Print(c)
		if has[text] {
			return ""
		}
		return page.JoinQuery(before, "q="+begin+url.QueryEscape(text))
	}
}

// restricts reports whether the search has a condition.
func (s search) restricts() bool { return s.text() != "" }

// showsAll reports whether the search selects all links, or all of the user's own.
func (s search) showsAll() bool {
	return !s.restricts() || s.Where == waymark.Condition(waymark.IsMine)
}

// filter returns what selects the links. Archived links are left out where all links are listed.
func (s search) filter(r *page.Request) waymark.LinkFilter {
	where := s.Where
	if s.showsAll() {
		where = waymark.AndOf(where, waymark.NotOf(waymark.IsArchived))
	}
	return filterOf(r, where)
}

// filterOf returns the filter of a condition of a search. Other people have marked their links for themselves.
func filterOf(r *page.Request, where waymark.Condition) waymark.LinkFilter {
	in := wordsIn(where)
	where = waymark.MapLeaves(where, func(c waymark.Condition) waymark.Condition {
		switch {
		case c == waymark.Condition(waymark.IsUnread), c == waymark.Condition(waymark.IsFavorite):
			return waymark.And{c, waymark.IsMine}
		case isUnknown(c):
			return query.Also(query.Word(query.Print(c)), in)
		}
		return c
	})
	return waymark.LinkFilter{Where: where, Zone: r.Zone}
}

// words returns the parts of the search that are words, searched for in the texts of links alone.
func (s search) words() (words waymark.And) {
	for _, part := range s.parts() {
		if query.IsWord(part) {
			words = append(words, query.NotAlso(part, waymark.InSnapshot|waymark.InNotes))
		}
	}
	return words
}

// highlights returns the texts, see waymark.Plain, that a page highlights in the links that a condition selects.
func highlights(c waymark.Condition) (texts []string) {
	for _, text := range waymark.Wanted(c) {
		if text.In&waymark.InTexts != 0 {
			texts = append(texts, waymark.Plain(text.Text))
		}
	}
	return texts
}

func (s search) orders() []string {
	if len(highlights(s.Where)) == 0 {
		return waymark.SearchOrders[1:] // without the best match
	}
	return waymark.SearchOrders
}

func (s search) order() string {
	offered := s.orders()
	for _, order := range []string{s.Order, s.preferred} {
		if slices.Contains(offered, order) {
			return order
		}
	}
	return offered[0]
}

func (s search) isUnread() bool { return s.Where == waymark.Condition(waymark.IsUnread) }

// flags returns the flags that the links of the search have. Archived links are left out where all are listed.
func (s search) flags() (flags waymark.FlagsInput) {
	for _, part := range s.parts() {
		if is, ok := part.(waymark.Is); ok {
			if flag, ok := flagNames[string(is)]; ok {
				*flags.Of(flag) = new(true)
			}
		}
	}
	if s.showsAll() {
		flags.Archived = new(false)
	}
	return flags
}

// searchPath returns the path of the page with the links that a condition selects.
func searchPath(where waymark.Condition) string { return search{Path: "/links", Where: where}.path() }

// parseIDs returns the first ids in the values of a parameter, each once. The parameter may be
// repeated or contain commas.
func parseIDs(values []string, limit int) []int64 {
	var ids []int64
	seen := map[int64]bool{}
	for _, value := range strings.Split(strings.Join(values, ","), ",") {
		if id := idIn(value); id > 0 && !seen[id] && len(ids) < limit {
			ids = append(ids, id)
			seen[id] = true
		}
	}
	return ids
}

// idIn returns the id in a text, 0 if there is none.
func idIn(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// listField returns the id of a list in a field of a form, 0 if there is none.
func listField(r *page.Request, name string) waymark.ListID {
	return waymark.ListID(idIn(r.Field(name)))
}

// labels are the lists and tags that searches name.
type labels struct {
	found  map[labelRef]label
	owners map[waymark.UserID]string // the names of those who are not the user
	smart  map[string]bool           // the folded names of the viewer's smart lists, if a list was not found
	same   map[string][]waymark.Ref  // the ids of the viewer's lists, by a name that several have
}

type labelRef struct {
	kind waymark.EntityKind
	waymark.Ref
}

// label is a list or tag that a search names.
type label struct {
	id    int64
	name  string // of a list, its path if another list has the same name
	owner waymark.UserID
}

// of returns the list or tag of a ref. ok is false if the viewer sees none.
func (l labels) of(kind waymark.EntityKind, ref waymark.Ref) (found label, ok bool) {
	found, ok = l.found[labelRef{kind, ref}]
	return found, ok
}

// mapLabels returns a condition in which each list or tag is replaced.
func mapLabels(c waymark.Condition, replace func(waymark.Labeled) waymark.Condition) waymark.Condition {
	return waymark.MapLeaves(c, func(c waymark.Condition) waymark.Condition {
		if labeled, ok := c.(waymark.Labeled); ok && !labeled.Prefix {
			return replace(labeled)
		}
		return c
	})
}

// withNames returns a condition with names in place of ids, unless a name means another list or tag.
func (l labels) withNames(c waymark.Condition) waymark.Condition {
	return mapLabels(c, func(labeled waymark.Labeled) waymark.Condition {
		found, ok := l.of(labeled.Kind, labeled.Refs[0])
		named := waymark.Ref{Name: found.name}
		if same, known := l.of(labeled.Kind, named); ok && known && same.id == found.id {
			labeled.Refs = []waymark.Ref{named}
		}
		return labeled
	})
}

// labelsIn looks up those of the lists and tags in a condition that a viewer sees.
func labelsIn(r *page.Request, viewer waymark.UserID, c waymark.Condition) (found labels, err error) {
	wanted := map[waymark.EntityKind][]waymark.Ref{}
	var ids bool
	mapLabels(c, func(labeled waymark.Labeled) waymark.Condition {
		wanted[labeled.Kind] = append(wanted[labeled.Kind], labeled.Refs...)
		ids = ids || labeled.Refs[0].ID != 0
		return labeled
	})
	if err := found.find(r, viewer, wanted); err != nil {
		return found, err
	}
	var owners []waymark.UserID
	names := map[waymark.EntityKind][]waymark.Ref{}
	for ref, label := range found.found {
		owners = append(owners, label.owner)
		names[ref.kind] = append(names[ref.kind], waymark.Ref{Name: label.name})
	}
	if ids { // shown by name if the name means the same
		if err := found.find(r, viewer, names); err != nil {
			return found, err
		}
	}
	found.owners, err = otherOwners(r, owners)
	return found, err
}

// find adds lists and tags that a viewer sees, each by the ref that names it and by its id.
func (l *labels) find(r *page.Request, viewer waymark.UserID, wanted map[waymark.EntityKind][]waymark.Ref) error {
	if l.found == nil {
		l.found, l.same = map[labelRef]label{}, map[string][]waymark.Ref{}
	}
	add := func(kind waymark.EntityKind, ref waymark.Ref, found label) {
		l.found[labelRef{kind, ref}] = found
		l.found[labelRef{kind, waymark.Ref{ID: found.id}}] = found
	}
	if named := wanted[waymark.Lists]; len(named) > 0 {
		lists, err := r.Store.FindLists(r.Context(), viewer, named)
		if err != nil {
			return err
		}
		texts, err := r.Store.ListTexts(r.Context(), viewer, slices.Collect(maps.Values(lists)))
		if err != nil {
			return err
		}
		if len(lists) < len(named) && l.smart == nil {
			searches, err := r.Store.Accounts.SavedSearches(r.Context(), viewer)
			if err != nil {
				return err
			}
			l.smart = map[string]bool{}
			for _, search := range searches {
				if search.InLists {
					l.smart[waymark.Fold(search.Name)] = true
				}
			}
		}
		for ref, list := range lists {
			add(waymark.Lists, ref, label{int64(list.ID), texts[list.ID], list.Owner})
			if list.Owner == viewer && texts[list.ID] != list.Name && waymark.Fold(ref.Name) == waymark.Fold(list.Name) && l.same[ref.Name] == nil {
				ids, err := r.Store.ListsOfName(r.Context(), viewer, ref.Name)
				if err != nil {
					return err
				}
				l.same[ref.Name] = ids
				if err := l.find(r, viewer, map[waymark.EntityKind][]waymark.Ref{waymark.Lists: ids}); err != nil {
					return err
				}
			}
		}
	}
	if named := wanted[waymark.Tags]; len(named) > 0 {
		tags, err := r.Store.FindTags(r.Context(), viewer, named)
		if err != nil {
			return err
		}
		for ref, tag := range tags {
			add(waymark.Tags, ref, label{int64(tag.ID), tag.Name, tag.Owner})
		}
	}
	return nil
}

func hasID(kind waymark.EntityKind, id int64) waymark.Labeled {
	return waymark.Labeled{Kind: kind, Refs: refsOf([]int64{id})}
}

func refsOf(ids []int64) []waymark.Ref {
	return waymark.Map(ids, func(id int64) waymark.Ref { return waymark.Ref{ID: id} })
}
