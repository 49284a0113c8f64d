package web

import (
	"context"

	"waymark/internal/query"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// maxMovedHosts is the number of hosts that the page of moved links shows.
const maxMovedHosts = 50

// maxShownURL limits the URLs on the page of moved links, in characters.
const maxShownURL = 80

// movedPage is the data of the page with the links whose pages have moved, by host.
type movedPage struct {
	Hosts []movedHost
	More  int // hosts that are not shown
}

// movedHost is a host of moved links.
type movedHost struct {
	store.MovedHost
	Search string // the URL of its links
}

// showMoved shows the hosts from which pages of the user's links have moved.
func showMoved(r *page.Request) error {
	hosts, err := r.Store.MovedHosts(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	p := movedPage{More: max(0, len(hosts)-maxMovedHosts)}
	for _, host := range hosts[:len(hosts)-p.More] {
		host.From, host.To = page.Cut(host.From, maxShownURL), page.Cut(host.To, maxShownURL)
		p.Hosts = append(p.Hosts, movedHost{host, searchPath(waymark.And{query.Word(host.Host), waymark.IsMoved})})
	}
	return r.Render("moved", p)
}

// acceptMoves gives the user's links of a host the URLs to which their pages have moved.
func acceptMoves(r *page.Request) error {
	const back = "/links/moved"
	accepted, undo, err := undoableChange(r, true, func(ctx context.Context, s *service.Service) (store.AcceptedMoves, error) {
		return s.AcceptMoves(ctx, r.User, r.Field("host"), waymark.MaxBulk)
	})
	if err != nil {
		return err
	}
	text := r.T("moved.accepted", "n", accepted.Changed)
	if accepted.Kept > 0 {
		text += " " + r.T("moved.kept", "n", accepted.Kept)
	}
	return r.Changed(back, page.Toast{Text: text, Undo: undo, Back: back})
}
