package web

import (
	"net/url"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

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
