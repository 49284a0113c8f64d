package web

import "waymark/internal/waymark"

// showGone shows the user's links that have become broken because checks did not find their pages,
// the latest first.
func showGone(v *visit) error {
	found, err := v.Store.BrokenLinks(v.ctx(), v.user.ID, pagination(v, v.settings.LinksPerPage))
	if err != nil {
		return err
	}
	p := makeLinksPage(gonePath, linksQuery{}, v.parameters, waymark.ComfortableView)
	p.Title, p.Fetchable, p.Checkable = v.t("gone.title"), v.Crawler.Pages != nil, checksLinks(v)
	p.Pager = newPager(v, found.Total, v.settings.LinksPerPage)
	if address := p.Pager.beyondEnd(); address != "" {
		return v.redirect(address)
	}
	links := make([]waymark.Link, len(found.Entities))
	for i, l := range found.Entities {
		links[i] = l.Link
	}
	views, err := newLinkViews(v, waymark.ComfortableView, nil, links)
	if err != nil {
		return err
	}
	for i, l := range links {
		p.addLink(v.dayHeading(found.Entities[i].BrokenAt), views.of(l))
	}
	return v.render("gone", p)
}

// gonePath is the path of the page with the links whose pages are gone.
const gonePath = "/links/gone"

// feedGone sends the links of showGone as a feed.
func feedGone(v *visit) error {
	found, err := v.Store.BrokenLinks(v.ctx(), v.user.ID, waymark.Pagination{Limit: maxFeedEntries})
	if err != nil {
		return err
	}
	entries := make([]atomEntry, len(found.Entities))
	for i, l := range found.Entities {
		entries[i] = newEntry("broken link", int64(l.ID), l.Title, v.user.Name, l.URL, l.BrokenAt, l.BrokenAt)
		entries[i].Link.Href = v.address(linkPath(l.ID))
	}
	return sendFeed(v, feed{title: v.t("gone.title"), page: gonePath}, entries)
}
