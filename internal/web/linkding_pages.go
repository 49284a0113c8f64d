package web

import (
	"cmp"
	"net/url"
	"strings"

	"waymark/internal/query"
	"waymark/internal/web/page"
)

// The clients of linkding open pages of linkding. These handlers lead to the pages of Waymark.

// redirectToBookmarks leads from a page of linkding with a search to the links that it finds. states are
// added to the search, in the query language.
func redirectToBookmarks(states string) page.Handler {
	return func(r *page.Request) error {
		text := strings.TrimSpace(r.Parameters.Get("q"))
		// The languages differ. A query that linkding cannot read is searched for as it is.
		text = cmp.Or(query.Print(query.ParseLinkding(text)), text)
		return r.Redirect(page.JoinQuery("/links", page.QueryOf("q", strings.TrimSpace(states+" "+text))))
	}
}

// redirectToForm leads to the form for a new link, with the values of linkding's.
func redirectToForm(r *page.Request) error {
	values := url.Values{}
	for theirs, ours := range map[string]string{"url": "url", "title": "title", "description": "description", "notes": "note"} {
		if value := r.Parameters.Get(theirs); value != "" {
			values.Set(ours, value)
		}
	}
	if names := strings.FieldsFunc(r.Parameters.Get("tags"), func(c rune) bool { return c == ' ' || c == ',' }); len(names) > 0 {
		values.Set("tags", strings.Join(names, ","))
	}
	return r.Redirect(page.JoinQuery("/add", values.Encode()))
}
