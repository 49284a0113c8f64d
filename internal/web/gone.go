package web

import "waymark/internal/waymark"

// gonePage is the data of the page with the links whose pages are gone.
type gonePage struct{ linksPage }

// pageTitle implements titled.
func (p gonePage) pageTitle() string { return p.v.t("gone.title") }

// showGone shows the user's links that have become broken because visits did not find their pages,
// the latest first.
func showGone(v *visit) error {
	found, err := v.Store.BrokenLinks(v.ctx(), v.user.ID, pagination(v, v.settings.LinksPerPage))
	if err != nil {
		return err
	}
	p := gonePage{linksPage{v: v, Path: gonePath, View: string(waymark.ComfortableView), Pager: newPager(v, found.Total, v.settings.LinksPerPage)}}
	if address := p.Pager.beyondEnd(); address != "" {
		return v.redirect(address)
	}
	for _, l := range found.Entities {
		heading := v.dayHeading(l.BrokenAt)
		if n := len(p.Days); n == 0 || p.Days[n-1].Heading != heading {
			p.Days = append(p.Days, day{Heading: heading})
		}
		last := &p.Days[len(p.Days)-1]
		last.Links = append(last.Links, v.linkView(l.Link))
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
