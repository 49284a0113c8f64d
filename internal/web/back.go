package web

import (
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// maxBefore is the maximum length in bytes of the URL of the page before. Escaped in another URL,
// it is up to 2.3 times as long, and proxies often limit URLs to 8 kB. The page before can be the
// page of another link, with its own page before.
const maxBefore = 1500

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
	return page.JoinQuery(linkPath(id), page.QueryOf("back", r.Back("")))
}
