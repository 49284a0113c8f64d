package web

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// readSequence reads the sequence in the request. One that the user does not see is left out.
func readSequence(r *page.Request) (sequence, error) {
	s := sequence{In: r.FieldOrParameter("in")}
	s.N, _ = strconv.Atoi(r.FieldOrParameter("n"))
	u, err := url.Parse(s.In)
	if err != nil || !page.IsLocalPath(s.In) || len(s.In) > maxBefore {
		return sequence{}, nil //nolint:nilerr // a malformed one is left out, too
	}
	s.N = max(0, min(s.N, maxSequence))
	s.search, err = searchAt(r, u.Path, page.ParseQuery(u.RawQuery))
	if errors.Is(err, waymark.ErrNotFound) || errors.Is(err, waymark.ErrForbidden) {
		return sequence{}, nil
	}
	return s, err
}

// maxSequence limits the number of a link, so that offsets do not overflow.
const maxSequence = 1_000_000_000

// searchAt reads the search that the page of links at a path shows. Its name is that of the list, tag or saved search. It
// returns waymark.ErrNotFound for another page.
func searchAt(r *page.Request, path string, parameters url.Values) (search, error) {
	kind, id, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	s, err := readSearch(r, path, parameters)
	if err != nil {
		return s, err
	}
	switch kind {
	case "links":
		if id != "" {
			return s, waymark.ErrNotFound
		}
	case "searches":
		saved, err := r.Store.Accounts.SavedSearch(r.Context(), r.User.ID, waymark.SavedSearchID(idIn(id)))
		if err != nil {
			return s, err
		}
		if !parameters.Has("q") {
			if s, err = savedSearch(r, r.User.ID, saved); err != nil {
				return s, err
			}
			s.show(parameters)
		}
		s.name = saved.Name
	case "lists":
		list, err := r.Store.List(r.Context(), r.User.ID, waymark.ListID(idIn(id)))
		if err != nil {
			return s, err
		}
		label := hasID(waymark.Lists, int64(list.ID))
		label.Direct = slices.Contains(rememberedLists(r, withoutCookie), list.ID)
		s.name, s.Where = list.Name, waymark.AndOf(label, s.Where)
	case "tags":
		tag, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(idIn(id)))
		if err != nil {
			return s, err
		}
		s.name, s.Where = tag.Name, waymark.AndOf(hasID(waymark.Tags, int64(tag.ID)), s.Where)
	default:
		return s, waymark.ErrNotFound
	}
	return s, nil
}

// Name is what the way back says.
func (s sequence) name(r *page.Request) string {
	flag, _ := s.search.Where.(waymark.Is)
	if heading := flagHeadings[flag]; heading != "" {
		return r.T(heading)
	}
	if s.search.showsAll() {
		return r.T("links.title")
	}
	return cmp.Or(s.search.name, r.T("links.search"))
}

// How many links before and after a link are read to find its neighbours.
const linksBefore, linksAfter = 12, 48

// around returns the nearest links before and after a link that fit, nil if there are none near. A link that has left the
// page stands before the one that has its number now.
func (s sequence) around(r *page.Request, id waymark.LinkID, fits func(waymark.Link) bool) (before, after *neighbour, err error) {
	if s.In == "" {
		return nil, nil, nil
	}
	from := max(0, s.N-1-linksBefore)
	part := waymark.Pagination{Offset: from, Limit: linksBefore + 1 + linksAfter}
	listed, err := matchingLinks(r, s.search.filter(r), linkOrders[s.search.order()], part).Page(r.Context())
	if err != nil {
		return nil, nil, err
	}
	links := listed.Entities
	next := min(max(0, s.N-1-from), len(links))
	at := slices.IndexFunc(links, func(l waymark.Link) bool { return l.ID == id })
	if at < 0 {
		at = next
	} else {
		next = at + 1
	}
	for i := range at {
		if fits(links[i]) {
			before = &neighbour{links[i], from + i + 1}
		}
	}
	if i := slices.IndexFunc(links[next:], fits); i >= 0 {
		after = &neighbour{links[next+i], from + next + i + 1}
	}
	return before, after, nil
}

// nextText returns the path of the reader with the text after that of a link, or of the page if it was the last one.
func (s sequence) nextText(r *page.Request, id waymark.LinkID) (string, error) {
	_, next, err := s.around(r, id, hasText)
	if next == nil {
		return s.In, err
	}
	return s.readPath(next), err
}

// cameFrom returns the page from which people came to the page at path, "" if it is not known. Forms and
// pages that lead back to path send it as "back". Otherwise it is the page with the link to path, but not
// a page below path or a form.
func cameFrom(r *page.Request, path string) string {
	if back := r.Back(""); back != "" {
		return back
	}
	came := strings.TrimPrefix(r.HTTP.Referer(), r.BaseURL())
	p, _, _ := strings.Cut(came, "?")
	if strings.HasPrefix(p+"/", path+"/") || strings.HasSuffix(p, "/edit") || p == "/signin" || len(came) > maxBefore || !r.HasPage(came) {
		return ""
	}
	return came
}

// backToLink returns the path of the page of a link after a change on it. It has the page from which people
// came to it.
func backToLink(r *page.Request, id waymark.LinkID) string {
	seq, err := readSequence(r)
	if err != nil {
		seq = sequence{} // the change is made: the page can be without it
	}
	return page.JoinQuery(linkPath(id), linkParameters(r.Back(""), seq).Encode())
}

// linkParameters returns the parameters of the page of a link, which say from where people came.
func linkParameters(back string, seq sequence) url.Values {
	query := seq.parameters(seq.N)
	if query == nil {
		query = url.Values{}
	}
	if back != "" && back != seq.In {
		query.Set("back", back)
	}
	return query
}
