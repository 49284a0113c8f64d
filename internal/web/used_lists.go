package web

import (
	"slices"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

const latestLinks = 50

// latelyFirst returns as many lists: those of the links that the user has changed last, and then others.
func latelyFirst(r *page.Request, others []waymark.List) ([]waymark.List, error) {
	used, err := latelyUsed(r)
	if err != nil {
		return nil, err
	}
	used = slices.DeleteFunc(used, func(list waymark.List) bool { return list.Owner != r.User.ID })
	counts, err := r.Store.CountListLinks(r.Context(), r.User.ID, used)
	var all []waymark.List
	seen := map[waymark.ListID]bool{}
	for i := range used {
		used[i].LinkCount = counts[int64(used[i].ID)]
	}
	for _, list := range slices.Concat(used, others) {
		if !seen[list.ID] && len(all) < len(others) {
			all = append(all, list)
		}
		seen[list.ID] = true
	}
	return all, err
}

// latelyUsed returns the lists of the links that the user has changed last, in that order. A list can be there several
// times.
func latelyUsed(r *page.Request) (used []waymark.List, err error) {
	own := waymark.LinkFilter{Where: waymark.IsMine}
	latest, err := r.Store.SearchLinks(r.Viewer(), own, linkOrders["edited"], waymark.Pagination{Limit: latestLinks}).Page(r.Context())
	for _, link := range latest.Entities {
		used = append(used, link.Lists...)
	}
	return used, err
}
