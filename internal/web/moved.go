package web

import (
	"context"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// maxMovedHosts is the number of hosts that the page of moved links shows.
const maxMovedHosts = 50

// maxShownAddress limits the addresses on the page of moved links, in characters.
const maxShownAddress = 80

// movedPage is the data of the page with the links whose pages have moved, by host.
type movedPage struct {
	Hosts []movedHost
	More  int // hosts that are not shown
}

// movedHost is a host of moved links.
type movedHost struct {
	store.MovedHost
	Search string // the address of its links
}

// showMoved shows the hosts from which pages of the user's links have moved.
func showMoved(v *visit) error {
	hosts, err := v.Store.MovedHosts(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	p := movedPage{More: max(0, len(hosts)-maxMovedHosts)}
	for _, host := range hosts[:len(hosts)-p.More] {
		host.From, host.To = cut(host.From, maxShownAddress), cut(host.To, maxShownAddress)
		query := linksQuery{Text: host.Host, CheckResult: waymark.CheckMoved.String()}
		p.Hosts = append(p.Hosts, movedHost{host, query.address()})
	}
	return v.render("moved", p)
}

// acceptMoves gives the user's links of a host the addresses to which their pages have moved.
func acceptMoves(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	const back = "/links/moved"
	var accepted store.AcceptedMoves
	undo, err := withUndoOptions(v, service.UndoOptions{Bulk: true}, func(ctx context.Context, s *service.Service) (err error) {
		accepted, err = s.AcceptMoves(ctx, v.user, v.field("host"), v.Settings.BulkLimit)
		return err
	})
	if err != nil {
		return err
	}
	text := v.t("moved.accepted", "n", accepted.Changed)
	if accepted.Kept > 0 {
		text += " " + v.t("moved.kept", "n", accepted.Kept)
	}
	return v.changed(back, toast{Text: text, Undo: undo, Back: back})
}
