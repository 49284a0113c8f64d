package web

import (
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// showBroken shows the user's links that have become broken because checks did not find their pages,
// the latest first.
func showBroken(r *page.Request) error {
	found, err := r.Store.BrokenLinks(r.Context(), r.User.ID, pagination(r, r.Settings.LinksPerPage))
	if err != nil {
		return err
	}
	p := makeLinksPage(r, brokenPath, search{}, waymark.ComfortableView)
	p.Title = r.T("broken.title")
	p.Pager = page.NewPager(r, found.Total, r.Settings.LinksPerPage)
	if last := p.Pager.BeyondEnd(); last != "" {
		return r.Redirect(last)
	}
	links := waymark.Map(found.Entities, func(l store.BrokenLink) waymark.Link { return l.Link })
	views, err := newLinkViews(r, waymark.ComfortableView, nil, links)
	if err != nil {
		return err
	}
	for i, l := range links {
		p.addLink(r.DayHeading(found.Entities[i].BrokenAt), views.of(l))
	}
	if p.Feed, err = makeFeedLink(r, brokenPath+"/feed", nil, ""); err != nil {
		return err
	}
	return r.Render("broken", p)
}

// feedBroken sends the links of showBroken as a feed.
func feedBroken(r *page.Request) error {
	found, err := r.Store.BrokenLinks(r.Context(), r.User.ID, waymark.Pagination{Limit: maxFeedEntries})
	if err != nil {
		return err
	}
	entries := make([]atomEntry, len(found.Entities))
	for i, l := range found.Entities {
		entries[i] = newEntry("broken link", int64(l.ID), l.Title, l.URL, l.BrokenAt, l.BrokenAt)
		entries[i].Author = r.User.Name
		entries[i].Link.Href = r.AbsoluteURL(linkPath(l.ID))
	}
	return sendFeed(r, feed{title: r.T("broken.title"), page: brokenPath}, entries)
}
